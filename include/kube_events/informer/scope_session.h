// One scope's list and watch at work: feeds its WatchMachine with what the network brings and carries out what the
// machine wants done; decodes and hands changes over. Owned by an Informer and used on the informer thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube_events/base/clock.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/trouble_log.h"
#include "kube_events/event/event_decoder.h"
#include "kube_events/informer/change_consumer.h"
#include "kube_events/informer/frame_reader.h"
#include "kube_events/informer/informer_monitor.h"
#include "kube_events/informer/server_clock.h"
#include "kube_events/informer/stream_inbox.h"
#include "kube_events/informer/watch_machine.h"
#include "kube_events/kube/kube_client.h"

namespace kube_events {

struct SessionOptions {
  int list_page_size = 500;
  std::chrono::milliseconds watch_interval{300'000};
  std::uint64_t seed = 0;                              // of jitter
  std::optional<ScopePosition> resume = std::nullopt;  // where to go on; none: start cold
};

// What a session works with; all of it outlives the session.
struct SessionParts {
  KubeClient& client;
  const Clock& clock;
  EventDecoder& decoder;
  ChangeConsumer& consumer;
  InformerMonitor& monitor;
  Doorbell& doorbell;
  Logger log;
};

class ScopeSession {
 public:
  ScopeSession(ScopeIndex index, Scope scope, SessionOptions options, SessionParts parts);

  // Begins the first list.
  void Start();
  // Takes what has arrived and what time has brought; returns whether there was anything. Does not block.
  bool Poll();
  // Up to where changes were handed over, between two calls of Poll.
  ScopePosition Position();
  // When Poll has something to do even if nothing arrives.
  MonotonicTime NextDeadline() const { return timer_.value_or(MonotonicTime::max()); }

 private:
  enum class Request { kNone, kList, kProbe, kWatch };
  // When a batch of frames came: one time for all, they came together.
  struct Arrival {
    WallTime time;
    WallTime server_time;
  };

  void Feed(const WatchInput& input);
  void Do(const BeginList& effect);
  void Do(const RequestPage& effect);
  void Do(const ProbeVersion& effect);
  void Do(const DeliverItems& effect);
  void Do(const CommitList& effect);
  void Do(const OpenWatch& effect);
  void Do(const CancelRequest& effect);
  void Do(const StartTimer& effect);
  void Do(const RefreshCredentials& effect);
  void Do(const ReportRelist& effect);
  void Do(const ReportGap& effect);

  void Begin(Request request);
  void Adopt(Result<std::unique_ptr<HttpExchange>> exchange);
  void TakeBatch();
  void TakeHead(const HttpHead& head);
  void TakeBytes(std::string_view bytes);
  void TakeEnd(const Result<void>& result);
  void TakePage();
  void TakeFrames(std::string_view bytes);
  void TakeFrame(const WatchFrame& frame, const Arrival& arrival);
  void SkipUndecodable(const std::string& why, const Arrival& arrival);
  void Fail(Error error);
  void NoteTrouble(std::string_view verb, const Error& error);
  void EndRequest(std::optional<Error> error);
  bool IsWatching() const { return machine_.phase() == WatchPhase::kWatching && request_ == Request::kWatch; }
  void PublishState(std::string trouble);
  std::string BeingOpened() const { return "scope " + scope_.Name() + ": the watch is being opened again"; }
  // Of the request under way; a probe is a list to the API server, and told apart in what we tell about ourselves.
  std::string_view Verb() const {
    return request_ == Request::kList ? "list" : request_ == Request::kProbe ? "probe" : "watch";
  }

  const ScopeIndex index_;
  const Scope scope_;
  const SessionOptions options_;
  SessionParts parts_;

  WatchMachine machine_;
  ServerClock server_clock_;
  TroubleLog trouble_log_;
  TroubleLog undecodable_log_;
  FrameReader reader_;
  std::optional<MonotonicTime> timer_;
  WallTime observed_until_;    // the API server's time
  std::string resumed_until_;  // up to this version the watch brings what was written before the restart, or soon after

  Request request_ = Request::kNone;
  std::uint64_t ended_requests_ = 0;  // tells whether the request under way is still the one it was
  HttpHead head_;
  std::string continue_token_;  // that led to the list page under way
  std::string body_;            // of a list page or an error; a watch's goes to the reader
  StreamInbox::Batch batch_;
  int undecodable_in_a_row_ = 0;
  std::size_t listed_ = 0;  // items of the list under way

  std::unique_ptr<StreamInbox> inbox_;      // of the request under way; a new one for each
  std::unique_ptr<HttpExchange> exchange_;  // last: destroyed first, it may still be calling the inbox
};

}  // namespace kube_events
