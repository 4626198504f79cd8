#include "kube_events/app/forwarding.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kube_events/app/version.h"
#include "kube_events/base/files.h"

namespace kube_events {
namespace {

Result<std::vector<SinkSettings>> FromFile(const ExporterOptions& options) {
  const auto text = ReadSmallFile(options.forward_config);
  if (!text) return Fail(text.error().kind, "--forward-config: " + text.error().message);
  return ParseForwardConfig(*text, "--forward-config " + options.forward_config, options.forward_defaults);
}

std::vector<std::string> Ids(const std::vector<SinkSettings>& sinks) {
  std::vector<std::string> ids;
  for (const SinkSettings& sink : sinks) ids.push_back(sink.id);
  return ids;
}

}  // namespace

Result<std::vector<SinkSettings>> ForwardSinks(const ExporterOptions& options) {
  std::vector<SinkSettings> sinks;
  for (const std::string& url : options.forward) {
    auto sink = ParseSinkUrl(url, options.forward_defaults);
    if (!sink) return Fail(sink.error());
    sinks.push_back(std::move(*sink));
  }
  if (!options.forward_config.empty()) {
    auto more = FromFile(options);
    if (!more) return Fail(more.error());
    std::move(more->begin(), more->end(), std::back_inserter(sinks));
  }
  if (const auto distinct = CheckDistinctSinks(sinks); !distinct) return Fail(distinct.error());
  if (const auto files = CheckSinkFiles(sinks); !files) return Fail(files.error());
  return sinks;
}

void CountThenForward::OnListBegin(ScopeIndex scope, ListReason reason, WallTime server_time) {
  counter_.OnListBegin(scope, reason, server_time);
  forwarder_.OnListBegin(scope, reason, server_time);
}

void CountThenForward::OnListCommitted(ScopeIndex scope, std::string_view version, WallTime server_time) {
  counter_.OnListCommitted(scope, version, server_time);
  forwarder_.OnListCommitted(scope, version, server_time);
}

void CountThenForward::OnChange(const Change& change) {
  counter_.OnChange(change);
  forwarder_.OnChange(change);
}

Forwarding::Forwarding(const std::vector<SinkSettings>& sinks) : metrics_(Ids(sinks), [this] { return Gauges(); }) {}

Result<std::unique_ptr<Forwarding>> Forwarding::Start(const ExporterOptions& options, const std::vector<Scope>& scopes,
                                                      EventFilter filter, ForwardingParts parts) {
  auto sinks = ForwardSinks(options);
  if (!sinks) return Fail(sinks.error());
  std::unique_ptr<Forwarding> forwarding(new Forwarding(*sinks));
  ForwarderOptions wanted;
  wanted.scopes = scopes;
  wanted.sinks = std::move(*sinks);
  wanted.filter = std::move(filter);
  wanted.spool = options.forward_spool;
  wanted.spool_max_bytes = options.forward_spool_max_bytes;
  wanted.session = std::move(parts.session);
  wanted.environment = std::move(parts.environment);
  wanted.cluster_name = options.cluster_name;
  wanted.user_agent = "kube-events-exporter/" + std::string(ThisBuild().version);
  auto started =
      Forwarder::Start(std::move(wanted), {parts.client, parts.clock, parts.health, *forwarding, std::move(parts.log)});
  if (!started) return Fail(started.error());
  forwarding->forwarder_ = std::move(*started);
  forwarding->consumer_ = std::make_unique<CountThenForward>(parts.counter, *forwarding->forwarder_);
  return forwarding;
}

void Forwarding::OnRecords(std::string_view sink, std::string_view result, std::size_t count) {
  metrics_.CountRecords(sink, result, count);
}

void Forwarding::OnRetry(std::string_view sink) { metrics_.CountRetry(sink); }

void Forwarding::OnDropped(std::string_view sink, std::string_view reason, std::size_t count) {
  metrics_.CountDropped(sink, reason, count);
}

void Forwarding::OnSent(std::string_view sink, std::chrono::microseconds took) { metrics_.ObserveSend(sink, took); }

std::vector<ForwardGauges> Forwarding::Gauges() const {
  std::vector<ForwardGauges> gauges;
  if (!forwarder_) return gauges;
  for (const auto& [id, behind, stats] : forwarder_->Stats()) {
    gauges.push_back({.sink = id,
                      .queue_records = static_cast<double>(stats.queue_records),
                      .spool_bytes = static_cast<double>(stats.spool_bytes),
                      .oldest_unsent_seconds = std::chrono::duration<double>(stats.oldest_unsent).count(),
                      .catching_up = behind});
  }
  return gauges;
}

}  // namespace kube_events
