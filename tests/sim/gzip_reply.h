// Compression of large answers. Pure function, any thread.
#pragma once

#include "sim/api_request.h"

namespace kube_events::sim {

// Compresses the body as kube-apiserver does: above 128 KiB, at level 1, where gzip is a token of Accept-Encoding by
// itself (`gzip;q=1` is not understood). Streams are left alone.
void CompressReply(const Request& request, Reply& reply);

}  // namespace kube_events::sim
