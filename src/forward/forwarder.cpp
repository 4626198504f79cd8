#include "kube_events/forward/forwarder.h"

#include <xxhash.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <utility>

#include "kube_events/forward/sinks.h"

namespace kube_events {
namespace {

using std::chrono::milliseconds;

// How often sinks that lag are looked after.
constexpr milliseconds kLookAfter{250};
constexpr milliseconds kMaxSilence{60'000};

// A folder of its own for each sink: readable, and told apart by a hash where characters had to go.
std::string FolderOf(const std::string& id) {
  std::string name;
  for (const char c : id.substr(0, 60)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    name += plain ? c : '_';
  }
  char hash[20];
  std::snprintf(hash, sizeof hash, "-%016llx", static_cast<unsigned long long>(XXH3_64bits(id.data(), id.size())));
  return name + hash;
}

// Stands for what a damaged spool may have held.
RecordPtr MarkerFor(const Spool::Opened& opened, WallTime now) {
  Record gap;
  gap.type = RecordType::kGap;
  gap.gap_reason = "spool";
  gap.gap_from = opened.intact_until;
  gap.observed = std::max(now, opened.intact_until.value_or(now));
  return std::make_shared<const Record>(std::move(gap));
}

}  // namespace

Forwarder::Forwarder(ForwarderOptions options, ForwarderParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      heartbeat_(parts_.health.AddLoop("forwarder", kMaxSilence)) {}

Forwarder::~Forwarder() = default;

Result<std::unique_ptr<Forwarder>> Forwarder::Start(ForwarderOptions options, ForwarderParts parts) {
  std::unique_ptr<Forwarder> forwarder(new Forwarder(std::move(options), std::move(parts)));
  for (const SinkSettings& settings : forwarder->options_.sinks) {
    if (const auto added = forwarder->AddSink(settings); !added) return Fail(added.error());
  }
  forwarder->catch_ups_.resize(forwarder->feeds_.size());
  forwarder->thread_ = std::jthread([raw = forwarder.get()](const std::stop_token& stop) { raw->Run(stop); });
  return forwarder;
}

Result<void> Forwarder::AddSink(const SinkSettings& settings) {
  auto own_filter = EventFilter::Create(settings.filter);
  if (!own_filter) return Fail(own_filter.error());
  auto sink =
      MakeSink(settings, {parts_.clock, parts_.log, options_.cluster_name, options_.user_agent, options_.environment});
  if (!sink) return Fail(sink.error());
  SinkWorkerParts worker{std::move(*sink), nullptr, nullptr, parts_.clock, parts_.health, parts_.monitor, parts_.log};
  auto marker = OpenSpool(settings.id, worker.spool);
  if (!marker) return Fail(marker.error());
  if (!settings.dead_letter_file.empty()) {
    if (const auto usable = DeadLetterFile::Check(settings.dead_letter_file); !usable) return Fail(usable.error());
    worker.dead_letters = std::make_unique<DeadLetterFile>(settings.dead_letter_file);
  }
  SinkFeedOptions options;
  for (const Scope& scope : options_.scopes) options.scope_names.push_back(scope.Name());
  options.exporter_filter = options_.filter;
  options.filter = std::move(*own_filter);
  options.watch_types = settings.watch_types;
  options.updates = settings.updates;
  options.existing = settings.existing;
  feeds_.push_back(std::make_unique<SinkFeed>(std::move(options), settings, std::move(worker)));
  if (*marker) feeds_.back()->worker().queue().Push(std::move(*marker), 0, {});
  return {};
}

// Where it is damaged, a marker follows what was kept; it is returned where it did not fit into the spool.
Result<RecordPtr> Forwarder::OpenSpool(const std::string& sink, std::unique_ptr<Spool>& spool) {
  if (options_.spool.empty()) return nullptr;
  auto opened = Spool::Open({.folder = options_.spool / FolderOf(sink), .max_bytes = options_.spool_max_bytes});
  if (!opened) return Fail(opened.error());
  spool = std::move(opened->spool);
  if (opened->damaged == 0) return nullptr;
  parts_.log.Error("a part of the spool could not be read and is skipped: " + opened->first_problem,
                   {{"sink", sink}, {"pieces", opened->damaged}});
  parts_.monitor.OnDropped(sink, "spool", opened->damaged);
  RecordPtr marker = MarkerFor(*opened, parts_.clock.Wall());
  if (spool->Append({&marker, 1})) marker = nullptr;
  return marker;
}

void Forwarder::Resume(const std::vector<std::optional<ScopePosition>>& counted, const ConsumerPositions& saved) {
  for (const auto& feed : feeds_) {
    const auto own = saved.find(feed->id());
    for (std::size_t i = 0; i < counted.size(); ++i) {
      if (!counted[i]) continue;
      std::optional<ScopePosition> position;
      if (own != saved.end() && !own->second.at(i).version.empty()) position = own->second.at(i);
      feed->Resume(static_cast<ScopeIndex>(i), *counted[i], position);
    }
  }
}

void Forwarder::OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) {
  for (const auto& feed : feeds_) feed->OnLiveListBegin(scope, reason, server_time);
}

void Forwarder::OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) {
  for (const auto& feed : feeds_) feed->OnLiveListCommitted(scope, version, server_time);
}

void Forwarder::OnChange(const Change& change) {
  SharedRecord record(change);
  for (const auto& feed : feeds_) feed->OnLiveChange(change, record);
}

void Forwarder::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any pause;
  while (!stop.stop_requested()) {
    heartbeat_.Beat();
    for (std::size_t i = 0; i < feeds_.size(); ++i) {
      SinkFeed& feed = *feeds_[i];
      if (catch_ups_[i] && !feed.IsCatchingUp()) {
        catch_ups_[i].reset();
        parts_.log.Info("the sink has caught up", {{"sink", feed.id()}});
      }
      if (catch_ups_[i]) continue;
      auto lagging = feed.BeginCatchUp();
      if (lagging.empty()) continue;
      parts_.log.Info("the sink is being brought up", {{"sink", feed.id()}, {"scopes", lagging.size()}});
      catch_ups_[i] =
          std::make_unique<CatchUp>(feed, std::move(lagging), options_.scopes,
                                    CatchUpParts{parts_.client, parts_.clock, parts_.log, options_.session});
    }
    std::unique_lock lock(mutex);
    pause.wait_for(lock, stop, kLookAfter, [] { return false; });
  }
  for (auto& catch_up : catch_ups_) catch_up.reset();
}

ConsumerPositions Forwarder::SafePositions() const {
  ConsumerPositions positions;
  for (const auto& feed : feeds_) positions[feed->id()] = feed->worker().queue().SafePositions();
  return positions;
}

std::vector<Forwarder::SinkStats> Forwarder::Stats() const {
  std::vector<SinkStats> stats;
  for (const auto& feed : feeds_) stats.push_back({feed->id(), feed->IsBehind(), feed->worker().Stats()});
  return stats;
}

void Forwarder::Reopen() {
  for (const auto& feed : feeds_) feed->worker().Reopen();
}

void Forwarder::Finish(milliseconds timeout) {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  std::vector<std::jthread> ends;  // each sink has the whole time
  for (const auto& feed : feeds_) {
    ends.emplace_back([this, &feed, timeout] {
      const std::size_t unsafe = feed->worker().Finish(timeout);
      if (unsafe == 0) return;
      parts_.log.Warn(
          "records are neither delivered nor in the spool; the next process hands them on again, if there "
          "is a --checkpoint",
          {{"sink", feed->id()}, {"records", unsafe}});
    });
  }
}

}  // namespace kube_events
