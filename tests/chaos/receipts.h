// What arrived at one receiver of --forward, over several processes of the exporter, held against what has to arrive.
// Plain values without threads or I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kube_events/base/clock.h"
#include "sim/sim_server.h"

namespace kube_events::chaos {

// One record as a receiver got it.
struct Received {
  bool gap = false;
  std::string uid;            // these two: of an Event
  std::uint64_t version = 0;  // its resourceVersion
  std::string gap_reason;     // these three: of a gap
  OptionalTime gap_from;
  WallTime gap_until;
  int process = 0;  // which one handed it on
};

// Reads a record in the raw format; nothing where it is none, or where its id is not that of its object.
std::optional<Received> ReadRecord(const std::string& json);
// The same of an array of them, with their process.
std::optional<std::vector<Received>> ReadRecords(const std::string& json, int process);

// How a process ended.
struct ProcessEnd {
  bool killed = false;
  // What the checkpoint said then: the sink is done up to here.
  std::uint64_t safe = 0;
  // The newest version that was written before the end.
  std::uint64_t newest = 0;
  // Whether it may have been in the middle of a list, which the next process begins anew.
  bool listing = false;
};

class Receipts {
 public:
  // `unsettled`: so many of the records that a process delivered last may come again: a batch whose acknowledgement it
  // did not live to see; and a spool remembers what is done without flushing that to the disk.
  explicit Receipts(bool has_spool = false, std::size_t unsettled = 0) : has_spool_(has_spool), unsettled_(unsettled) {}

  // In the order of arrival. Processes are numbered from 1 on, and each but the last has an end.
  void Take(const Received& record);
  void ProcessEnded(ProcessEnd end) { ends_.push_back(end); }

  bool Has(const std::string& uid, std::uint64_t version) const { return first_.contains({uid, version}); }
  struct Missing {
    std::size_t within_gaps = 0;
    std::size_t outside = 0;            // though it had to come
    std::vector<std::string> examples;  // of these, one sentence each
  };
  // What of `history` has not come. The last state of an Event that still exists has to, even if it lies within a gap
  // that was told; not so with `drops`, where a sink drops what is oldest.
  Missing Compare(const std::vector<sim::SimChange>& history, bool drops = false) const;

  std::size_t events() const { return first_.size(); }  // different ones
  std::size_t gaps() const { return gaps_.size(); }     // different ones
  std::size_t gaps_with(const std::string& reason) const;
  // What came again: as it may after a kill, and from one process, which only a list that broke off explains.
  std::size_t again() const { return again_; }
  std::size_t again_from_one_process() const { return again_from_one_process_; }
  // One sentence each; empty: all is as it must be.
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct Id {
    std::string uid;
    std::uint64_t version;
    bool operator==(const Id&) const = default;
  };
  struct IdHash {
    std::size_t operator()(const Id& id) const { return std::hash<std::string>{}(id.uid) ^ (id.version * 0x9e3779b9U); }
  };
  struct Arrival {
    int process;
    std::size_t number;  // among those of its process, from 1 on
  };
  struct Gap {
    std::string reason;
    OptionalTime from;
    WallTime until;
    auto operator<=>(const Gap&) const = default;
  };

  void TakeAgain(const Received& record, Arrival& last);
  bool MayComeAgain(const Received& record, const Arrival& last) const;
  bool IsOfAListBegunAnew(const Received& record, const Arrival& last) const;
  bool IsInGap(WallTime time) const;
  void Fault(const Received& record, const std::string& what);

  const bool has_spool_;
  const std::size_t unsettled_;
  std::vector<ProcessEnd> ends_;          // of process 1, 2 …
  std::map<int, std::size_t> delivered_;  // by process
  std::unordered_map<Id, Arrival, IdHash> first_;
  std::unordered_map<std::string, std::uint64_t> newest_;  // by uid, of first arrivals
  std::map<Gap, std::size_t> gaps_;
  std::size_t again_ = 0;
  std::size_t again_from_one_process_ = 0;
  std::vector<std::string> faults_;
};

}  // namespace kube_events::chaos
