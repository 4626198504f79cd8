// A request as the API server understands it, and the reply that goes back; what HTTP library is below does not show.
// Plain values, server thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/faults.h"
#include "sim/status.h"
#include "sim/stream_source.h"

namespace kube_events::sim {

struct Request {
  std::string method;                                      // "GET"
  std::string target;                                      // as sent
  std::string path;                                        // percent-decoded
  std::vector<std::pair<std::string, std::string>> query;  // decoded
  std::string content_type;
  std::string authorization;
  std::string user_agent;
  std::string accept_encoding;
  std::string client_name;  // common name of a verified client certificate
  std::string body;

  // The first value of a parameter; empty where there is none.
  std::string_view Query(std::string_view name) const;
  bool QueryHas(std::string_view name) const;
  // As Kubernetes reads booleans: whatever is neither "false" nor "0" is true, also the empty value.
  bool QueryIsTrue(std::string_view name) const;
  // A number of 0 or more; nothing where the parameter is absent, empty or no number.
  std::optional<std::uint64_t> QueryNumber(std::string_view name) const;
};

// Cuts a request target ("/api/v1/events?limit=500") into `path` and `query`.
void ParseTarget(Request& request);

struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::unique_ptr<StreamSource> stream;          // sent in chunks instead of the body
  std::optional<std::chrono::seconds> deadline;  // after which the stream ends
  std::optional<Fault> fault;                    // how the delivery is disturbed
};

Reply JsonReply(std::string body, int status = 200);
Reply TextReply(std::string body, int status = 200);
Reply StatusReply(const Status& status);

// The parts between separators, without the empty ones; they point into `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);

}  // namespace kube_events::sim
