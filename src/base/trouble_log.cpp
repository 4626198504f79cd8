#include "kube_events/base/trouble_log.h"

#include <algorithm>

namespace kube_events {

TroubleLog::Entry* TroubleLog::Find(const std::string& trouble, bool& due) {
  const MonotonicTime now = clock_.Monotonic();
  auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.text == trouble; });
  due = found == entries_.end() || now - found->logged >= kRepeatAfter;
  if (found != entries_.end()) return &*found;
  if (entries_.size() < kMaxTexts) return &entries_.emplace_back(Entry{trouble, now});
  found = std::min_element(entries_.begin(), entries_.end(),
                           [](const Entry& a, const Entry& b) { return a.logged < b.logged; });
  due = now - found->logged >= kRepeatAfter;
  if (!due) return nullptr;
  *found = Entry{trouble, now};
  return &*found;
}

void TroubleLog::Note(const std::string& trouble, Logger::Fields fields) {
  ++count_;
  bool due = false;
  Entry* const entry = Find(trouble, due);
  if (entry == nullptr || !due) {
    if (entry != nullptr) ++entry->unlogged;
    return log_.Debug(trouble, {{"failures", count_}});
  }
  const std::uint64_t before = std::exchange(entry->unlogged, 0);
  entry->logged = clock_.Monotonic();
  shown_ = true;
  log_.Warn(before == 0 ? trouble : trouble + " (and " + std::to_string(before) + " times before)", fields);
}

void TroubleLog::Over(std::string_view message, const LogField& subject) {
  if (std::exchange(shown_, false)) log_.Info(message, {subject, {"failures", count_}});
  count_ = 0;
}

}  // namespace kube_events
