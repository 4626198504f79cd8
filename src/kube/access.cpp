#include "kube_events/kube/access.h"

#include <cstdlib>
#include <utility>

#include "kube/kubeconfig.h"
#include "kube/kubeconfig_access.h"
#include "kube_events/base/files.h"
#include "kube_events/base/text.h"
#include "kube_events/kube/tls_files.h"
#include "kube_events/net/server_url.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> Bad(std::string message) { return Fail(ErrorKind::kConfiguration, std::move(message)); }

std::optional<std::string> FromProcess(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::string Environment(const AccessOptions& options, const std::string& name) {
  return options.environment(name).value_or("");
}

// Where the pod's environment says that the API server is; empty host: not in a cluster.
struct ServiceAddress {
  std::string host;
  std::string port;
};

ServiceAddress FindService(const AccessOptions& options) {
  ServiceAddress service{Environment(options, "KUBERNETES_SERVICE_HOST"),
                         Environment(options, "KUBERNETES_SERVICE_PORT")};
  if (service.host.empty() || service.port.empty()) return {};
  // Every API server's certificate is valid for this name, not always for an IPv6 address.
  if (service.host.find(':') != std::string::npos) service.host = "kubernetes.default.svc";
  return service;
}

std::string PodNamespace(const AccessOptions& options) {
  std::string from_environment = Environment(options, "POD_NAMESPACE");
  if (!from_environment.empty()) return from_environment;
  const auto text = ReadSmallFile(options.service_account_dir / "namespace");
  const std::string name = text ? std::string(Trimmed(*text)) : "";
  return name.empty() ? "default" : name;
}

Result<TlsProvider> MakeServiceAccountTls(const AccessOptions& options, ClusterAccess& access) {
  TlsSources sources;
  const fs::path ca = options.service_account_dir / "ca.crt";
  if (const auto readable = ReadSmallFile(ca); readable) {
    sources.ca.file = ca.string();
  } else {
    access.warnings.push_back("the system's certificates are trusted instead of the cluster's: " +
                              readable.error().message);
  }
  return MakeTlsFileProvider(std::move(sources), options.log);
}

Result<ClusterAccess> AccessInCluster(const ServiceAddress& service, const AccessOptions& options, const Clock& clock) {
  const auto server =
      ParseServerUrl(options.apiserver.empty() ? "https://" + service.host + ":" + service.port : options.apiserver);
  if (!server) {
    return Bad((options.apiserver.empty() ? "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " : "--apiserver: ") +
               server.error().message);
  }
  ClusterAccess access;
  access.server = server->ToString();
  access.default_namespace = PodNamespace(options);
  access.description = "API server " + access.server + " as the pod's service account";
  auto credentials = MakeTokenFileCredentials(options.service_account_dir / "token", clock, options.log);
  if (!credentials) {
    return Bad("this pod has no usable service account token: " + credentials.error().message +
               "; set serviceAccountName and do not set automountServiceAccountToken: false, or pass --kubeconfig");
  }
  auto tls = MakeServiceAccountTls(options, access);
  if (!tls) return Bad("the pod's service account: " + tls.error().message);
  access.tls = std::move(*tls);
  access.credentials = std::move(*credentials);
  return access;
}

Result<ClusterAccess> AccessByAddress(const AccessOptions& options) {
  const auto server = ParseServerUrl(options.apiserver);
  if (!server) return Bad("--apiserver: " + server.error().message);
  ClusterAccess access;
  access.server = server->ToString();
  access.default_namespace = "default";
  access.description = "API server " + access.server + " from --apiserver, without credentials";
  access.tls = [] { return TlsSettings{}; };
  access.credentials = MakeAnonymousCredentials();
  auto proxy = ProxyFromEnvironment(options.environment, *server);
  if (!proxy) return Fail(proxy.error());
  access.proxy = std::move(*proxy);
  if (access.proxy) access.description += ", through the proxy " + access.proxy->ToString();
  return access;
}

// With --apiserver a pod's service account is used only where it fits: a token, and a connection to send it over.
bool UseServiceAccount(const AccessOptions& options) {
  if (options.apiserver.empty()) return true;
  std::error_code ignored;
  const auto server = ParseServerUrl(options.apiserver);
  return server && server->tls && fs::is_regular_file(options.service_account_dir / "token", ignored);
}

}  // namespace

Result<ClusterAccess> ResolveAccess(AccessOptions options, const Clock& clock) {
  if (!options.environment) options.environment = FromProcess;
  std::vector<fs::path> files = SplitKubeconfigList(Environment(options, "KUBECONFIG"));
  // A path given as a flag stands alone, and may contain a colon.
  if (!options.kubeconfig.empty()) files = {options.kubeconfig};
  if (!files.empty()) {
    const auto config = LoadKubeconfig(files);
    if (!config) return Fail(config.error());
    return AccessFromKubeconfig(*config, options, clock);
  }
  if (!options.context.empty()) {
    return Bad("--context is given, but neither --kubeconfig nor KUBECONFIG; name the file that has the context");
  }
  const ServiceAddress service = FindService(options);
  if (!service.host.empty() && UseServiceAccount(options)) return AccessInCluster(service, options, clock);
  if (!options.apiserver.empty()) return AccessByAddress(options);
  return Bad(
      "no cluster found; name a kubeconfig file with --kubeconfig or KUBECONFIG, or run in a pod with a service "
      "account (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set here), or give the address of an "
      "API server with --apiserver");
}

}  // namespace kube_events
