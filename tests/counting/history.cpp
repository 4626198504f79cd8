#include "counting/history.h"

#include <array>
#include <random>
#include <sstream>
#include <string_view>

namespace kube_events::testing {
namespace {

using Random = std::mt19937_64;

std::int64_t Pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

bool Chance(Random& random, int percent) { return Pick(random, 1, 100) <= percent; }

// Milliseconds: mostly the seconds around which the rules turn, at times hours.
std::int64_t PickPause(Random& random) {
  constexpr std::int64_t kMinute = 60'000;
  constexpr std::int64_t kHour = 60 * kMinute;
  switch (Pick(random, 0, 9)) {
    case 0:
      return Pick(random, 30 * kMinute, 3 * kHour);
    case 1:
      return Chance(random, 20) ? 25 * kHour : Pick(random, kMinute, 10 * kMinute);
    case 2:
    case 3:
      return Pick(random, 5'000, kMinute);
    default:
      return Pick(random, 1, 5'000);
  }
}

struct Weight {
  StepKind kind;
  int weight;
};

constexpr std::array<Weight, 14> kWeights{{{StepKind::kAdvance, 14},
                                           {StepKind::kOccur, 26},
                                           {StepKind::kDrop, 5},
                                           {StepKind::kFail, 4},
                                           {StepKind::kRetry, 5},
                                           {StepKind::kHeartbeat, 6},
                                           {StepKind::kNewRun, 4},
                                           {StepKind::kDelete, 7},
                                           {StepKind::kRelabel, 4},
                                           {StepKind::kDeliver, 14},
                                           {StepKind::kReplay, 3},
                                           {StepKind::kGap, 2},
                                           {StepKind::kFailedList, 1},
                                           {StepKind::kList, 4}}};

constexpr std::array<StepKind, 6> kRestartKinds{StepKind::kSave,  StepKind::kSave,  StepKind::kStop,
                                                StepKind::kCrash, StepKind::kStart, StepKind::kStart};

StepKind PickRestart(Random& random) {
  return kRestartKinds[static_cast<std::size_t>(Pick(random, 0, kRestartKinds.size() - 1))];
}

StepKind PickKind(Random& random) {
  int sum = 0;
  for (const Weight& weight : kWeights) sum += weight.weight;
  std::int64_t ticket = Pick(random, 1, sum);
  for (const Weight& weight : kWeights) {
    ticket -= weight.weight;
    if (ticket <= 0) return weight.kind;
  }
  return StepKind::kAdvance;
}

Step PickStep(Random& random, const History& history, bool restores) {
  Step step;
  step.kind = restores && Chance(random, 3) ? StepKind::kRestore : PickKind(random);
  step.writer = static_cast<int>(Pick(random, 0, static_cast<std::int64_t>(history.writers.size()) - 1));
  step.amount = step.kind == StepKind::kAdvance ? PickPause(random) : Pick(random, 0, 12);
  return step;
}

WriterSpec PickWriter(Random& random, bool restores) {
  WriterSpec writer;
  // What re-posts constant names around an etcd restore is beyond the rules.
  writer.kind = static_cast<WriterKind>(Pick(random, 0, restores ? 1 : 4));
  if (Chance(random, 50)) writer.skew = std::chrono::milliseconds{Pick(random, -4'900, 4'900)};
  writer.matches = Chance(random, 60);
  return writer;
}

// What an honest history is made of, time aside. Where gaps hide states there are only writers with a name per run:
// elsewhere a new run that has grown within the gap could be the old one under a new timestamp.
StepKind PickHonestKind(Random& random, bool gaps) {
  constexpr std::array<StepKind, 13> kKinds{
      StepKind::kOccur, StepKind::kOccur,     StepKind::kOccur,  StepKind::kOccur,  StepKind::kDeliver,
      StepKind::kDrop,  StepKind::kDelete,    StepKind::kNewRun, StepKind::kReplay, StepKind::kRelabel,
      StepKind::kList,  StepKind::kHeartbeat, StepKind::kGap};
  return kKinds[static_cast<std::size_t>(Pick(random, 0, gaps ? 12 : 11))];
}

constexpr std::array<std::string_view, 5> kWriterNames{"recorder", "series", "constant-name", "no-timestamps",
                                                       "renewing"};
constexpr std::array<std::string_view, 19> kStepNames{
    "advance", "occur", "drop",        "fail", "retry",   "heartbeat", "new-run", "delete", "relabel", "deliver",
    "replay",  "gap",   "failed-list", "list", "restore", "save",      "stop",    "crash",  "start"};

}  // namespace

History MakeHistory(std::uint64_t seed) {
  Random random(seed);
  History history;
  const bool restores = Chance(random, 15);
  history.selector = !restores && Chance(random, 20);
  // A cache that is too small for its writers; after a restore it has forgotten what late writes repeat.
  if (!restores && Chance(random, 15)) {
    history.max_live = static_cast<std::size_t>(Pick(random, 1, 3));
    history.max_tombstones = static_cast<std::size_t>(Pick(random, 0, 3));
  }
  if (Chance(random, 10)) history.sync_period = std::chrono::minutes{Pick(random, 1, 60)};
  const std::int64_t writers = Pick(random, 1, 4);
  for (std::int64_t i = 0; i < writers; ++i) history.writers.push_back(PickWriter(random, restores));
  const bool restarts = Chance(random, 50);
  if (restarts && Chance(random, 25)) history.max_saved = static_cast<std::size_t>(Pick(random, 0, 3));
  const std::int64_t steps = Pick(random, 5, 80);
  for (std::int64_t i = 0; i < steps; ++i) {
    history.steps.push_back(PickStep(random, history, restores));
    if (restarts && Chance(random, 12)) history.steps.back().kind = PickRestart(random);
  }
  return history;
}

History MakeHonestHistory(std::uint64_t seed, bool gaps) {
  Random random(seed);
  History history;
  const std::int64_t writers = Pick(random, 1, 4);
  for (std::int64_t i = 0; i < writers; ++i) {
    history.writers.push_back({.kind = static_cast<WriterKind>(Pick(random, 0, gaps ? 1 : 2))});
  }
  history.steps = {{.kind = StepKind::kList}, {.kind = StepKind::kAdvance, .amount = 15'000}};
  const std::int64_t steps = Pick(random, 5, 80);
  for (std::int64_t i = 0; i < steps; ++i) {
    Step step = PickStep(random, history, false);
    step.kind = Chance(random, 20) ? StepKind::kAdvance : PickHonestKind(random, gaps);
    if (step.kind == StepKind::kAdvance) step.amount = Pick(random, 1, 600'000);
    // A new run that begins with more than one could be the old one under a new timestamp.
    const bool recorder = history.writers[static_cast<std::size_t>(step.writer)].kind == WriterKind::kRecorder;
    if (step.kind == StepKind::kDrop && !recorder) step.kind = StepKind::kOccur;
    history.steps.push_back(step);
  }
  return history;
}

History MakeHonestRestarts(std::uint64_t seed) {
  History history = MakeHonestHistory(seed, false);
  Random random(seed);
  for (Step& step : history.steps) {
    // Nor is a first write left out: whether a restart divides what the second one says is not known.
    if (step.kind == StepKind::kDelete || step.kind == StepKind::kDrop) step.kind = StepKind::kOccur;
    if (&step - history.steps.data() < 2 || !Chance(random, 15)) continue;
    step = {.kind = PickRestart(random), .amount = 1};  // the position stays young enough
  }
  return history;
}

std::string ToString(const History& history) {
  std::ostringstream out;
  out << (history.selector ? "selector, " : "") << "max_live " << history.max_live << ", max_tombstones "
      << history.max_tombstones << ", sync period " << history.sync_period.count() << " ms, max_saved "
      << history.max_saved << "\n";
  for (std::size_t i = 0; i < history.writers.size(); ++i) {
    const WriterSpec& writer = history.writers[i];
    out << "writer " << i << ": " << kWriterNames[static_cast<std::size_t>(writer.kind)] << ", clock off by "
        << writer.skew.count() << " ms" << (writer.matches ? "" : ", not matching") << "\n";
  }
  for (const Step& step : history.steps) {
    out << "  " << kStepNames[static_cast<std::size_t>(step.kind)] << " writer " << step.writer << " amount "
        << step.amount << "\n";
  }
  return out.str();
}

}  // namespace kube_events::testing
