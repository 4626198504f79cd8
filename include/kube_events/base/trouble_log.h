// Logs trouble once and then only counts it, so that a long outage does not fill the log.
// Owned and used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "kube_events/base/logging.h"

namespace kube_events {

class TroubleLog {
 public:
  explicit TroubleLog(Logger log) : log_(std::move(log)) {}

  // The same text as last time is logged at debug level.
  void Note(const std::string& trouble, Logger::Fields fields) {
    ++count_;
    if (std::exchange(last_, trouble) == trouble) {
      log_.Debug(trouble, {{"failures", count_}});
    } else {
      log_.Warn(trouble, fields);
    }
  }

  // All is well: logs `message` about `subject` if there was trouble.
  void Over(std::string_view message, const LogField& subject) {
    if (count_ > 0) log_.Info(message, {subject, {"failures", count_}});
    count_ = 0;
    last_.clear();
  }

 private:
  Logger log_;
  std::string last_;
  std::uint64_t count_ = 0;
};

}  // namespace kube_events
