// What all requests to the API server have in common. Private to the kube library; any thread.
#pragma once

#include <string>

#include "kube_events/base/result.h"
#include "kube_events/kube/credentials.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

// A GET of `target`, authenticated. Fails where the credentials cannot be read, which is the only thing it may wait
// for.
Result<HttpRequest> MakeApiRequest(std::string target, Credentials& credentials);

}  // namespace kube_events
