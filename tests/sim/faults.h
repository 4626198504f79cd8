// What goes wrong on purpose: a table of faults, each for the requests that it matches, and so often as it says.
// FaultTable: owned by the server, used on its thread. Faults are plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube_events/base/result.h"

namespace kube_events::sim {

enum class FaultAction {
  kDelay,     // only the delay
  kStatus,    // answer with `status` instead of doing anything
  kReset,     // TCP reset
  kClose,     // the connection ends without the rest of the response
  kTruncate,  // watch: half of the next frame, then the connection ends; else as kClose
  kSilence,   // nothing more is sent, the connection stays open
  kEnd,       // watch: a clean end, as at timeoutSeconds
  kError,     // watch: an ERROR frame with `status`, then a clean end
  kFrame,     // watch: `text` is sent as a frame of its own, then it goes on
  kBody,      // answer 200 with `text` as the body
};

// JSON names: the words below in lower case without the k.
struct Fault {
  // Which requests: an empty text matches every one.
  std::string verb = {};            // "list", "watch", "get", "create", "update", "patch", "delete"
  std::string group = {};           // "" matches every group; "core" is that of the API v1
  std::string resource = {};        // "events", "configmaps", "leases", …
  std::string namespace_name = {};  // JSON: "namespace"
  std::int64_t skip = 0;            // so many are spared first
  std::int64_t times = 1;           // then so many are hit; -1: all

  FaultAction action = FaultAction::kDelay;
  std::int64_t delay_ms = 0;     // before the response starts, with every action
  std::size_t after_frames = 0;  // watch: frames sent before it happens
  std::size_t after_bytes = 0;   // other requests: bytes of the response (head included) sent before it happens
  int status = 500;              // kStatus, kError: HTTP status or code of the Status
  std::string reason = {};       // of the Status; empty: the usual one for the code
  std::string message = {};      // of the Status; empty: the usual one
  int retry_after_seconds = 0;   // kStatus: Retry-After header and details.retryAfterSeconds
  std::string text = {};         // kFrame, kBody: sent as it is; kStatus: the body instead of a Status
};

// Reads one fault; fails with kInvalid naming the member that is wrong.
Result<Fault> ParseFault(const nlohmann::json& json);
nlohmann::json ToJson(const Fault& fault);

// What a request is about; `group`: "" for core.
struct FaultTarget {
  std::string_view verb;
  std::string_view group;
  std::string_view resource;
  std::string_view namespace_name;
};

class FaultTable {
 public:
  void Add(Fault fault) {
    hits_added_ += fault.times > 0 ? static_cast<std::uint64_t>(fault.times) : 1;
    faults_.push_back(std::move(fault));
  }
  void Clear() { faults_.clear(); }
  // The first fault that hits this request, its `times` used up by one.
  std::optional<Fault> Take(const FaultTarget& target);
  const std::list<Fault>& faults() const { return faults_; }
  // How often the faults added since the start were to hit; once for those that hit for ever.
  std::uint64_t hits_added() const { return hits_added_; }

 private:
  std::list<Fault> faults_;
  std::uint64_t hits_added_ = 0;
};

}  // namespace kube_events::sim
