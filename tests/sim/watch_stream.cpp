#include "sim/watch_stream.h"

#include <utility>

#include "sim/event_json.h"
#include "sim/fault_status.h"

namespace kube_events::sim {

void WatchHub::Notify() {
  for (WatchStream* stream : streams_) stream->Wake();
}

void WatchHub::Drop(DropMode mode) {
  for (WatchStream* stream : streams_) {
    stream->dropped_ = mode;
    stream->Wake();
  }
}

void WatchHub::Inject(const std::string& frame) {
  for (WatchStream* stream : streams_) {
    stream->injected_.push_back(frame);
    stream->Wake();
  }
}

WatchStream::WatchStream(WatchOptions options, const EventStore& store, WatchHub& hub)
    : options_(std::move(options)),
      store_(store),
      hub_(hub),
      fault_(options_.fault),
      type_prefix_(std::string(R"(","object":{"kind":"Event","apiVersion":")") + ApiVersion(options_.api) + "\","),
      everything_(options_.namespace_name.empty() && options_.selector.empty()) {
  hub_.streams_.insert(this);
  if (options_.initial_state && !options_.error) {
    options_.after = store_.Revision();
    const std::string prefix = options_.namespace_name.empty() ? "" : options_.namespace_name + "/";
    initial_ = store_.List({prefix, "", store_.Revision(), 0, &options_.selector}).items;
    bookmark_due_ = options_.initial_bookmark;
  }
  next_ = store_.SequenceAfter(options_.after);
}

WatchStream::~WatchStream() { hub_.streams_.erase(this); }

void WatchStream::Wake() {
  if (wake_) wake_();
}

StreamSource::State WatchStream::Fill(ChunkWriter& writer, std::size_t limit) {
  while (writer.size() < limit) {
    if (const std::optional<State> interrupted = Interruption(writer)) return *interrupted;
    if (initial_sent_ < initial_.size() || bookmark_due_) {
      FillInitial(writer, limit);
      continue;
    }
    const StoreChange* change = store_.At(next_);
    if (change == nullptr) {
      if (next_ >= store_.EndSequence()) return State::kIdle;
      // Fallen behind the history, as an etcd watcher that is overtaken by a compaction.
      SendError(writer, ExpiredWatch());
      return State::kEnd;
    }
    ++next_;
    // After a start in the future, changes up to that revision are passed over.
    if (change->revision > options_.after) SendChange(writer, *change);
  }
  return State::kMore;
}

std::optional<StreamSource::State> WatchStream::Interruption(ChunkWriter& writer) {
  for (const std::string& frame : std::exchange(injected_, {})) writer.Frame({frame});
  if (dropped_) {
    switch (*dropped_) {
      case DropMode::kEnd:
        return State::kEnd;
      case DropMode::kClose:
        return State::kClose;
      case DropMode::kReset:
        return State::kReset;
      case DropMode::kSilence:
        return State::kIdle;
    }
  }
  if (options_.error) {
    SendError(writer, *options_.error);
    return State::kEnd;
  }
  return FaultIsDue() ? ApplyFault(writer) : std::nullopt;
}

std::optional<StreamSource::State> WatchStream::ApplyFault(ChunkWriter& writer) {
  const bool truncates = fault_->action == FaultAction::kTruncate;
  const std::string frame = truncates ? NextFrameText() : "";
  if (truncates && frame.empty()) return State::kIdle;
  if (!std::exchange(fault_met_, true)) ++hub_.faults_met_;
  switch (fault_->action) {
    case FaultAction::kReset:
      return State::kReset;
    case FaultAction::kClose:
      return State::kClose;
    case FaultAction::kSilence:
      return State::kIdle;
    case FaultAction::kEnd:
      return State::kEnd;
    case FaultAction::kError:
      SendError(writer, FaultStatus(*fault_));
      return State::kEnd;
    case FaultAction::kTruncate:
      writer.Frame({std::string_view(frame).substr(0, frame.size() / 2)});
      return State::kClose;
    case FaultAction::kFrame:
      writer.Frame({fault_->text, "\n"});
      break;
    default:
      break;
  }
  fault_.reset();
  return std::nullopt;
}

// The frame that would be sent next if it were not for a fault; empty where there is none yet.
std::string WatchStream::NextFrameText() const {
  const StoredEvent* event = nullptr;
  if (initial_sent_ < initial_.size()) {
    event = initial_[initial_sent_].get();
  } else if (const StoreChange* change = store_.At(next_)) {
    event = change->object.get();
  }
  if (event == nullptr) return "";
  return R"({"type":"MODIFIED)" + type_prefix_ + event->Fields(options_.api);
}

void WatchStream::FillInitial(ChunkWriter& writer, std::size_t limit) {
  while (initial_sent_ < initial_.size() && writer.size() < limit && !FaultIsDue()) {
    SendEvent(writer, "ADDED", *initial_[initial_sent_++]);
  }
  if (initial_sent_ < initial_.size() || FaultIsDue()) return;
  initial_.clear();
  initial_sent_ = 0;
  if (bookmark_due_) SendBookmark(writer);
  bookmark_due_ = false;
}

bool WatchStream::Matches(const StoredEvent& event) const {
  const EventObject& object = event.object();
  return (options_.namespace_name.empty() || object.metadata.namespace_name == options_.namespace_name) &&
         options_.selector.Matches(object);
}

void WatchStream::SendChange(ChunkWriter& writer, const StoreChange& change) {
  const bool deleted = change.type == ChangeType::kDeleted;
  if (everything_) {
    SendEvent(writer, deleted ? "DELETED" : change.type == ChangeType::kAdded ? "ADDED" : "MODIFIED", *change.object);
    return;
  }
  const bool before = change.previous != nullptr && Matches(*change.previous);
  const bool now = !deleted && Matches(*change.object);
  if (now) {
    SendEvent(writer, before ? "MODIFIED" : "ADDED", *change.object);
  } else if (before) {
    // The last state that matched, with the revision at which it stopped to.
    EventObject last = change.previous->object();
    last.metadata.resource_version = change.revision;
    SendEvent(writer, "DELETED", StoredEvent(std::move(last)));
  }
}

void WatchStream::SendEvent(ChunkWriter& writer, std::string_view type, const StoredEvent& event) {
  writer.Frame({R"({"type":")", type, type_prefix_, event.Fields(options_.api), "}\n"});
  ++frames_;
  ++hub_.frames_sent_;
}

void WatchStream::SendError(ChunkWriter& writer, const Status& status) {
  writer.Frame({R"({"type":"ERROR","object":)", status.ToJson(), "}\n"});
}

void WatchStream::SendBookmark(ChunkWriter& writer) {
  EventObject empty;
  empty.metadata.resource_version = options_.after;
  empty.metadata.annotations.emplace("k8s.io/initial-events-end", "true");
  SendEvent(writer, "BOOKMARK", StoredEvent(std::move(empty)));
}

}  // namespace kube_events::sim
