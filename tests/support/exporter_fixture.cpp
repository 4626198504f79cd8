#include "support/exporter_fixture.h"

#include "kube_events/net/cpprest_client.h"

namespace kube_events {

WallTime SystemNow() { return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now()); }

sim::EventObject MakePodEvent(const std::string& name, const std::string& reason, std::int32_t count,
                              const std::string& space, WallTime now) {
  sim::EventObject event;
  event.metadata.name = name;
  event.metadata.namespace_name = space;
  event.involved_object.kind = "Pod";
  event.involved_object.api_version = "v1";
  event.involved_object.namespace_name = space;
  event.involved_object.name = "pod";
  event.reason = reason;
  event.type = "Warning";
  event.source_component = "kubelet";
  event.first_time = event.last_time = now;
  event.count = count;
  return event;
}

std::string PodSeries(const std::string& reason, const std::string& space) {
  return "Warning|" + space + "|Pod|" + reason;
}

EventCounts ToEventCounts(const sim::OccurrenceCounts& truth) {
  EventCounts counts;
  for (const auto& [labels, count] : truth) {
    if (count == 0) continue;
    counts[labels.type + "|" + labels.involved_object_namespace + "|" + labels.involved_object_kind + "|" +
           labels.reason] = count;
  }
  return counts;
}

std::optional<std::string> NoEnvironment(const std::string& /*name*/) { return std::nullopt; }

void ExporterFixture::SetUpTestSuite() { InitialiseNetworking(); }

ExporterOptions TestOptions(const std::string& apiserver) {
  ExporterOptions options;
  options.apiserver = apiserver;
  options.host = "127.0.0.1";
  options.port = 0;
  options.log_level = "off";
  return options;
}

void ExporterFixture::Start(const ExporterOptions& options, const Environment& environment) {
  auto started = Exporter::Start(options, environment);
  ASSERT_TRUE(started) << started.error().message;
  exporter_ = std::move(*started);
}

void ExporterFixture::StartReady(const ExporterOptions& options, const Environment& environment) {
  Start(options, environment);
  ASSERT_TRUE(Eventually([&] { return Fetch("/healthz").status == 200; })) << Fetch("/healthz").body;
}

FetchResponse ExporterFixture::Fetch(const std::string& path, const FetchOptions& options) {
  return Get("http://127.0.0.1:" + std::to_string(exporter_->Port()) + path, options);
}

std::int64_t ExporterFixture::Count(const std::string& labels) {
  const EventCounts counts = Counts();
  const auto found = counts.find(labels);
  return found == counts.end() ? 0 : found->second;
}

double ExporterFixture::Sample(const std::string& name) {
  const auto value = ReadSample(Fetch("/metrics").body, name);
  if (!value) ADD_FAILURE() << "no sample " << name;
  return value.value_or(-1);
}

void ExporterFixture::AwaitEverythingSent() {
  const std::string reason = "Marker" + std::to_string(++markers_);
  ASSERT_TRUE(server_.Create(MakePodEvent("marker-" + std::to_string(markers_), reason, 1, "markers")));
  ASSERT_TRUE(Reaches(PodSeries(reason, "markers"), 1)) << Fetch("/healthz").body;
}

}  // namespace kube_events
