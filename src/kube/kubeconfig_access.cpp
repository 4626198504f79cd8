#include "kube/kubeconfig_access.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kube/exec_plugin.h"
#include "kube/impersonation.h"
#include "kube/text.h"
#include "kube_events/kube/tls_files.h"
#include "kube_events/net/server_url.h"

namespace kube_events {
namespace {

constexpr std::string_view kWorksInstead =
    "; use an exec plugin, a token, a tokenFile or a client certificate instead, for example of a service account: "
    "kubectl create token";

tl::unexpected<Error> Bad(std::string message) { return Fail(ErrorKind::kConfiguration, std::move(message)); }

std::string Quoted(const std::string& name) { return "\"" + name + "\""; }

template <typename Entry>
std::string Names(const std::map<std::string, Entry>& entries) {
  std::string text;
  for (const auto& [name, entry] : entries) text += (text.empty() ? "" : ", ") + Quoted(name);
  return text.empty() ? "none" : text;
}

std::string Files(const Kubeconfig& config) {
  std::string text;
  for (const std::string& file : config.files) text += (text.empty() ? "" : ", ") + file;
  return text;
}

// The entries that a context leads to.
struct Selection {
  std::string context_name;
  const KubeconfigContext* context = nullptr;
  const KubeconfigCluster* cluster = nullptr;
  const KubeconfigUser* user = nullptr;

  std::string ClusterPlace() const {
    return "kubeconfig " + cluster->file + ": cluster " + Quoted(context->cluster) + " ";
  }
  std::string UserPlace() const { return "kubeconfig " + user->file + ": user " + Quoted(context->user) + " "; }
};

Result<const KubeconfigContext*> FindContext(const Kubeconfig& config, const std::string& name, bool from_flag) {
  if (name.empty()) {
    if (config.contexts.empty()) return Bad("kubeconfig " + Files(config) + ": it has no contexts; use another file");
    return Bad("kubeconfig " + Files(config) +
               ": no current-context is set; pass --context with one of: " + Names(config.contexts));
  }
  const auto found = config.contexts.find(name);
  if (found == config.contexts.end()) {
    return Bad("kubeconfig " + Files(config) + ": there is no context " + Quoted(name) +
               (from_flag ? " as --context says" : " as current-context says") +
               "; contexts there: " + Names(config.contexts));
  }
  return &found->second;
}

std::string Missing(const std::string& kind, const std::string& name) {
  return name.empty() ? "no " + kind : "the " + kind + " " + Quoted(name) + ", which does not exist";
}

Result<Selection> Select(const Kubeconfig& config, const std::string& wanted) {
  Selection selection;
  selection.context_name = wanted.empty() ? config.current_context : wanted;
  const auto context = FindContext(config, selection.context_name, !wanted.empty());
  if (!context) return Fail(context.error());
  selection.context = *context;
  const std::string place =
      "kubeconfig " + selection.context->file + ": context " + Quoted(selection.context_name) + " names ";
  const auto cluster = config.clusters.find(selection.context->cluster);
  if (cluster == config.clusters.end()) {
    return Bad(place + Missing("cluster", selection.context->cluster) + "; clusters there: " + Names(config.clusters));
  }
  const auto user = config.users.find(selection.context->user);
  if (user == config.users.end()) {
    return Bad(place + Missing("user", selection.context->user) + "; users there: " + Names(config.users));
  }
  selection.cluster = &cluster->second;
  selection.user = &user->second;
  return selection;
}

// What is both in a file and in data, or cannot go together.
Result<void> CheckCluster(const Selection& selection) {
  const KubeconfigCluster& cluster = *selection.cluster;
  const std::string place = selection.ClusterPlace();
  if (cluster.server.empty()) return Bad(place + "has no server; add server: https://HOST:PORT");
  if (!cluster.ca_file.empty() && !cluster.ca_data.empty()) {
    return Bad(place + "has certificate-authority and certificate-authority-data; keep one of them");
  }
  if (cluster.insecure_skip_verify && (!cluster.ca_file.empty() || !cluster.ca_data.empty())) {
    return Bad(place + "has a certificate authority and insecure-skip-tls-verify; remove insecure-skip-tls-verify");
  }
  return {};
}

bool HasClientCertificate(const KubeconfigUser& user) { return !user.cert_file.empty() || !user.cert_data.empty(); }
bool HasClientKey(const KubeconfigUser& user) { return !user.key_file.empty() || !user.key_data.empty(); }
bool HasToken(const KubeconfigUser& user) { return !user.token.empty() || !user.token_file.empty(); }
bool HasBasic(const KubeconfigUser& user) { return !user.username.empty() || !user.password.empty(); }

Result<void> CheckUser(const Selection& selection) {
  const KubeconfigUser& user = *selection.user;
  const std::string place = selection.UserPlace();
  if (!user.cert_file.empty() && !user.cert_data.empty()) {
    return Bad(place + "has client-certificate and client-certificate-data; keep one of them");
  }
  if (!user.key_file.empty() && !user.key_data.empty()) {
    return Bad(place + "has client-key and client-key-data; keep one of them");
  }
  if (HasClientCertificate(user) != HasClientKey(user)) {
    return Bad(place + (HasClientKey(user) ? "has a client key without a client certificate; add client-certificate"
                                           : "has a client certificate without a client key; add client-key"));
  }
  if (HasToken(user) && HasBasic(user)) return Bad(place + "has a token and a username or password; keep one of them");
  if (user.exec && user.has_auth_provider) return Bad(place + "has exec and auth-provider; keep one of them");
  if (user.has_auth_provider) {
    return Bad(place + "has an auth-provider, a way that Kubernetes has given up" + std::string(kWorksInstead));
  }
  return {};
}

Result<void> Check(const Selection& selection) {
  if (auto cluster = CheckCluster(selection); !cluster) return cluster;
  return CheckUser(selection);
}

// `field`: with the place in front of it.
Result<PemSource> MakePemSource(const std::string& file, const std::string& data, const std::string& field) {
  if (data.empty()) return PemSource{file, ""};
  auto pem = Base64Decoded(data);
  if (!pem || pem->empty()) return Bad(field + " that is not base64; it must be the PEM text, base64-encoded");
  return PemSource{"", std::move(*pem)};
}

Result<TlsProvider> MakeTls(const Selection& selection, const Logger& log) {
  const KubeconfigCluster& cluster = *selection.cluster;
  const KubeconfigUser& user = *selection.user;
  const std::string has = selection.UserPlace() + "has a ";
  auto ca =
      MakePemSource(cluster.ca_file, cluster.ca_data, selection.ClusterPlace() + "has a certificate-authority-data");
  if (!ca) return Fail(ca.error());
  auto cert = MakePemSource(user.cert_file, user.cert_data, has + "client-certificate-data");
  if (!cert) return Fail(cert.error());
  auto key = MakePemSource(user.key_file, user.key_data, has + "client-key-data");
  if (!key) return Fail(key.error());
  TlsSources sources{std::move(*ca), std::move(*cert), std::move(*key), cluster.tls_server_name,
                     cluster.insecure_skip_verify};
  auto provider = MakeTlsFileProvider(std::move(sources), log);
  if (!provider) {
    return Bad("kubeconfig " + selection.context->file + ": context " + Quoted(selection.context_name) + ": " +
               provider.error().message);
  }
  return provider;
}

// As with kubectl, a plugin is not asked where the user has something else.
bool UsesPlugin(const KubeconfigUser& user) {
  return user.exec && !HasToken(user) && !HasBasic(user) && !HasClientCertificate(user);
}

// Also has the plugin's certificate used.
Result<std::unique_ptr<Credentials>> MakePluginCredentials(const Selection& selection, const AccessOptions& options,
                                                           const Clock& clock, ClusterAccess& access) {
  const auto settings = access.tls();
  auto command = MakeExecCommand(*selection.user->exec, *selection.cluster, settings ? settings->ca_pem : "",
                                 options.plugin_environment);
  if (!command) return Bad(command.error().message);
  // Shared by the credentials and the TLS settings, which come from one answer.
  auto plugin = std::make_shared<ExecPlugin>(std::move(*command), *selection.user->exec, clock, options.log);
  access.tls = [base = std::move(access.tls), plugin]() -> Result<TlsSettings> {
    auto with_certificate = base();
    auto credential = plugin->Get();
    if (!with_certificate || !credential) return with_certificate ? Fail(credential.error()) : with_certificate;
    with_certificate->client_cert_pem = credential->cert_pem;
    with_certificate->client_key_pem = credential->key_pem;
    return with_certificate;
  };
  return MakeExecCredentials(std::move(plugin));
}

Result<std::unique_ptr<Credentials>> MakeUserCredentials(const Selection& selection, const AccessOptions& options,
                                                         const Clock& clock, ClusterAccess& access) {
  const KubeconfigUser& user = *selection.user;
  if (!user.token_file.empty()) {
    auto credentials = MakeTokenFileCredentials(user.token_file, clock, options.log);
    if (credentials || user.token.empty()) return credentials;
    access.warnings.push_back(selection.UserPlace() + "has a tokenFile that is of no use, its token is used instead: " +
                              credentials.error().message);
  }
  if (!user.token.empty()) return MakeTokenCredentials(user.token);
  if (HasBasic(user)) return MakeBasicCredentials(user.username, user.password);
  if (UsesPlugin(user)) return MakePluginCredentials(selection, options, clock, access);
  return MakeAnonymousCredentials();
}

Result<void> AddImpersonation(const Selection& selection, ClusterAccess& access) {
  auto headers = ImpersonationHeaders(selection.user->impersonation);
  if (!headers) return Bad(selection.UserPlace() + headers.error().message);
  if (headers->empty()) return {};
  access.credentials = MakeImpersonatingCredentials(std::move(access.credentials), std::move(*headers));
  access.description += ", acting as " + Quoted(selection.user->impersonation.user);
  return {};
}

// The kubeconfig's own proxy goes before the environment's.
Result<std::optional<Proxy>> FindProxy(const Selection& selection, const AccessOptions& options,
                                       const ServerUrl& server) {
  const KubeconfigCluster& cluster = *selection.cluster;
  if (cluster.proxy_url.empty()) return ProxyFromEnvironment(options.environment, server);
  auto proxy = ParseProxyUrl(cluster.proxy_url);
  if (!proxy) return Bad(selection.ClusterPlace() + "has a proxy-url that cannot be used: " + proxy.error().message);
  return std::move(*proxy);
}

// A password or token must not go over a connection that anybody can read.
void SendNothing(const Selection& selection, ClusterAccess& access) {
  access.tls = [] { return TlsSettings{}; };
  access.credentials = MakeAnonymousCredentials();
  const KubeconfigUser& user = *selection.user;
  if (HasToken(user) || HasBasic(user) || HasClientCertificate(user)) {
    access.warnings.push_back("the credentials of user " + Quoted(selection.context->user) + " are not sent, since " +
                              access.server + " is not https");
  }
}

}  // namespace

Result<ClusterAccess> AccessFromKubeconfig(const Kubeconfig& config, const AccessOptions& options, const Clock& clock) {
  const auto selection = Select(config, options.context);
  if (!selection) return Fail(selection.error());
  if (auto checked = Check(*selection); !checked) return Fail(checked.error());
  const auto server = ParseServerUrl(options.apiserver.empty() ? selection->cluster->server : options.apiserver);
  if (!server) {
    return Bad((options.apiserver.empty() ? selection->ClusterPlace() + "has a bad server: " : "--apiserver: ") +
               server.error().message);
  }
  ClusterAccess access;
  access.server = server->ToString();
  access.default_namespace =
      selection->context->namespace_name.empty() ? "default" : selection->context->namespace_name;
  access.description = "API server " + access.server + " by context " + Quoted(selection->context_name) +
                       " of kubeconfig " + Files(config);
  auto proxy = FindProxy(*selection, options, *server);
  if (!proxy) return Fail(proxy.error());
  access.proxy = std::move(*proxy);
  if (access.proxy) access.description += " through the proxy " + access.proxy->ToString();
  if (!server->tls) {
    SendNothing(*selection, access);
    return access;
  }
  auto tls = MakeTls(*selection, options.log);
  if (!tls) return Fail(tls.error());
  access.tls = std::move(*tls);
  auto credentials = MakeUserCredentials(*selection, options, clock, access);
  if (!credentials) return Bad(selection->UserPlace() + "cannot be used: " + credentials.error().message);
  access.credentials = std::move(*credentials);
  if (auto impersonating = AddImpersonation(*selection, access); !impersonating) return Fail(impersonating.error());
  if (selection->cluster->insecure_skip_verify) {
    access.warnings.push_back(selection->ClusterPlace() +
                              "has insecure-skip-tls-verify: anybody on the way to the "
                              "server can read the token and forge Events");
  }
  return access;
}

}  // namespace kube_events
