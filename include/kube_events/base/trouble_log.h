// Logs trouble once and then only counts it, so that neither a long outage nor a stream of nonsense fills the log.
// Owned and used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/logging.h"

namespace kube_events {

class TroubleLog {
 public:
  // The same text comes at most once in this time.
  static constexpr std::chrono::minutes kRepeatAfter{10};
  // So many texts are told apart. More than that are not logged before the oldest could come again.
  static constexpr std::size_t kMaxTexts = 16;

  // `clock` must outlive the log.
  TroubleLog(Logger log, const Clock& clock) : log_(std::move(log)), clock_(clock) {}

  // Logs `trouble` as a warning, with how often it came unlogged before; at debug level where it was logged just now.
  void Note(const std::string& trouble, Logger::Fields fields);

  // All is well: logs `message` about `subject`, with the number of failures, if trouble was logged since the last
  // time.
  void Over(std::string_view message, const LogField& subject);

 private:
  struct Entry {
    std::string text;
    MonotonicTime logged;
    std::uint64_t unlogged = 0;  // how often it came since then
  };

  // Where to count `trouble`, and whether to log it; null where there is no room.
  Entry* Find(const std::string& trouble, bool& due);

  Logger log_;
  const Clock& clock_;
  std::vector<Entry> entries_;
  bool shown_ = false;
  std::uint64_t count_ = 0;
};

}  // namespace kube_events
