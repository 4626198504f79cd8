#include "supervisor/reload_world.h"

#include <sstream>

namespace kube_events {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

constexpr bool IsGood(std::uint64_t content) { return content != 0 && content % 2 == 0; }

ReloadOptions Options(std::uint64_t seed) {
  ReloadOptions options;
  options.reload_timeout = std::chrono::hours{24};
  options.retrigger.seed = options.busy.seed = options.failed.seed = seed;
  return options;
}

}  // namespace

History RandomHistory(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](std::vector<double> values) {
    return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
  };
  History history{.seed = seed,
                  .swallow = pick({0, 0, 0.2, 0.5, 0.8}),
                  .slow = pick({0, 0.1, 0.5}),
                  .unseen = pick({0, 0.1, 0.5}),
                  .flicker = pick({0, 0, 0.5}),
                  .by_log = pick({0, 0, 1}) > 0};
  const auto writes = std::uniform_int_distribution<int>(1, 14)(random);
  for (int i = 0; i < writes; ++i) {
    DiskWrite write;
    write.kind = static_cast<DiskWrite::Kind>(std::discrete_distribution<int>({6, 2, 1, 1, 3})(random));
    const int longest = static_cast<int>(pick({2, 30, 400, 3'000, 15'000}));
    write.after = std::chrono::milliseconds{std::uniform_int_distribution<int>(0, longest)(random)};
    write.in_place = std::bernoulli_distribution(0.3)(random);
    write.forced = std::bernoulli_distribution(0.05)(random);
    history.writes.push_back(write);
  }
  return history;
}

std::string Describe(const History& history) {
  constexpr const char* kKinds[] = {"good", "bad", "empty", "touch", "back"};
  std::ostringstream text;
  text << "seed " << history.seed << ", swallow " << history.swallow << ", slow " << history.slow << ", unseen "
       << history.unseen << ", flicker " << history.flicker << (history.by_log ? ", by log" : ", by count") << ":";
  for (const DiskWrite& write : history.writes) {
    text << " +" << write.after.count() << "ms " << kKinds[static_cast<int>(write.kind)]
         << (write.in_place ? " in place" : "") << (write.forced ? " forced" : "") << ";";
  }
  return text.str();
}

ReloadWorld::ReloadWorld(const History& history)
    : history_(history), random_(history.seed), controller_(Options(history.seed), Scan()) {}

void ReloadWorld::Play() {
  MonotonicTime when = now_;
  for (const DiskWrite& write : history_.writes) {
    when += write.after;
    At(when, [this, write] { Write(write); });
  }
  end_ = when + std::chrono::hours{3};
  In(Between(0, 2'000), [this] { Step(reload_input::ChildReady{}); });
  In(Ms{0}, [this] { Rehash(); });
  while (!events_.empty() && events_.top().at <= end_) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.run();
  }
}

std::string ReloadWorld::Complaint() const {
  std::ostringstream text;
  if (!good_.contains(running_)) text << "what runs was never a good content of the disk. ";
  if (IsGood(disk_) && running_ != disk_) text << "the disk has " << disk_ << ", but " << running_ << " runs. ";
  if (IsGood(disk_) && controller_.Pending()) text << "the controller does not know that it runs. ";
  if (!IsGood(disk_) && !controller_.Pending()) text << "the controller takes a refused content for applied. ";
  if (controller_.Running() && *controller_.Running() != running_) text << "the controller believes what is not so. ";
  if (reloads_ > 2 * changes_ + triggers_ - reloads_) text << reloads_ << " reloads for " << changes_ << " changes. ";
  if (overlaps_ > 0) text << "two reloads at a time. ";
  if (!text.str().empty()) text << "state " << ToString(controller_.State());
  return text.str();
}

void ReloadWorld::Put(std::uint64_t content) {
  disk_ = content;
  ++stamp_;
  if (IsGood(content)) good_.insert(content);
  Notice();
}

void ReloadWorld::Write(const DiskWrite& write) {
  std::uint64_t content = disk_;
  if (write.kind == DiskWrite::Kind::kGood) content = next_;
  if (write.kind == DiskWrite::Kind::kBad) content = next_ + 1;
  if (write.kind == DiskWrite::Kind::kEmpty) content = 0;
  if (write.kind == DiskWrite::Kind::kBack) {
    content = earlier_[std::uniform_int_distribution<std::size_t>(0, earlier_.size() - 1)(random_)];
  }
  next_ += 2;
  earlier_.push_back(content);
  ++changes_;
  if (write.in_place) {
    ++changes_;
    Put(0);
    const auto later = stamp_;
    In(Between(1, 20), [this, content, later] {
      if (stamp_ == later) Put(content);
    });
  } else {
    Put(content);
  }
  if (write.forced) {
    ++changes_;
    Step(reload_input::Forced{});
  }
}

// Writes and takes it back: A, B, A, with B in the very moment in which the file is read.
void ReloadWorld::Flicker(bool good) {
  constexpr int kMost = 5;
  if (flickers_ >= kMost || !Chance(history_.flicker)) return;
  ++flickers_;
  changes_ += 2;
  const auto before = disk_;
  next_ += 2;
  Put(good ? next_ : next_ + 1);
  const auto mine = stamp_;
  In(Between(0, 10), [this, before, mine] {
    if (stamp_ == mine) Put(before);
  });
}

void ReloadWorld::Notice() {
  if (Chance(history_.unseen)) return;
  debouncer_.OnChange(now_);
  LookIfDue();
}

void ReloadWorld::LookIfDue() {
  if (debouncer_.Take(now_)) {
    Step(reload_input::Seen{Scan()});
  } else if (const auto due = debouncer_.Due()) {
    At(*due, [this] { LookIfDue(); });
  }
}

void ReloadWorld::Rehash() {
  Step(reload_input::Seen{Scan()});
  In(Ms{30'000}, [this] { Rehash(); });
}

SeenConfig ReloadWorld::Scan() const { return {disk_, stamp_, disk_ == 0 ? "it is empty" : ""}; }

void ReloadWorld::Step(const ReloadInput& input) {
  for (const ReloadEffect& effect : controller_.Step(now_, input)) Carry(effect);
  Arm();
}

void ReloadWorld::Arm() {
  const auto wake = controller_.NextWake();
  const auto mine = ++wake_;
  if (!wake) return;
  At(*wake, [this, mine] {
    if (mine == wake_) Step(reload_input::Tick{});
  });
}

void ReloadWorld::Carry(const ReloadEffect& effect) {
  using namespace reload_effect;
  std::visit(Overloaded{[this](const ScanConfig&) { In(Ms{0}, [this] { Step(reload_input::Seen{Scan()}); }); },
                        [this](const CheckConfig&) {
                          In(Between(1, 20), [this] {  // the moment at which the file is read
                            Flicker(false);
                            const bool good = IsGood(disk_) || disk_ == 0;
                            In(Between(1, 20), [this, good] {
                              using Verdict = reload_input::Checked::Verdict;
                              Step(reload_input::Checked{good ? Verdict::kGood : Verdict::kBad, "bad"});
                            });
                          });
                        },
                        [this](const ReadCount&) {
                          In(Between(0, 5), [this] {
                            const auto count = Count();
                            In(Between(0, 5), [this, count] { Step(reload_input::Counted{count}); });
                          });
                        },
                        [this](const reload_effect::Trigger&) {
                          In(Between(0, 3), [this] {
                            const auto answer = Trigger();
                            In(Between(0, 3), [this, answer] { Step(reload_input::Triggered{answer, ""}); });
                          });
                        },
                        [](const auto&) {}},
             effect);
}

TriggerAnswer ReloadWorld::Trigger() {
  ++triggers_;
  if (reloading_) return TriggerAnswer::kBusy;
  if (now_ < deaf_until_ || Chance(history_.swallow)) return TriggerAnswer::kAccepted;
  Flicker(true);
  const std::uint64_t content = disk_;
  if (content % 2 == 1) {  // rejected: the old pipeline stays, and for about a second triggers are lost
    deaf_until_ = now_ + Ms{1'100};
    return TriggerAnswer::kAccepted;
  }
  if (reloading_) ++overlaps_;
  reloading_ = true;
  In(Chance(history_.slow) ? Between(2'000, 20'000) : Between(90, 1'000), [this, content] { FinishReload(content); });
  return TriggerAnswer::kAccepted;
}

void ReloadWorld::FinishReload(std::uint64_t content) {
  reloading_ = false;
  running_ = content;
  if (content == 0) good_.insert(0);  // an empty file that came between two looks is accepted; it must not stay
  ++count_;
  ++reloads_;
  deaf_until_ = now_ + Ms{100};
}

ReloadCount ReloadWorld::Count() const {
  ReloadCount count{.log_lines = count_, .log_visible = true};
  if (history_.by_log) {
    count.http_before = count.http_wanted = false;
  } else {
    count.http = count_;
  }
  return count;
}

}  // namespace kube_events
