// From a merged kubeconfig and a choice of context to ClusterAccess.
#pragma once

#include "kube/kubeconfig.h"
#include "kube_events/kube/access.h"

namespace kube_events {

// Follows the context named by `options`, else the current one, and checks what it names. Fails as ResolveAccess.
Result<ClusterAccess> AccessFromKubeconfig(const Kubeconfig& config, const AccessOptions& options, const Clock& clock);

}  // namespace kube_events
