// What the exporter tells about itself. Every series that an alert may look at exists from the start with 0.
// Owned by the composition root, which hands references to whom they concern. All of it may be used from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/clock.h"
#include "kube_events/base/error.h"
#include "kube_events/event/event_decoder.h"
#include "kube_events/metrics/exposition.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace kube_events {

struct SelfMetricsOptions {
  std::string version = {};
  std::string revision = {};
  std::string compiler = {};
  std::vector<std::string> scopes = {};  // Scope::Name() of every scope
};

// Asked at every scrape, on the scraping thread; must not block. An empty function: the metric is left out.
struct SelfMetricsSources {
  std::function<double()> cached_events = {};
  std::function<double()> tombstones = {};
  std::function<double()> evicted_events = {};
  std::function<double()> series = {};
  std::function<double()> series_overflow = {};
  std::function<double()> leader = {};
  std::function<double()> checkpoint_age = {};
};

// The metrics with the label `scope`.
struct ScopeMetrics {
  prometheus::Gauge& watch_open;
  prometheus::Gauge& synced;
  prometheus::Counter& gaps;
  prometheus::Counter& gap_seconds;
};

class SelfMetrics final : public MetricSource {
 private:
  prometheus::Registry registry_;  // first: the references below point into it

 public:
  explicit SelfMetrics(const SelfMetricsOptions& options);
  ~SelfMetrics() override;

  // What a source captures must stay alive until it is replaced and no scrape runs.
  void SetSources(SelfMetricsSources sources);

  void AppendTo(std::string& page, ExpositionFormat format) const override;

  prometheus::Gauge& requests_in_flight;
  prometheus::Histogram& request_duration_seconds;
  void CountRequest(int http_status);

  prometheus::Counter& list_total;
  prometheus::Counter& list_failed_total;
  prometheus::Counter& watch_total;
  prometheus::Counter& watch_failed_total;
  // `verb`: as RBAC spells it. `reason`: what the server or the network named; after 100 different pairs the reason
  // is "other", so that no server can fill the memory.
  void CountApiError(std::string_view verb, std::string_view reason);
  // By the error's reason or, where nobody named one, its kind.
  void CountApiError(std::string_view verb, const Error& error);
  // `reason`: expired, short_watch, invalid, errors or restored; any word works, with the same bound.
  void CountRelist(std::string_view reason);

  // A name that was not among the options gets its series now.
  ScopeMetrics Scope(const std::string& name);

  void SetLastList(WallTime when);
  void SetLastEvent(WallTime when);
  void SetLastStreamActivity(WallTime when);
  // The counter of messages of one type; hot, takes no lock.
  prometheus::Counter& WatchEvents(FrameType type) { return *watch_events_[static_cast<std::size_t>(type)]; }
  // Negative where the clocks differ: taken as 0.
  void ObserveEventLag(std::chrono::microseconds lag);

  // `result`: ok, conflict, forbidden, too_large or error; any word works, with the same bound.
  void CountCheckpointWrite(std::string_view result);
  // One was written.
  void SetCheckpoint(WallTime when, std::size_t bytes, bool truncated);

  prometheus::Counter& decode_errors_total;
  prometheus::Counter& uncertain_counted;      // uncertain_occurrences_total{kind="counted"}
  prometheus::Counter& uncertain_not_counted;  // … {kind="not_counted"}

 private:
  // A counter family whose label values come from outside: clean and bounded in number.
  class OpenCounters {
   public:
    OpenCounters(prometheus::Family<prometheus::Counter>& family, std::vector<std::string> names)
        : family_(family), names_(std::move(names)) {}
    prometheus::Counter& With(std::vector<std::string> values);

   private:
    prometheus::Family<prometheus::Counter>& family_;
    const std::vector<std::string> names_;
    std::mutex mutex_;  // guards known_
    std::map<std::vector<std::string>, prometheus::Counter*> known_;
  };

  void AddSources(std::vector<prometheus::MetricFamily>& families) const;

  prometheus::Gauge& last_list_;
  prometheus::Gauge& last_event_;
  prometheus::Gauge& last_stream_activity_;
  prometheus::Histogram& event_lag_;
  std::vector<prometheus::Counter*> watch_events_;
  prometheus::Family<prometheus::Gauge>& watch_open_;
  prometheus::Family<prometheus::Gauge>& synced_;
  prometheus::Family<prometheus::Counter>& gaps_;
  prometheus::Family<prometheus::Counter>& gap_seconds_;
  OpenCounters requests_;
  OpenCounters api_errors_;
  OpenCounters relists_;
  OpenCounters checkpoint_writes_;
  prometheus::Gauge& checkpoint_bytes_;
  prometheus::Gauge& checkpoint_last_success_;
  prometheus::Gauge& checkpoint_truncated_;

  mutable std::mutex sources_mutex_;
  SelfMetricsSources sources_;
};

}  // namespace kube_events
