// The headers that ask the API server to treat us as somebody else. Pure, any thread.
#pragma once

#include <vector>

#include "kube/kubeconfig.h"
#include "kube_events/base/result.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

// Impersonate-User, -Uid, -Group and -Extra-KEY, in the form of Kubernetes' documentation on user impersonation. Fails
// with kConfiguration where the entry makes no sense or needs a header twice, which the HTTP library cannot send; the
// message goes behind the name of a kubeconfig's user.
Result<std::vector<HttpHeader>> ImpersonationHeaders(const KubeconfigImpersonation& impersonation);

}  // namespace kube_events
