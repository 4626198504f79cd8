// What all requests to the API server have in common. Private to the kube library; any thread.
#pragma once

#include <string>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/kube/credentials.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

// The path under which objects of version v1 are listed and created. `group`: empty for the core group;
// `namespace_name`: empty for all namespaces. Nothing in them is percent-encoded yet.
std::string CollectionPath(std::string_view group, std::string_view namespace_name, std::string_view resource);

// A GET of `target`, authenticated. Fails where the credentials cannot be read, which is the only thing it may wait
// for.
Result<HttpRequest> MakeApiRequest(std::string target, Credentials& credentials);

}  // namespace kube_events
