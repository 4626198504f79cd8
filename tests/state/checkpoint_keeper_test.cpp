#include "kube_events/state/checkpoint_keeper.h"

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>

#include "kube/temp_dir.h"
#include "state/samples.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace kube_events::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class FakeStore final : public CheckpointStore {
 public:
  Result<std::optional<Checkpoint>> Load(const CallLimits&) override {
    const std::lock_guard lock(mutex_);
    ++loads;
    if (load_results.empty()) return std::nullopt;
    auto result = std::move(load_results.front());
    load_results.pop_front();
    return result;
  }
  Result<SavedCheckpoint> Save(Checkpoint checkpoint, const CallLimits& limits) override {
    std::unique_lock lock(mutex_);
    if (blocked) {
      changed.wait_for(lock, limits.stop, limits.timeout, [this] { return !blocked; });
      if (blocked) return Fail(ErrorKind::kCancelled, "cancelled");
    }
    if (failure) return Fail(*failure);
    saved.push_back(std::move(checkpoint));
    return SavedCheckpoint{.bytes = bytes, .cut = false, .other_writer = other_writer};
  }
  std::string Name() const override { return "fake"; }
  double MaxBytesPerSecond() const override { return 1000; }
  std::size_t MostTotals() const override { return 100; }

  std::size_t Saves() {
    const std::lock_guard lock(mutex_);
    return saved.size();
  }
  void Set(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    failure = std::move(error);
  }

  std::mutex mutex_;
  std::condition_variable_any changed;
  std::deque<Result<std::optional<Checkpoint>>> load_results;
  std::vector<Checkpoint> saved;
  std::optional<Error> failure;
  bool blocked = false;
  std::size_t bytes = 100;
  std::string other_writer;
  int loads = 0;
};

class KeeperTest : public ::testing::Test, private OccurrenceSink, private CheckpointMonitor {
 protected:
  KeeperTest() {
    options_.scopes.emplace_back();
    options_.writer = "us";
    ForgetCounts();
  }
  // As a process that starts.
  void ForgetCounts() {
    OccurrenceCounterOptions counter;
    counter.scopes = options_.scopes;
    counter_.emplace(counter, static_cast<OccurrenceSink&>(*this));
  }
  void Begin() { BeginWith(store_); }
  void BeginWith(CheckpointStore& store) {
    keeper_.emplace(options_, CheckpointKeeperParts{store, *counter_, clock_, *this, Logger()});
  }
  // A cold first list.
  void List() {
    counter_->OnListBegin(0, ListReason::kFirst, clock_.Wall());
    counter_->OnListCommitted(0, "5", clock_.Wall());
  }
  void Positions(const std::string& version) { keeper_->OnPositions({{version, clock_.Wall()}}); }
  // What the informer does in each round.
  void Round(const std::string& version) {
    if (keeper_->WantsPositions()) Positions(version);
  }
  bool Written(const std::string& result, int times) {
    return Eventually([&] {
      const std::lock_guard lock(mutex_);
      return results_[result] == times;
    });
  }

  FakeClock clock_;
  FakeStore store_;
  CheckpointKeeperOptions options_;
  std::optional<OccurrenceCounter> counter_;
  Heartbeat heartbeat_{clock_, "informer", minutes{1}};
  std::mutex mutex_;
  std::map<std::string, int> results_;
  std::optional<CheckpointKeeper> keeper_;

 private:
  void OnOccurrences(const Change&, const Occurrences&) override {}
  void OnWrite(std::string_view result, const SavedCheckpoint*) override {
    const std::lock_guard lock(mutex_);
    ++results_[std::string(result)];
  }
  void OnLoaded(WallTime) override {}
};

TEST_F(KeeperTest, WritesAtMostOncePerInterval) {
  Begin();
  List();
  EXPECT_FALSE(keeper_->WantsPositions());
  clock_.Advance(seconds{10});
  Round("6");
  ASSERT_TRUE(Written("ok", 1));
  EXPECT_TRUE(Eventually([&] { return store_.Saves() == 1; }));
  clock_.Advance(seconds{9});
  EXPECT_FALSE(keeper_->WantsPositions());
  clock_.Advance(seconds{1});
  ASSERT_TRUE(Eventually([&] { return keeper_->WantsPositions(); }));
  Round("7");
  ASSERT_TRUE(Written("ok", 2));
  EXPECT_EQ(store_.saved[1].scopes.at(0).position, "7");
  EXPECT_EQ(store_.saved[1].writer, "us");
}

TEST_F(KeeperTest, QuietIsWrittenEveryFiveMinutes) {
  Begin();
  List();
  clock_.Advance(seconds{10});
  Round("6");
  ASSERT_TRUE(Written("ok", 1));
  for (int i = 0; i < 29; ++i) {
    clock_.Advance(seconds{10});
    ASSERT_TRUE(Eventually([&] { return keeper_->WantsPositions(); }));
    Round("6");
  }
  EXPECT_EQ(store_.Saves(), 1U);
  clock_.Advance(seconds{10});
  Round("6");
  ASSERT_TRUE(Written("ok", 2));
  EXPECT_EQ(store_.saved[1].scopes.at(0).observed_until, clock_.Wall());
}

TEST_F(KeeperTest, LargeCheckpointsAreWrittenLessOften) {
  store_.bytes = 60'000;
  Begin();
  List();
  clock_.Advance(seconds{10});
  Round("6");
  ASSERT_TRUE(Written("ok", 1));
  clock_.Advance(seconds{59});
  EXPECT_FALSE(keeper_->WantsPositions());
  clock_.Advance(seconds{1});
  EXPECT_TRUE(Eventually([&] { return keeper_->WantsPositions(); }));
}

TEST_F(KeeperTest, NothingIsWrittenBeforeTheFirstList) {
  Begin();
  clock_.Advance(seconds{10});
  Round("");
  keeper_->Finish(milliseconds{100});
  EXPECT_EQ(store_.Saves(), 0U);
}

TEST_F(KeeperTest, AFailureIsCountedByItsReasonAndTriedAgain) {
  store_.failure = Error{ErrorKind::kForbidden, "no"};
  Begin();
  List();
  clock_.Advance(seconds{10});
  Round("6");
  ASSERT_TRUE(Written("forbidden", 1));
  store_.Set(Error{ErrorKind::kInvalid, "big", {}, "RequestEntityTooLarge"});
  clock_.Advance(minutes{2});
  ASSERT_TRUE(Eventually([&] { return keeper_->WantsPositions(); }));
  Round("6");
  ASSERT_TRUE(Written("too_large", 1));
  store_.Set(std::nullopt);
  clock_.Advance(minutes{2});
  ASSERT_TRUE(Eventually([&] { return keeper_->WantsPositions(); }));
  Round("6");
  EXPECT_TRUE(Written("ok", 1));
}

TEST_F(KeeperTest, AStoreThatDoesNotAnswerHoldsUpNobodyAndTheLastOneIsWrittenAtTheEnd) {
  store_.blocked = true;
  Begin();
  List();
  clock_.Advance(seconds{10});
  Round("6");
  Positions("7");  // the informer has ended
  std::jthread releases([this] {
    const std::lock_guard lock(store_.mutex_);
    store_.blocked = false;
    store_.changed.notify_all();
  });
  keeper_->Finish(seconds{5});
  ASSERT_GE(store_.Saves(), 1U);
  EXPECT_EQ(store_.saved.back().scopes.at(0).position, "7");
}

TEST_F(KeeperTest, WhatIsNotOursToSaveIsNotSaved) {
  options_.may_save = [] { return false; };
  Begin();
  List();
  clock_.Advance(seconds{10});
  Round("6");
  keeper_->Finish(milliseconds{100});
  EXPECT_EQ(store_.Saves(), 0U);
}

TEST_F(KeeperTest, AFormerLeaderWritesNothingAlsoNotAtItsEnd) {
  const TempDir dir;
  const std::filesystem::path file = dir.path() / "checkpoint.json";
  const auto store = MakeFileStore(
      file,
      [](const CallLimits&) {
        return ClusterIdentity{"uid", "server"};
      },
      [] { return false; });
  BeginWith(*store);
  List();
  clock_.Advance(seconds{10});
  Positions("6");  // composed while it led
  keeper_->Finish(seconds{5});
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(results_.empty()) << "that is no failure";
  keeper_.reset();  // before its store
}

TEST_F(KeeperTest, AnotherWriterIsAConflictAlsoWhereItIsBehind) {
  store_.other_writer = "them";
  Begin();
  List();
  clock_.Advance(seconds{10});
  Round("6");
  EXPECT_TRUE(Written("ok", 1));
  EXPECT_TRUE(Written("conflict", 1));
}

TEST_F(KeeperTest, ClocksOfReplicasMayDifferByDays) {
  Begin();
  List();
  clock_.Advance(seconds{10});
  clock_.SetWall(clock_.Wall() + std::chrono::hours{48});
  Round("6");
  ASSERT_TRUE(Written("ok", 1));
  store_.load_results.emplace_back(store_.saved.at(0));
  clock_.SetWall(clock_.Wall() - std::chrono::hours{96});
  keeper_.reset();
  ForgetCounts();
  Begin();
  const auto resume = keeper_->Load({}, heartbeat_);
  ASSERT_TRUE(resume.at(0));
  EXPECT_EQ(resume[0]->version, "6");
  clock_.Advance(seconds{10});
  Round("7");
  EXPECT_TRUE(Written("ok", 2)) << "due by a clock that nobody sets";
}

TEST_F(KeeperTest, GoesOnFromWhatIsLoaded) {
  Checkpoint checkpoint = Sample(3, 2);
  checkpoint.scopes[0].scope = {};
  store_.load_results.emplace_back(checkpoint);
  Begin();
  const auto resume = keeper_->Load({}, heartbeat_);
  ASSERT_TRUE(resume.at(0));
  EXPECT_EQ(resume[0]->version, "4711");
  EXPECT_EQ(counter_->Stats().tombstones, 5U);
}

TEST_F(KeeperTest, WhatMustNotBeUsedIsAColdStart) {
  store_.load_results.emplace_back(Fail({ErrorKind::kInvalid, "foreign", {}, "foreign"}));
  Begin();
  EXPECT_FALSE(keeper_->Load({}, heartbeat_).at(0));
  EXPECT_EQ(store_.loads, 1);
}

TEST_F(KeeperTest, AnUnreachableStoreIsAskedAgain) {
  store_.load_results.emplace_back(Fail(ErrorKind::kRetry, "away"));
  Checkpoint checkpoint = Sample();
  checkpoint.scopes[0].scope = {};
  store_.load_results.emplace_back(checkpoint);
  Begin();
  EXPECT_TRUE(keeper_->Load({}, heartbeat_).at(0));
  EXPECT_EQ(store_.loads, 2);
}

TEST_F(KeeperTest, LoadingEndsWhenTheInformerIsToStop) {
  for (int i = 0; i < 100; ++i) store_.load_results.emplace_back(Fail(ErrorKind::kRetry, "away"));
  Begin();
  std::stop_source stop;
  std::jthread load([&] { keeper_->Load(stop.get_token(), heartbeat_); });
  EXPECT_TRUE(Eventually([&] {
    const std::lock_guard lock(store_.mutex_);
    return store_.loads > 0;
  }));
  stop.request_stop();
  load.join();
}

}  // namespace
}  // namespace kube_events::testing
