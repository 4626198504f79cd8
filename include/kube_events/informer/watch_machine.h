// The protocol logic of one list+watch as a pure state machine: inputs in, effects out; no sockets, threads or clocks.
//
//   kIdle ─► kListing ─────────────► kOpening ─► kWatching ─► kProbing …         (rotation)
//               ▲        kProbing ─►     │           │
//               │            ▲ │         │           │
//               └─ kPausing ─┘ ◄─────────┴───────────┘   410 and its relatives lead to a list, the rest to a watch
//
// A watch from a version that the server has not reached is granted and stays silent for ever: what a client sees
// after etcd was restored from a backup. So a watch that does not follow a list is preceded by a probe, a list with
// limit=1, whose version must not be below ours.
//
// Owned and driven by a ScopeSession on the informer thread. The rules and their sources are in docs/architecture.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube_events/base/backoff.h"
#include "kube_events/base/clock.h"
#include "kube_events/base/error.h"
#include "kube_events/informer/change_consumer.h"

namespace kube_events {

enum class WatchPhase { kIdle, kListing, kProbing, kOpening, kWatching, kPausing };

// What happens to the machine.
struct Started {};
// A list page, or the answer to a probe, arrived whole; its items are not delivered yet.
struct PageReceived {
  std::string resource_version;
  std::string continue_token;
};
// The items of that page were handed over.
struct PageDelivered {};
// The API server answered a watch request with 200.
struct WatchOpened {};
// The request under way ended: a list that failed, or a watch; without an error it was a clean end of stream.
struct RequestEnded {
  std::optional<Error> error;
};
// The time set by the last StartTimer has come.
struct TimerFired {};
using WatchInput = std::variant<Started, PageReceived, PageDelivered, WatchOpened, RequestEnded, TimerFired>;

// What the machine wants done, in this order.
struct BeginList {
  ListReason reason;
};
struct RequestPage {
  std::string continue_token;  // empty: the first page
};
struct ProbeVersion {};  // list with limit=1; answered by PageReceived or RequestEnded
struct DeliverItems {};  // of the page just received; answered by PageDelivered or, where that fails, RequestEnded
struct CommitList {
  std::string version;   // of the list
  bool resumed = false;  // the watch goes on from the saved position, not from there
};
struct OpenWatch {
  std::string resource_version;
};
struct CancelRequest {
  std::optional<Error> error;  // none: a rotation, nothing went wrong
};
struct StartTimer {  // replaces the one before
  std::chrono::milliseconds delay;
};
struct RefreshCredentials {};
struct ReportRelist {
  std::string_view reason;  // label of relists_total
};
struct ReportGap {  // something may have been created and deleted unseen for this long
  std::chrono::milliseconds length;
};
using WatchEffect = std::variant<BeginList, RequestPage, ProbeVersion, DeliverItems, CommitList, OpenWatch,
                                 CancelRequest, StartTimer, RefreshCredentials, ReportRelist, ReportGap>;
using WatchEffects = std::vector<WatchEffect>;

struct WatchMachineOptions {
  std::chrono::milliseconds watch_interval{300'000};  // a watch is recreated after 90 to 100 % of this
  std::chrono::milliseconds list_page_deadline{90'000};
  // Longer than the HTTP client's own limit, whose message is more precise.
  std::chrono::milliseconds open_deadline{35'000};  // from a watch request to its 200, and for a probe
  std::chrono::milliseconds min_spacing{1'000};     // between two requests of the same kind, when all is well
  std::chrono::milliseconds proven_after{60'000};   // an open watch of this age proves that the server is well
  std::uint64_t seed = 0;
  // A saved position to go on from, and how long ago it was observed; empty: start cold.
  std::string resume_from = {};
  std::chrono::milliseconds downtime{0};
};

class WatchMachine {
 public:
  explicit WatchMachine(WatchMachineOptions options);

  // Takes one input and returns what to do about it. Inputs that a state does not expect change nothing.
  WatchEffects Handle(const WatchInput& input, MonotonicTime now);

  // A change or bookmark was handed over; the next watch starts behind it. Hot path, no effects.
  void Advance(std::string_view resource_version) {
    position_.assign(resource_version);
    ++frames_;
  }

  WatchPhase phase() const { return phase_; }
  // Empty until there is one.
  const std::string& position() const { return position_; }
  // A list was committed, so what the consumer knows is complete up to position().
  bool synced() const { return synced_; }
  // Watches are not only granted but last, or bring something; false after two in a row that did neither.
  bool watches_last() const { return short_lived_watches_ < 2; }

 private:
  enum class Next { kList, kWatch };

  WatchEffects InIdle(const WatchInput& input, MonotonicTime now);
  WatchEffects InListing(const WatchInput& input, MonotonicTime now);
  WatchEffects InProbing(const WatchInput& input, MonotonicTime now);
  WatchEffects InOpening(const WatchInput& input, MonotonicTime now);
  WatchEffects InWatching(const WatchInput& input, MonotonicTime now);
  WatchEffects InPausing(const WatchInput& input, MonotonicTime now);

  WatchEffects List(MonotonicTime now);
  WatchEffects TakePage(const PageReceived& page);
  WatchEffects NextPage(MonotonicTime now);
  WatchEffects ListFailed(const Error& error, MonotonicTime now);
  WatchEffects Probe();
  WatchEffects Watch(MonotonicTime now);
  WatchEffects GiveUpOpening(MonotonicTime now);
  WatchEffects WatchEnded(const std::optional<Error>& error, MonotonicTime now);
  WatchEffects WatchFailed(const Error& error, bool was_well, MonotonicTime now);
  WatchEffects ProbeFailed(const Error& error);
  WatchEffects Reauthenticate(Next next);
  WatchEffects RelistAfter(std::chrono::milliseconds pause, std::string_view reason);
  WatchEffects Pause(Next next, std::chrono::milliseconds pause, WatchEffects effects = {});
  ListReason ReasonFor(const std::string& list_version) const;
  std::chrono::milliseconds Spacing(MonotonicTime last, MonotonicTime now) const;
  std::chrono::milliseconds RotationDelay();

  WatchMachineOptions options_;
  Backoff backoff_;
  std::mt19937_64 random_;

  WatchPhase phase_ = WatchPhase::kIdle;
  Next next_ = Next::kList;  // what kPausing leads to
  std::string position_;     // empty: nothing known
  bool synced_ = false;
  bool resuming_ = false;  // position_ was saved by a process before this one, and no list has been committed since

  ListReason list_reason_ = ListReason::kFirst;  // of the list under way
  std::string list_version_;                     // of the list under way; empty before its first page
  std::string continue_token_;                   // to the page behind the one received last
  MonotonicTime listed_at_{};                    // start of the last list
  MonotonicTime watching_since_{};               // when the last watch was answered with 200
  MonotonicTime opened_at_{};                    // start of the last watch request
  MonotonicTime continuous_until_{};             // until when every change is known to have been seen
  bool restored_ = false;                        // a probe was below our position
  bool gap_pending_ = false;                     // the list under way closes a gap in observation
  std::uint64_t frames_ = 0;                     // handed over since the last watch was opened
  int short_lived_watches_ = 0;                  // in a row: granted, and over within a second without a frame
  int suspicious_failures_ = 0;                  // in a row, that could be the fault of our position
  bool token_expired_ = false;                   // a continue token of this list has expired before
  bool refreshed_credentials_ = false;           // since the last success
};

}  // namespace kube_events
