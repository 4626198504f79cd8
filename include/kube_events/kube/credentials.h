// The Authorization header of API requests, read again as tokens rotate.
// Owned by the composition root; methods may be called from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube_events/base/result.h"
#include "kube_events/net/http_client.h"

namespace kube_events {

class Credentials {
 public:
  virtual ~Credentials() = default;
  // The headers that authenticate the next request; none for anonymous access or a client certificate. A token file
  // is read again when the last read is older than 60 s; where that fails the last good token is kept. Fails where
  // there never was one. Reads a small file, otherwise does not block.
  virtual Result<std::vector<HttpHeader>> Headers() = 0;
  // The server said 401: the next Headers() reads again (at most once per second).
  virtual void Refresh() = 0;
};

}  // namespace kube_events
