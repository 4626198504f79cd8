// Makes the sink that the settings ask for. Waits for nobody: connections and files are opened by the first batch.
#pragma once

#include <memory>
#include <string>

#include "kube_events/base/clock.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/result.h"
#include "kube_events/forward/sink.h"
#include "kube_events/forward/sink_settings.h"
#include "kube_events/kube/access.h"

namespace kube_events {

struct SinkParts {
  const Clock& clock;
  Logger log;
  std::string cluster_name;
  std::string user_agent;  // of http sinks
  // Where HTTPS_PROXY, HTTP_PROXY and NO_PROXY are looked up for http sinks; empty: no proxy.
  EnvironmentLookup environment = {};
};

// All fail with kConfiguration where a file is named that cannot be read, or settings do not fit together; MakeSink
// says of which sink.
Result<std::unique_ptr<Sink>> MakeSink(const SinkSettings& settings, SinkParts parts);

// What MakeSink chooses from.
Result<std::unique_ptr<Sink>> MakeStdoutSink(const SinkSettings& settings, SinkParts parts);
Result<std::unique_ptr<Sink>> MakeFileSink(const SinkSettings& settings, SinkParts parts);
// POST of JSON arrays. An answer of 2xx acknowledges the batch; docs/forwarding.md says what the others do. A request
// on a kept connection that the receiver has just closed is sent again at once, without being told here.
Result<std::unique_ptr<Sink>> MakeHttpSink(const SinkSettings& settings, const SinkParts& parts);
Result<std::unique_ptr<Sink>> MakeForwardSink(const SinkSettings& settings, SinkParts parts);

}  // namespace kube_events
