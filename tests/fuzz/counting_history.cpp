// Histories of writers, an API server and an observer (tests/counting), chosen by the input instead of at random: the
// fuzzer looks for the ones that reach new code. Always value - counted <= truth <= value + not_counted.
#include <chrono>
#include <string>

#include "counting/history.h"
#include "counting/history_runner.h"
#include "fuzz/check.h"

namespace {

using kube_events::fuzz::Bytes;
using kube_events::testing::History;
using kube_events::testing::HistoryRunner;
using kube_events::testing::Step;
using kube_events::testing::StepKind;
using kube_events::testing::WriterKind;

constexpr std::size_t kMostSteps = 200;

// Milliseconds around which the rules turn.
std::int64_t Pause(std::uint8_t byte) {
  if (byte < 200) return std::int64_t{byte} * 50;
  if (byte < 230) return std::int64_t{byte - 199} * 5'000;
  return std::int64_t{byte - 229} * 7 * 60'000;
}

History Decode(Bytes bytes) {
  History history;
  const std::uint8_t choices = bytes.Byte();
  const bool restores = choices & 1;
  history.selector = !restores && (choices & 2);
  if (choices & 4) {
    history.max_live = 1 + bytes.Below(3);
    history.max_tombstones = bytes.Below(4);
  }
  if (choices & 8) history.sync_period = std::chrono::minutes{1 + bytes.Below(60)};
  const std::size_t writers = 1 + bytes.Below(4);
  for (std::size_t i = 0; i < writers; ++i) {
    // What re-posts constant names around an etcd restore is beyond the rules.
    const auto kind = static_cast<WriterKind>(bytes.Below(restores ? 2 : 5));
    const std::chrono::milliseconds skew{(static_cast<int>(bytes.Byte()) - 128) * 38};
    history.writers.push_back({kind, skew, (bytes.Byte() & 1) == 0});
  }
  while (!bytes.Empty() && history.steps.size() < kMostSteps) {
    Step step;
    step.kind = static_cast<StepKind>(bytes.Below(restores ? 15 : 14));
    step.writer = static_cast<int>(bytes.Below(writers));
    step.amount = step.kind == StepKind::kAdvance ? Pause(bytes.Byte()) : static_cast<std::int64_t>(bytes.Below(13));
    history.steps.push_back(step);
  }
  return history;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const History history = Decode(Bytes(data, size));
  if (const auto problem = HistoryRunner(history).Run()) {
    const History shortest =
        kube_events::testing::Shrink(history, [](const History& h) { return HistoryRunner(h).Run().has_value(); });
    const std::string told = HistoryRunner(shortest).Run().value_or(*problem) + "\n" + ToString(shortest);
    kube_events::fuzz::Check(false, "the truth lies between the bounds", told);
  }
  return 0;
}
