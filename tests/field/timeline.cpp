#include "field/timeline.h"

#include <algorithm>
#include <thread>

#include "kube_events/net/cpprest_client.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;

// Longer than any pause that is meant to be; one that is not must not go unnoticed because it costs nothing here.
constexpr auto kPatience = 5min;

sim::SimServerOptions OnClock(sim::SimServerOptions options, const Clock& clock) {
  InitialiseNetworking();  // before the first thread
  options.clock = &clock;
  return options;
}

OccurrenceCounterOptions ForScope(OccurrenceCounterOptions options, const Scope& scope) {
  options.scopes = {scope};
  return options;
}

}  // namespace

Timeline::Timeline(TimelineOptions options)
    : server_(OnClock(options.server, clock_)),
      http_(MakeCpprestClient(server_.Url(), {}).value()),
      tap_(*http_),
      client_(tap_, *credentials_),
      metrics_({.version = {}, .revision = {}, .scopes = {options.scope.Name()}}),
      counters_(options.max_series),
      recorder_({}, counters_, metrics_),
      counter_(ForScope(options.counter, options.scope), recorder_),
      monitor_(metrics_, health_, clock_),
      session_(0, options.scope, options.session,
               {client_, clock_, decoder_, counter_, monitor_, doorbell_, Logger()}) {
  metrics_.SetSources({.cached_events = [this] { return static_cast<double>(counter_.Stats().live); },
                       .tombstones = [this] { return static_cast<double>(counter_.Stats().tombstones); },
                       .evicted_events = [this] { return static_cast<double>(counter_.Stats().evicted); },
                       .series = [this] { return static_cast<double>(counters_.Series()); },
                       .series_overflow = [this] { return static_cast<double>(counters_.Overflowed()); }});
}

void Timeline::Start() {
  Begin();
  ASSERT_TRUE(Until([this] { return WatchIsOpen(); })) << testing::PrintToString(Unready());
}

bool Timeline::Poll() {
  bool progress = false;
  while (session_.Poll()) progress = true;
  return progress;
}

bool Timeline::JumpOverPause() {
  if (tap_.pending() > 0 || tap_.watching() > 0 || Poll()) return false;
  const MonotonicTime due = session_.NextDeadline();
  if (due == MonotonicTime::max()) return false;
  clock_.Advance(std::max(0ns, due - clock_.Monotonic()));
  return true;
}

bool Timeline::Until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  const MonotonicTime latest = clock_.Monotonic() + kPatience;
  for (;;) {
    const bool progress = Poll();
    if (clock_.Monotonic() > latest) return false;
    if (condition()) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (!progress && !JumpOverPause()) std::this_thread::sleep_for(100us);
  }
}

void Timeline::Settle(bool server_answers) {
  while (Poll()) {
  }
  if (!server_answers) return;
  Eventually([this] {
    // A watch that only this end takes for open is ending at this moment.
    const bool ending = tap_.watching() > static_cast<int>(server_.State().watches);
    const bool settled = tap_.pending() == 0 && !ending;
    return !Poll() && settled;
  });
}

void Timeline::Pass(std::chrono::nanoseconds time, bool server_answers) {
  const MonotonicTime end = clock_.Monotonic() + time;
  for (;;) {
    Settle(server_answers);
    const MonotonicTime now = clock_.Monotonic();
    if (now >= end) return;
    clock_.Advance(std::max(0ns, std::min(end, session_.NextDeadline()) - now));
  }
}

void Timeline::AwaitEverythingWritten() {
  const std::string reason = "Marker" + std::to_string(++markers_);
  ASSERT_TRUE(server_.Create(MakePodEvent("marker-" + std::to_string(markers_), reason, 1, "markers", Now())));
  ASSERT_TRUE(Until([&] { return Count(PodSeries(reason, "markers")) == 1; })) << testing::PrintToString(Unready());
}

std::string Timeline::Page() const {
  const std::vector<const MetricSource*> sources{&counters_, &metrics_};
  return RenderPage(sources, ExpositionFormat::kText);
}

std::int64_t Timeline::Count(const std::string& labels) const {
  const EventCounts counts = Counts();
  const auto found = counts.find(labels);
  return found == counts.end() ? 0 : found->second;
}

double Timeline::Own(const std::string& name) const {
  const auto value = ReadSample(Page(), "kube_events_exporter_" + name);
  if (!value) ADD_FAILURE() << "no sample " << name;
  return value.value_or(-1);
}

}  // namespace kube_events::field
