// kube_events_total: one counter per label set, made to be cheap where it is hot. Adding to a known label set takes
// neither a lock nor memory; a scrape copies lines that were rendered once and writes the numbers behind them.
// Owned by the composition root. One thread adds (the informer), any other threads scrape at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kube_events/metrics/exposition.h"
#include "prometheus/collectable.h"

namespace kube_events {

// The labels of one series, in the order of the metric's definition.
struct EventLabels {
  std::string_view type = {};
  std::string_view involved_object_namespace = {};  // empty for cluster-scoped objects
  std::string_view involved_object_kind = {};
  std::string_view reason = {};
};

// The value of `reason` of the series that takes what is beyond the limit; its other labels are empty.
inline constexpr std::string_view kOverflowReason = "__overflow__";

class EventCounters final : public MetricSource, public prometheus::Collectable {
 public:
  // `max_series`: label sets that get a series of their own; the overflow series comes on top.
  explicit EventCounters(std::size_t max_series);
  ~EventCounters() override;

  // Adds `n` occurrences, 0 or more (0: the series then exists, so that rate() sees its first increase); a negative
  // number adds nothing. Values are made valid UTF-8 and cut at kMaxLabelBytes; label sets that become equal by that
  // share a series. Only one thread may call it; never blocks.
  void Add(const EventLabels& labels, std::int64_t n);

  // Series that exist, the overflow series included. Any thread.
  std::size_t Series() const;
  // Occurrences added to the overflow series because of the limit. Any thread.
  std::int64_t Overflowed() const;

  // In the order in which the series came to exist.
  void AppendTo(std::string& page, ExpositionFormat format) const override;
  // The same as values of prometheus-cpp; slow, for those who need that form.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events
