#include "kube_events/metrics/event_counters.h"

#include <absl/container/flat_hash_set.h>

#include <array>
#include <atomic>
#include <charconv>
#include <tuple>

#include "kube_events/metrics/label_text.h"

namespace kube_events {
namespace {

auto Tie(const EventLabels& labels) {
  return std::tie(labels.type, labels.involved_object_namespace, labels.involved_object_kind, labels.reason);
}

struct CounterSeries {
  std::string values;  // what the views in `labels` point into
  EventLabels labels;
  std::string line;  // `kube_events_total{…} `
  std::atomic<std::int64_t> value{0};
};

// Series and label sets are looked up alike, so that a lookup needs no series.
struct LabelHash {
  using is_transparent = void;
  std::size_t operator()(const EventLabels& labels) const { return absl::HashOf(Tie(labels)); }
  std::size_t operator()(const CounterSeries* series) const { return (*this)(series->labels); }
};

struct LabelEqual {
  using is_transparent = void;
  static const EventLabels& Of(const EventLabels& labels) { return labels; }
  static const EventLabels& Of(const CounterSeries* series) { return series->labels; }
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return Tie(Of(a)) == Tie(Of(b));
  }
};

// Cleans all values into one string, whose capacity is used again; the result points into it.
EventLabels Clean(const EventLabels& raw, std::string& storage) {
  storage.clear();
  std::array<std::size_t, 4> ends{};
  std::size_t i = 0;
  for (const std::string_view value : {raw.type, raw.involved_object_namespace, raw.involved_object_kind, raw.reason}) {
    AppendCleanUtf8(storage, value);
    ends[i++] = storage.size();
  }
  const std::string_view all = storage;
  return {all.substr(0, ends[0]), all.substr(ends[0], ends[1] - ends[0]), all.substr(ends[1], ends[2] - ends[1]),
          all.substr(ends[2])};
}

std::string RenderLine(const EventLabels& labels) {
  const MetricSpec& spec = Spec(Metric::kEventsTotal);
  const std::array<std::string_view, 4> values{labels.type, labels.involved_object_namespace,
                                               labels.involved_object_kind, labels.reason};
  std::string line(spec.name);
  char separator = '{';
  for (std::size_t i = 0; i < values.size(); ++i) {
    line += separator;
    line += spec.Labels()[i];
    line += "=\"";
    AppendEscapedLabelValue(line, values[i]);
    line += '"';
    separator = ',';
  }
  line += "} ";
  return line;
}

// There is one writer, which makes the cheaper form of an addition sufficient.
void Increase(std::atomic<std::int64_t>& value, std::int64_t n) {
  value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
}

constexpr std::size_t kSeriesPerBlock = 256;

// Series never move and are never removed. The writer links a new block before it publishes a count that reaches into
// it, so a reader who goes no further than the count needs no lock.
struct Block {
  std::array<CounterSeries, kSeriesPerBlock> series;
  const Block* next = nullptr;
};

}  // namespace

struct EventCounters::Impl {
  explicit Impl(std::size_t max) : max_series(max) {}

  CounterSeries& Find(const EventLabels& raw, bool& overflow);
  CounterSeries& Create(const EventLabels& labels);
  CounterSeries& Overflow();
  template <typename Visitor>
  void ForEach(Visitor visit) const;

  // Touched by the writer only.
  const std::size_t max_series;
  absl::flat_hash_set<CounterSeries*, LabelHash, LabelEqual> index;
  std::vector<std::unique_ptr<Block>> blocks;
  std::string scratch;
  CounterSeries* overflow_series = nullptr;

  // Published to readers.
  const Block* first_block = nullptr;  // set before the first count, never changed after
  std::atomic<std::size_t> count{0};
  std::atomic<std::size_t> line_bytes{0};
  std::atomic<std::int64_t> overflowed{0};
};

// Values that are clean already are found without being copied; a raw value that is not cannot be equal to any key.
CounterSeries& EventCounters::Impl::Find(const EventLabels& raw, bool& overflow) {
  if (const auto found = index.find(raw); found != index.end()) return **found;
  const EventLabels clean = Clean(raw, scratch);
  if (const auto found = index.find(clean); found != index.end()) return **found;
  const std::size_t own = count.load(std::memory_order_relaxed) - (overflow_series == nullptr ? 0 : 1);
  overflow = own >= max_series;
  return overflow ? Overflow() : Create(clean);
}

CounterSeries& EventCounters::Impl::Overflow() {
  if (overflow_series == nullptr) {
    const EventLabels labels{.reason = kOverflowReason};
    const auto found = index.find(labels);  // an Event may bear these very labels
    overflow_series = found != index.end() ? *found : &Create(labels);
  }
  return *overflow_series;
}

CounterSeries& EventCounters::Impl::Create(const EventLabels& labels) {
  const std::size_t position = count.load(std::memory_order_relaxed);
  if (position % kSeriesPerBlock == 0) {
    blocks.push_back(std::make_unique<Block>());
    (position == 0 ? first_block : blocks[blocks.size() - 2]->next) = blocks.back().get();
  }
  CounterSeries& series = blocks.back()->series[position % kSeriesPerBlock];
  series.labels = Clean(labels, series.values);
  series.line = RenderLine(series.labels);
  series.line.shrink_to_fit();  // it is kept for long
  index.insert(&series);
  line_bytes.fetch_add(series.line.size(), std::memory_order_relaxed);
  count.store(position + 1, std::memory_order_release);
  return series;
}

template <typename Visitor>
void EventCounters::Impl::ForEach(Visitor visit) const {
  std::size_t left = count.load(std::memory_order_acquire);
  if (left == 0) return;
  for (const Block* block = first_block;; block = block->next) {
    for (const CounterSeries& series : block->series) {
      visit(series, series.value.load(std::memory_order_relaxed));
      if (--left == 0) return;
    }
  }
}

EventCounters::EventCounters(std::size_t max_series) : impl_(std::make_unique<Impl>(max_series)) {}
EventCounters::~EventCounters() = default;

void EventCounters::Add(const EventLabels& labels, std::int64_t n) {
  if (n < 0) return;
  bool overflow = false;
  Increase(impl_->Find(labels, overflow).value, n);
  if (overflow) Increase(impl_->overflowed, n);
}

std::size_t EventCounters::Series() const { return impl_->count.load(std::memory_order_relaxed); }

std::int64_t EventCounters::Overflowed() const { return impl_->overflowed.load(std::memory_order_relaxed); }

void EventCounters::AppendTo(std::string& page, ExpositionFormat format) const {
  constexpr std::size_t kNumberBytes = 24;  // of any int64 and the newline
  AppendFamilyHeader(page, format, Spec(Metric::kEventsTotal));
  // With room for the other metrics of the page, so that the big string is not copied for them.
  page.reserve(page.size() + impl_->line_bytes.load(std::memory_order_relaxed) + Series() * kNumberBytes +
               std::size_t{32} * 1024);
  impl_->ForEach([&page](const CounterSeries& series, std::int64_t value) {
    char number[kNumberBytes];
    char* end = std::to_chars(number, number + sizeof number, value).ptr;
    *end++ = '\n';
    page += series.line;
    page.append(number, end);
  });
}

std::vector<prometheus::MetricFamily> EventCounters::Collect() const {
  const MetricSpec& spec = Spec(Metric::kEventsTotal);
  prometheus::MetricFamily family;
  family.name = spec.name;
  family.help = spec.help;
  family.type = prometheus::MetricType::Counter;
  impl_->ForEach([&](const CounterSeries& series, std::int64_t value) {
    prometheus::ClientMetric metric;
    const EventLabels& labels = series.labels;
    std::size_t i = 0;
    for (const auto text :
         {labels.type, labels.involved_object_namespace, labels.involved_object_kind, labels.reason}) {
      metric.label.push_back({std::string(spec.Labels()[i++]), std::string(text)});
    }
    metric.counter.value = static_cast<double>(value);
    family.metric.push_back(std::move(metric));
  });
  return {std::move(family)};
}

}  // namespace kube_events
