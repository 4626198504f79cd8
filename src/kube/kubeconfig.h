// kubeconfig files as values: parsed, merged as kubectl does, not interpreted. Pure but for the reading of files.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube_events/base/result.h"

namespace kube_events {

// Text fields are "" where the file has none; paths are absolute, resolved against the folder of their file.
struct KubeconfigCluster {
  std::string file;  // that defines it, for messages
  std::string server;
  std::string ca_file;
  std::string ca_data;  // base64, as written
  std::string tls_server_name;
  std::string proxy_url;
  bool insecure_skip_verify = false;
  std::string exec_config;  // JSON of the extension that is meant for exec plugins
};

// A program that gives credentials (client.authentication.k8s.io).
struct KubeconfigExec {
  std::string command;  // absolute where it was written with a slash, else to be found in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // beside our own
  std::string api_version;
  std::string interactive_mode;
  std::string install_hint;
  bool provide_cluster_info = false;
};

// Whom to act as.
struct KubeconfigImpersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool Any() const { return !user.empty() || !uid.empty() || !groups.empty() || !extra.empty(); }
};

struct KubeconfigUser {
  std::string file;
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  std::string cert_file;
  std::string cert_data;
  std::string key_file;
  std::string key_data;
  std::optional<KubeconfigExec> exec;
  KubeconfigImpersonation impersonation;
  bool has_auth_provider = false;
};

struct KubeconfigContext {
  std::string file;
  std::string cluster;
  std::string user;
  std::string namespace_name;
};

struct Kubeconfig {
  std::vector<std::string> files;  // that were read
  std::string current_context;
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
};

// Parses one file's text; `file` gives the folder for relative paths and the name for messages. Fails with
// kConfiguration; the message has line or entry, never a value.
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::filesystem::path& file);

// Reads and merges: the first file that defines a name or the current context wins. Files that do not exist are left
// out, but not all of them; every other trouble is an error.
Result<Kubeconfig> LoadKubeconfig(const std::vector<std::filesystem::path>& files);

// The parts of $KUBECONFIG: split at colons, without empty and repeated ones.
std::vector<std::filesystem::path> SplitKubeconfigList(std::string_view list);

}  // namespace kube_events
