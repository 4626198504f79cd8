// What the ReloadController is told and what it wants done. Values, any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kube_events {

// What is on disk, as a scan saw it.
struct SeenConfig {
  std::uint64_t content = 0;  // hash of names and contents
  std::uint64_t stamp = 0;    // hash of what changes with every write, also where the content stays the same
  std::string refusal = {};   // not empty: why it is not even tried, for example that the file is empty

  friend bool operator==(const SeenConfig&, const SeenConfig&) = default;
};

// How often the child has reloaded, by its HTTP server where it answers, and by the lines of its log.
struct ReloadCount {
  std::optional<std::uint64_t> http = {};
  std::uint64_t log_lines = 0;
  bool http_before = true;   // the HTTP server was on when the child was last known to have (re)loaded
  bool http_wanted = true;   // the configuration on disk has it on
  bool log_visible = false;  // a reload would show in the log
};

// What shows that a reload happened, strongest first.
enum class ReloadProof { kCount, kLogLine, kSettled };
std::string_view ToString(ReloadProof proof);

enum class TriggerAnswer {
  kAccepted,     // the child was told; whether it listened shows in the count
  kBusy,         // another reload is in progress
  kDisabled,     // the child does not reload at all
  kUnreachable,  // nobody could be told
};

namespace reload_input {
struct ChildReady {};         // its start is over: from now on it can be triggered
struct Seen : SeenConfig {};  // a scan: after a change was noticed, or asked for by ScanConfig
struct Forced {};             // reload even if nothing changed
struct Checked {              // answer to CheckConfig
  enum class Verdict { kGood, kBad, kUnknown } verdict = Verdict::kGood;
  std::string words = {};  // of the child, or why there is no verdict
};
struct Counted : ReloadCount {};  // answer to ReadCount
struct Triggered {                // answer to Trigger
  TriggerAnswer answer = TriggerAnswer::kAccepted;
  std::string words = {};
};
struct Tick {};  // NextWake() is reached
}  // namespace reload_input
using ReloadInput =
    std::variant<reload_input::ChildReady, reload_input::Seen, reload_input::Forced, reload_input::Checked,
                 reload_input::Counted, reload_input::Triggered, reload_input::Tick>;

enum class ReloadResult { kApplied, kRejected, kFailed, kTimeout };
std::string_view ToString(ReloadResult result);

namespace reload_effect {
struct ScanConfig {};           // read the configuration now and answer with Seen
struct CheckConfig {};          // have the child's binary check it: --dry-run
struct ReadCount {              // ask how often the child has reloaded
  bool before_trigger = false;  // what is to come is compared with it
};
struct Trigger {};   // tell the child to reload
struct EndChild {};  // it does not come back: end it, and with it the watcher
struct Finished {    // a reload came to an end
  ReloadResult result = ReloadResult::kApplied;
  std::uint64_t content = 0;
  std::string words = {};                   // why not
  ReloadProof proof = ReloadProof::kCount;  // of kApplied
  std::chrono::milliseconds took{0};        // of kApplied: since the first trigger
  bool certain = true;                      // of kApplied: no file was touched meanwhile
};
struct Swallowed {};  // a trigger had no effect; another one was sent
struct Busy {};       // the child is busy with a reload that was not ours to wait for
}  // namespace reload_effect
using ReloadEffect = std::variant<reload_effect::ScanConfig, reload_effect::CheckConfig, reload_effect::ReadCount,
                                  reload_effect::Trigger, reload_effect::EndChild, reload_effect::Finished,
                                  reload_effect::Swallowed, reload_effect::Busy>;
using ReloadEffects = std::vector<ReloadEffect>;

}  // namespace kube_events
