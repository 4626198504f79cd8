#include <algorithm>
#include <utility>

#include "counting/history.h"

namespace kube_events::testing {
namespace {

// One history that gets simpler as long as it fails.
class Shrinker {
 public:
  Shrinker(History history, const std::function<bool(const History&)>& fails)
      : best_(std::move(history)), fails_(fails) {}

  History Run() {
    do {
      improved_ = false;
      for (std::size_t size = best_.steps.size(); size > 0; size /= 2) LeaveOutSteps(size);
      for (std::size_t i = best_.writers.size(); i-- > 0;) LeaveOutWriter(i);
      for (std::size_t i = 0; i < best_.writers.size(); ++i) SimplifyWriter(i);
      SimplifyOptions();
      for (std::size_t i = 0; i < best_.steps.size(); ++i) SimplifyAmount(i);
    } while (improved_);
    return best_;
  }

 private:
  bool Try(History candidate) {
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    improved_ = true;
    return true;
  }

  void LeaveOutSteps(std::size_t size) {
    for (std::size_t at = 0; at + size <= best_.steps.size();) {
      History shorter = best_;
      const auto begin = shorter.steps.begin() + static_cast<std::ptrdiff_t>(at);
      shorter.steps.erase(begin, begin + static_cast<std::ptrdiff_t>(size));
      if (!Try(std::move(shorter))) ++at;
    }
  }

  // With all that it does, or with its steps left to another, which matters to none but a writer's own steps.
  void LeaveOutWriter(std::size_t index) {
    if (best_.writers.size() == 1) return;
    History fewer = best_;
    fewer.writers.erase(fewer.writers.begin() + static_cast<std::ptrdiff_t>(index));
    const int gone = static_cast<int>(index);
    History without = fewer;
    std::erase_if(without.steps, [gone](const Step& step) { return step.writer == gone; });
    for (History* history : {&without, &fewer}) {
      for (Step& step : history->steps)
        step.writer = step.writer == gone ? 0 : step.writer - (step.writer > gone ? 1 : 0);
    }
    if (!Try(std::move(without))) Try(std::move(fewer));
  }

  // Tries the history with one value replaced, unless it has it already.
  template <typename Where, typename Value>
  bool TryValue(Where where, Value value) {
    History simpler = best_;
    if (where(simpler) == value) return false;
    where(simpler) = value;
    return Try(std::move(simpler));
  }

  void SimplifyWriter(std::size_t index) {
    TryValue(
        [=](History & h) -> auto& { return h.writers[index].skew; }, std::chrono::milliseconds{0});
    TryValue(
        [=](History & h) -> auto& { return h.writers[index].matches; }, true);
    TryValue(
        [=](History & h) -> auto& { return h.writers[index].kind; }, WriterKind::kRecorder);
  }

  void SimplifyOptions() {
    const History plain;
    TryValue(
        [](History & h) -> auto& { return h.selector; }, plain.selector);
    TryValue(
        [](History & h) -> auto& { return h.max_live; }, plain.max_live);
    TryValue(
        [](History & h) -> auto& { return h.max_tombstones; }, plain.max_tombstones);
    TryValue(
        [](History & h) -> auto& { return h.sync_period; }, plain.sync_period);
    TryValue(
        [](History & h) -> auto& { return h.max_saved; }, plain.max_saved);
  }

  void SimplifyAmount(std::size_t index) {
    const auto amount = [=](History & h) -> auto& { return h.steps[index].amount; };
    if (TryValue(amount, std::int64_t{0})) return;
    while (best_.steps[index].amount > 1 && TryValue(amount, best_.steps[index].amount / 2)) {
    }
    for (std::int64_t less = best_.steps[index].amount / 2; less > 0; less /= 2) {
      TryValue(amount, best_.steps[index].amount - less);
    }
  }

  History best_;
  const std::function<bool(const History&)>& fails_;
  bool improved_ = false;
};

}  // namespace

History Shrink(History history, const std::function<bool(const History&)>& fails) {
  return Shrinker(std::move(history), fails).Run();
}

}  // namespace kube_events::testing
