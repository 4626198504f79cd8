// One open watch of Events, and the list of all of them. Server thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/event_store.h"
#include "sim/faults.h"
#include "sim/selector.h"
#include "sim/status.h"
#include "sim/stream_source.h"

namespace kube_events::sim {

class WatchStream;

// How open watches are ended on request.
enum class DropMode {
  kEnd,      // complete response, as at timeoutSeconds
  kClose,    // the connection ends in the middle of the response
  kReset,    // TCP reset
  kSilence,  // nothing more is sent
};

// Tells watches that the store has changed. Outlives them.
class WatchHub {
 public:
  void Notify();
  void Drop(DropMode mode);
  // Sends `frame` as it is to every open watch.
  void Inject(const std::string& frame);
  std::size_t size() const { return streams_.size(); }
  std::uint64_t frames_sent() const { return frames_sent_; }
  std::uint64_t faults_met() const { return faults_met_; }

 private:
  friend class WatchStream;
  std::set<WatchStream*> streams_;
  std::uint64_t frames_sent_ = 0;
  std::uint64_t faults_met_ = 0;
};

struct WatchOptions {
  Api api = Api::kCoreV1;
  std::string namespace_name = {};  // empty: all
  Selector selector = {};
  std::uint64_t after = 0;     // changes behind this revision are sent
  bool initial_state = false;  // first the current state as ADDED; `after` is then the current revision
  bool initial_bookmark = false;
  std::optional<Status> error = {};  // the stream is nothing but this
  std::optional<Fault> fault = {};
};

class WatchStream final : public StreamSource {
 public:
  // Both must outlive the stream.
  WatchStream(WatchOptions options, const EventStore& store, WatchHub& hub);
  ~WatchStream() override;
  WatchStream(const WatchStream&) = delete;
  WatchStream& operator=(const WatchStream&) = delete;

  State Fill(ChunkWriter& writer, std::size_t limit) override;
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  friend class WatchHub;

  void Wake();
  // What a drop, a fault or the end of the history makes of the stream; nothing while it goes on.
  std::optional<State> Interruption(ChunkWriter& writer);
  std::optional<State> ApplyFault(ChunkWriter& writer);
  void FillInitial(ChunkWriter& writer, std::size_t limit);
  void SendChange(ChunkWriter& writer, const StoreChange& change);
  void SendEvent(ChunkWriter& writer, std::string_view type, const StoredEvent& event);
  void SendError(ChunkWriter& writer, const Status& status);
  void SendBookmark(ChunkWriter& writer);
  bool Matches(const StoredEvent& event) const;
  bool FaultIsDue() const { return fault_ && frames_ >= fault_->after_frames; }
  std::string NextFrameText() const;

  WatchOptions options_;
  const EventStore& store_;
  WatchHub& hub_;
  std::optional<Fault> fault_;
  bool fault_met_ = false;
  std::string type_prefix_;  // what follows `"type":"X",` up to the fields
  bool everything_;          // neither namespace nor selector
  std::vector<StoredEventPtr> initial_;
  std::size_t initial_sent_ = 0;
  bool bookmark_due_ = false;
  std::uint64_t next_ = 0;  // sequence of the next change
  std::size_t frames_ = 0;
  std::optional<DropMode> dropped_;
  std::vector<std::string> injected_;
  std::function<void()> wake_;
};

}  // namespace kube_events::sim
