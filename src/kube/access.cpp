#include "kube_events/kube/access.h"

#include <utility>

#include "kube_events/net/server_url.h"

namespace kube_events {
Result<ClusterAccess> ResolveAccess(const AccessOptions& options, const Clock&) {
  auto url = ParseServerUrl(options.apiserver);
  if (!url) return Fail(ErrorKind::kConfiguration, "--apiserver: " + url.error().message);
  ClusterAccess access;
  access.server = url->ToString();
  access.credentials = MakeAnonymousCredentials();
  access.default_namespace = "default";
  access.tls = [] { return TlsSettings{}; };
  access.description = "API server " + access.server + " from --apiserver, without credentials";
  return access;
}
}  // namespace kube_events
