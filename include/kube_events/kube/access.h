// Finds the API server and the means to authenticate to it, as docs/access.md describes: kubeconfig, in-cluster
// service account, or a bare address. Called once at start by the composition root.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/kube/credentials.h"
#include "kube_events/net/proxy.h"
#include "kube_events/net/tls_settings.h"

namespace kube_events {

using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

struct AccessOptions {
  std::string apiserver;          // --apiserver: overrides the address found, or is all there is; empty: not given
  std::string kubeconfig;         // --kubeconfig, one file; empty: the list in $KUBECONFIG, if any
  std::string context;            // --context; empty: the file's current-context
  EnvironmentLookup environment;  // empty: the environment of the process
  std::filesystem::path service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";
  // "NAME=value", what an exec plugin gets beside what its entry says.
  std::vector<std::string> plugin_environment = {};
  Logger log;  // of files that cannot be read again later
};

struct ClusterAccess {
  std::string server;  // URL for MakeCpprestClient
  TlsProvider tls;     // reads CA, certificate and key files again, and keeps the last good ones
  std::unique_ptr<Credentials> credentials;
  std::optional<Proxy> proxy;
  std::string default_namespace;      // of the context or the pod; "default" where none is set
  std::string description;            // for the log: which way was taken, no secret
  std::vector<std::string> warnings;  // one line each, for the log: certificates not verified, credentials not sent
};

// Fails with kConfiguration where nothing is found, or what is found cannot be used; the message names the file and
// entry and says what to write instead, and never holds a secret. Reads files. `clock` must outlive the credentials.
Result<ClusterAccess> ResolveAccess(AccessOptions options, const Clock& clock);

}  // namespace kube_events
