// Runs a history through an OccurrenceCounter and compares what it counts with the truth, after every step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "counting/history.h"
#include "counting/world.h"
#include "kube_events/counting/occurrence_counter.h"

namespace kube_events::testing {

struct Tally {
  std::int64_t value = 0;
  std::int64_t counted = 0;      // uncertain, part of value
  std::int64_t not_counted = 0;  // uncertain, beside value
};

class HistoryRunner final : private OccurrenceSink {
 public:
  explicit HistoryRunner(const History& history);

  // What went wrong, or nothing. Call once.
  std::optional<std::string> Run();
  // Sum over all names.
  Tally Total() const;

 private:
  void OnOccurrences(const Change& change, const Occurrences& occurrences) override;

  void Do(const Step& step);
  void Advance(Step step);
  void List(std::int64_t items_before_failure);
  void ListAgain(ListReason reason, std::size_t items);
  void Restore(const Step& step);
  void Gap();
  void Deliver(std::size_t events);
  void Replay(std::int64_t choice);
  void Send(ChangeKind kind, const std::string& name, const Object& object);
  void StartCounter();
  void Show(ChangeKind kind, const std::string& name, const Object& object);
  void Save(bool expires);
  void Stop(std::int64_t choice);
  void Crash();
  void Start();
  bool Watches() const { return baseline_done_ && !gap_ && !down_; }
  std::optional<std::string> Check() const;

  const History& history_;
  World world_;
  std::optional<OccurrenceCounter> counter_;
  std::map<std::string, Tally> tallies_;
  std::set<std::string> delivered_;  // names of the live objects that the observer was shown
  std::vector<WatchEvent> sent_;     // all their states, in order
  std::uint64_t position_ = 0;       // up to which everything was delivered
  std::uint64_t seen_ = 0;           // the newest version seen, also of a list that broke off
  bool baseline_done_ = false;
  bool gap_ = false;   // only a list shows what has happened
  bool down_ = false;  // between two processes
  // What was saved last, and what it led to until then.
  std::optional<SavedCounts> saved_;
  std::map<std::string, Tally> saved_tallies_;
  bool saved_gap_ = false;
  bool expires_ = false;  // the position that was saved becomes too old before it is used
  std::vector<WatchEvent> since_saved_;
  std::string negative_;
};

}  // namespace kube_events::testing
