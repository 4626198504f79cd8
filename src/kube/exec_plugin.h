// Credentials from an exec plugin of a kubeconfig (client.authentication.k8s.io/v1 and v1beta1): a program is run and
// prints a token, a client certificate, or both. It is run on a thread of its own, since it may take its time and a
// request must not wait for it.
// Shared by the Credentials and the TlsProvider of a ClusterAccess; methods may be called from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kube/kubeconfig.h"
#include "kube_events/base/clock.h"
#include "kube_events/base/command.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/kube/credentials.h"

namespace kube_events {

// What a plugin printed. A token, or certificate and key, or all of them.
struct ExecCredential {
  std::string token;
  std::string cert_pem;
  std::string key_pem;
  OptionalTime expires;
};

// Reads the answer of a plugin. Fails with kInvalid; the message never holds what was read.
Result<ExecCredential> ParseExecCredential(std::string_view json, std::string_view api_version);

// The command of a plugin with its environment: `environment` ("NAME=value"), that of the kubeconfig, and
// KUBERNETES_EXEC_INFO, with the cluster where the plugin is to be told of it. `ca_pem`: of the cluster. Fails with
// kConfiguration where the entry cannot be used; the message says what to write instead.
Result<Command> MakeExecCommand(const KubeconfigExec& exec, const KubeconfigCluster& cluster, const std::string& ca_pem,
                                std::vector<std::string> environment);

class ExecPlugin {
 public:
  // Runs the plugin for the first time, in the background. `clock` must outlive it.
  ExecPlugin(Command command, KubeconfigExec exec, const Clock& clock, Logger log);
  // Kills a plugin under way.
  ~ExecPlugin();
  ExecPlugin(const ExecPlugin&) = delete;
  ExecPlugin& operator=(const ExecPlugin&) = delete;

  // The credentials. The plugin is run again, at most once per second, after 80 % of their life or a Refresh. Where
  // there are none, or they have expired: kRetry with the reason of the last failure, or that the plugin is running.
  // Does not block.
  Result<ExecCredential> Get();
  // The server refused them.
  void Refresh();

 private:
  class Worker;
  const std::unique_ptr<Worker> worker_;
};

// The token of a plugin, if it gives one.
std::unique_ptr<Credentials> MakeExecCredentials(std::shared_ptr<ExecPlugin> plugin);

}  // namespace kube_events
