// What is told about the sinks of --forward. Every series exists from the start with 0.
// Owned by the composition root; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/metrics/exposition.h"
#include "prometheus/counter.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace kube_events {

// The state of one sink at a scrape.
struct ForwardGauges {
  std::string sink;
  double queue_records = 0;
  double spool_bytes = 0;
  double oldest_unsent_seconds = 0;
  bool catching_up = false;
};

class ForwardMetrics final : public MetricSource {
 public:
  // `sinks`: the ids of all sinks. `gauges` is asked at every scrape, on the scraping thread; must not block.
  ForwardMetrics(const std::vector<std::string>& sinks, std::function<std::vector<ForwardGauges>()> gauges);
  ~ForwardMetrics() override;

  // Sinks, results and reasons that were not known from the start are ignored. `result`: sent, spooled, rejected.
  void CountRecords(std::string_view sink, std::string_view result, std::size_t count);
  void CountRetry(std::string_view sink);
  // `reason`: overflow, rejected, spool.
  void CountDropped(std::string_view sink, std::string_view reason, std::size_t count);
  void ObserveSend(std::string_view sink, std::chrono::microseconds took);

  void AppendTo(std::string& page, ExpositionFormat format) const override;

 private:
  struct OfSink {
    std::map<std::string, prometheus::Counter*, std::less<>> records;
    std::map<std::string, prometheus::Counter*, std::less<>> dropped;
    prometheus::Counter* retries = nullptr;
    prometheus::Histogram* duration = nullptr;
  };

  prometheus::Registry registry_;                     // first: the pointers below point into it
  std::map<std::string, OfSink, std::less<>> sinks_;  // constant after construction
  const std::function<std::vector<ForwardGauges>()> gauges_;
};

}  // namespace kube_events
