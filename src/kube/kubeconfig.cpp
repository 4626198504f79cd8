#include "kube/kubeconfig.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "kube/kubeconfig_fields.h"
#include "kube_events/base/files.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;

// Of a cluster: what is for exec plugins only.
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

class FileParser {
 public:
  explicit FileParser(const fs::path& file) : file_(file.string()), folder_(fs::absolute(file).parent_path()) {}

  Result<Kubeconfig> Parse(std::string_view text) {
    try {
      const YAML::Node root = YAML::Load(std::string(text));
      const Fields fields(root, "kubeconfig " + file_, error_);
      if (error_) return Fail(*error_);
      config_.files = {file_};
      config_.current_context = fields.Text("current-context");
      ParseEntries(root, "clusters", "cluster", [&](const std::string& name, const Fields& f) { AddCluster(name, f); });
      ParseEntries(root, "users", "user", [&](const std::string& name, const Fields& f) { AddUser(name, f); });
      ParseEntries(root, "contexts", "context", [&](const std::string& name, const Fields& f) { AddContext(name, f); });
    } catch (const YAML::Exception& e) {
      return Fail(ErrorKind::kConfiguration, "kubeconfig " + file_ + " is not valid YAML at line " +
                                                 std::to_string(e.mark.line + 1) + ": " + e.msg);
    }
    if (error_) return Fail(*error_);
    return std::move(config_);
  }

 private:
  // `clusters: [{name: ..., cluster: {...}}]`, and the same for users and contexts.
  template <typename Add>
  void ParseEntries(const YAML::Node& root, const char* list_key, const char* entry_key, Add add) {
    if (!root.IsMap() || !root[list_key] || root[list_key].IsNull()) return;
    const YAML::Node list = root[list_key];
    if (!list.IsSequence()) return Complain(std::string(list_key) + " must be a list");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Fields entry(list[i], Where(list_key, std::to_string(i + 1)), error_);
      const std::string name = entry.Text("name");
      if (name.empty()) return Complain(std::string(list_key) + ": entry " + std::to_string(i + 1) + " has no name");
      const YAML::Node content = entry.Has(entry_key) ? YAML::Node(list[i][entry_key]) : YAML::Node();
      add(name, Fields(content, Where(entry_key, name), error_));
    }
  }

  void AddCluster(const std::string& name, const Fields& fields) {
    KubeconfigCluster cluster;
    cluster.file = file_;
    cluster.server = fields.Text("server");
    cluster.ca_file = Path(fields.Text("certificate-authority"));
    cluster.ca_data = fields.Text("certificate-authority-data");
    cluster.tls_server_name = fields.Text("tls-server-name");
    cluster.proxy_url = fields.Text("proxy-url");
    cluster.insecure_skip_verify = fields.Flag("insecure-skip-tls-verify");
    for (const Fields& extension : fields.List("extensions")) {
      if (extension.Text("name") == kExecExtension) cluster.exec_config = extension.Json("extension");
    }
    Insert(config_.clusters, "cluster", name, std::move(cluster));
  }

  void AddUser(const std::string& name, const Fields& fields) {
    KubeconfigUser user;
    user.file = file_;
    user.token = fields.Text("token");
    user.token_file = Path(fields.Text("tokenFile"));
    user.username = fields.Text("username");
    user.password = fields.Text("password");
    user.cert_file = Path(fields.Text("client-certificate"));
    user.cert_data = fields.Text("client-certificate-data");
    user.key_file = Path(fields.Text("client-key"));
    user.key_data = fields.Text("client-key-data");
    if (fields.Has("exec")) user.exec = ParseExec(fields.Below("exec"));
    user.impersonation = {fields.Text("as"), fields.Text("as-uid"), fields.Texts("as-groups"),
                          fields.TextLists("as-user-extra")};
    user.has_auth_provider = fields.Has("auth-provider");
    Insert(config_.users, "user", name, std::move(user));
  }

  KubeconfigExec ParseExec(const Fields& fields) const {
    KubeconfigExec exec;
    exec.command = fields.Text("command");
    // As kubectl has it: relative to the file with a slash, else by PATH.
    if (exec.command.find('/') != std::string::npos) exec.command = Path(exec.command);
    exec.arguments = fields.Texts("args");
    for (const Fields& variable : fields.List("env")) {
      exec.environment.emplace_back(variable.Text("name"), variable.Text("value"));
    }
    exec.api_version = fields.Text("apiVersion");
    exec.interactive_mode = fields.Text("interactiveMode");
    exec.install_hint = fields.Text("installHint");
    exec.provide_cluster_info = fields.Flag("provideClusterInfo");
    return exec;
  }

  void AddContext(const std::string& name, const Fields& fields) {
    KubeconfigContext context;
    context.file = file_;
    context.cluster = fields.Text("cluster");
    context.user = fields.Text("user");
    context.namespace_name = fields.Text("namespace");
    Insert(config_.contexts, "context", name, std::move(context));
  }

  template <typename Entry>
  void Insert(std::map<std::string, Entry>& entries, const char* kind, const std::string& name, Entry entry) {
    if (!entries.emplace(name, std::move(entry)).second) {
      Complain(std::string("defines the ") + kind + " \"" + name + "\" twice; remove one of them");
    }
  }

  std::string Path(const std::string& path) const { return path.empty() ? path : (folder_ / path).string(); }
  std::string Where(const std::string& kind, const std::string& name) const {
    return "kubeconfig " + file_ + ": " + kind + " \"" + name + "\"";
  }
  void Complain(const std::string& problem) {
    if (!error_) error_ = Error{ErrorKind::kConfiguration, "kubeconfig " + file_ + ": " + problem};
  }

  const std::string file_;
  const fs::path folder_;
  Kubeconfig config_;
  std::optional<Error> error_;
};

// Adds what `other` has and `config` has not.
void Merge(Kubeconfig& config, Kubeconfig other) {
  config.files.insert(config.files.end(), other.files.begin(), other.files.end());
  if (config.current_context.empty()) config.current_context = other.current_context;
  config.clusters.merge(other.clusters);
  config.users.merge(other.users);
  config.contexts.merge(other.contexts);
}

std::string Joined(const std::vector<fs::path>& files) {
  std::string text;
  for (const fs::path& file : files) text += (text.empty() ? "" : ", ") + file.string();
  return text;
}

}  // namespace

Result<Kubeconfig> ParseKubeconfig(std::string_view text, const fs::path& file) { return FileParser(file).Parse(text); }

Result<Kubeconfig> LoadKubeconfig(const std::vector<fs::path>& files) {
  Kubeconfig config;
  for (const fs::path& file : files) {
    std::error_code ignored;
    if (fs::status(file, ignored).type() == fs::file_type::not_found) continue;
    const auto text = ReadSmallFile(file);
    if (!text) return Fail(ErrorKind::kConfiguration, "kubeconfig: " + text.error().message);
    auto parsed = ParseKubeconfig(*text, file);
    if (!parsed) return Fail(parsed.error());
    Merge(config, std::move(*parsed));
  }
  if (config.files.empty()) {
    return Fail(ErrorKind::kConfiguration,
                "kubeconfig: no such file: " + Joined(files) + "; check the path in --kubeconfig or KUBECONFIG");
  }
  return config;
}

std::vector<fs::path> SplitKubeconfigList(std::string_view list) {
  std::vector<fs::path> files;
  while (!list.empty()) {
    const std::size_t colon = std::min(list.find(':'), list.size());
    fs::path file(list.substr(0, colon));
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return files;
}

}  // namespace kube_events
