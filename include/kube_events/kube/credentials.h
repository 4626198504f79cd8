// The Authorization header of requests, read again as tokens and passwords rotate.
// Owned by the composition root; methods may be called from any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/logging.h"
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

// No header at all: anonymous, or authenticated by the client certificate.
std::unique_ptr<Credentials> MakeAnonymousCredentials();

// "Authorization: Bearer <token>". Fails with kConfiguration on a token that is empty or holds a control character.
Result<std::unique_ptr<Credentials>> MakeTokenCredentials(std::string_view token);

// "Authorization: Basic ...", for proxies in front of an API server; fails on control characters.
Result<std::unique_ptr<Credentials>> MakeBasicCredentials(const std::string& user, const std::string& password);

// The token in a file, trimmed. Reads it now and fails with kConfiguration where that yields no token, later as
// Headers() says; a later failure is logged. `clock` must outlive it.
Result<std::unique_ptr<Credentials>> MakeTokenFileCredentials(std::filesystem::path path, const Clock& clock,
                                                              Logger log);

// The same with "Authorization: Basic ..." and the password in a file, trimmed. Fails with kConfiguration also on a
// user with a colon or a control character.
Result<std::unique_ptr<Credentials>> MakePasswordFileCredentials(std::string user, std::filesystem::path path,
                                                                 const Clock& clock, Logger log);

// The headers of `inner`, and those that ask to act as somebody else (Kubernetes' user impersonation). Names and values
// must be what HTTP allows in a header.
std::unique_ptr<Credentials> MakeImpersonatingCredentials(std::unique_ptr<Credentials> inner,
                                                          std::vector<HttpHeader> impersonation);

}  // namespace kube_events
