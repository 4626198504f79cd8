// Short spellings for the tests of the HTTP client. Any thread.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kube_events/net/cpprest_client.h"

namespace kube_events {

inline std::unique_ptr<HttpClient> ClientOf(const std::string& url, TlsProvider tls = {}) {
  auto client = MakeCpprestClient(url, std::move(tls));
  if (!client) throw std::invalid_argument(client.error().message);
  return std::move(*client);
}

inline HttpRequest Get(std::string target = "/") {
  HttpRequest request;
  request.target = std::move(target);
  return request;
}

inline HttpRequest Watch(std::string target = "/") {
  HttpRequest request = Get(std::move(target));
  request.own_connection = true;
  return request;
}

// "connect: <message>", for comparing reason and text in one go; "ok" for success.
inline std::string Told(const Result<void>& result) {
  return result ? "ok" : result.error().reason + ": " + result.error().message;
}

}  // namespace kube_events
