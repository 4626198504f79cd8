#include "kube_events/forward/sinks.h"

#include <utility>

namespace kube_events {
namespace {

Result<std::unique_ptr<Sink>> Make(const SinkSettings& settings, SinkParts parts) {
  switch (settings.kind) {
    case SinkKind::kStdout:
      return MakeStdoutSink(settings, std::move(parts));
    case SinkKind::kFile:
      return MakeFileSink(settings, std::move(parts));
    case SinkKind::kHttp:
      return MakeHttpSink(settings, parts);
    case SinkKind::kForward:
      return MakeForwardSink(settings, std::move(parts));
  }
  return Fail(ErrorKind::kConfiguration, "there is no such kind of sink");
}

}  // namespace

Result<std::unique_ptr<Sink>> MakeSink(const SinkSettings& settings, SinkParts parts) {
  auto sink = Make(settings, std::move(parts));
  if (!sink) return Fail(sink.error().kind, "sink \"" + settings.id + "\": " + sink.error().message);
  return sink;
}

}  // namespace kube_events
