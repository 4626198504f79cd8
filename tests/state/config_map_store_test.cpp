// Against the simulated API server, over real sockets.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kube_events/state/checkpoint_store.h"
#include "net/client_under_test.h"
#include "sim/sim_server.h"
#include "state/samples.h"

namespace kube_events::testing {
namespace {

using nlohmann::json;

class NoCredentials final : public Credentials {
 public:
  Result<std::vector<HttpHeader>> Headers() override { return std::vector<HttpHeader>{}; }
  void Refresh() override {}
};

class ConfigMapStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<CheckpointStore> Store(MayWrite may_write = {}) {
    return MakeConfigMapStore(objects_, "shop", "checkpoint", std::move(may_write));
  }
  std::string LoadReason() {
    const auto loaded = Store()->Load({});
    if (!loaded) return loaded.error().reason;
    return *loaded ? "loaded" : "nothing";
  }
  json Stored() { return objects_.Get(kPath, {}).value_or(json()); }
  void Put(json data) {
    json object{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "checkpoint"}}}};
    object["data"] = std::move(data);
    ASSERT_TRUE(objects_.Create(kPath, object, {}));
  }
  void Refuse(int status, const std::string& reason, const std::string& verb) {
    sim::Fault fault;
    fault.verb = verb;
    fault.resource = "configmaps";
    fault.action = sim::FaultAction::kStatus;
    fault.status = status;
    fault.reason = reason;
    fault.times = 1;
    server_.AddFault(fault);
  }

  const ObjectPath kPath{"", "configmaps", "shop", "checkpoint"};
  sim::SimServer server_;
  std::unique_ptr<HttpClient> http_ = ClientOf(server_.Url());
  NoCredentials credentials_;
  ObjectClient objects_{*http_, credentials_};
};

TEST_F(ConfigMapStoreTest, IsMadeWhereThereIsNoneAndNamesItsOwnUid) {
  const auto store = Store();
  EXPECT_EQ(LoadReason(), "nothing");
  ASSERT_TRUE(store->Load({}));
  const auto saved = store->Save(At("7", "us"), {});
  ASSERT_TRUE(saved) << saved.error().message;
  const json object = Stored();
  const json checkpoint = json::parse(object["data"]["checkpoint.json"].get<std::string>());
  EXPECT_EQ(checkpoint["cluster"]["uid"], object["metadata"]["uid"]);
  const auto loaded = Store()->Load({});
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->scopes[0].position, "7");
}

TEST_F(ConfigMapStoreTest, AnEmptyOneThatAnAdministratorMadeIsUsed) {
  Put(json::object());
  const auto store = Store();
  const auto loaded = store->Load({});
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(*loaded);
  EXPECT_TRUE(store->Save(At("7", "us"), {}));
}

TEST_F(ConfigMapStoreTest, SomebodyElsesIsNeverTouched) {
  Put({{"app.conf", "x"}});
  const json before = Stored();
  const auto store = Store();
  EXPECT_EQ(store->Load({}).error().kind, ErrorKind::kConfiguration);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(store->Save(At("7", "us"), {}).error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(Stored(), before);
}

TEST_F(ConfigMapStoreTest, ACopyFromAnotherClusterIsForeignAndIsReplaced) {
  const auto first = Store();
  ASSERT_TRUE(first->Save(At("7", "us"), {}));
  json copy = Stored();
  json checkpoint = json::parse(copy["data"]["checkpoint.json"].get<std::string>());
  checkpoint["cluster"]["uid"] = "of another one";
  copy["data"]["checkpoint.json"] = checkpoint.dump();
  ASSERT_TRUE(objects_.Replace(kPath, copy, {}));
  EXPECT_EQ(LoadReason(), "foreign");
  const auto store = Store();
  EXPECT_FALSE(store->Load({}));
  EXPECT_TRUE(store->Save(At("3", "them"), {}));
  EXPECT_EQ(LoadReason(), "loaded");
}

TEST_F(ConfigMapStoreTest, ANewerPositionOfAnotherProcessIsNotReplaced) {
  const auto ours = Store();
  const auto theirs = Store();
  ASSERT_TRUE(ours->Save(At("7", "us"), {}));
  const auto later = theirs->Save(At("9", "them"), {});
  ASSERT_TRUE(later);
  EXPECT_EQ(later->other_writer, "us");
  for (int i = 0; i < 2; ++i) {
    const auto refused = ours->Save(At("8", "us"), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  }
  const auto caught_up = ours->Save(At("10", "us"), {});
  ASSERT_TRUE(caught_up) << caught_up.error().message;
  EXPECT_EQ(caught_up->other_writer, "them");
}

TEST_F(ConfigMapStoreTest, AFormerLeaderWritesNothing) {
  bool leads = true;
  const auto store = Store([&] { return leads; });
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  const json before = Stored();
  leads = false;
  const auto refused = store->Save(At("9", "us"), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(Stored(), before);
}

// It is further than the new leader, and what it has just read is the newest there is.
TEST_F(ConfigMapStoreTest, ALeaderThatIsReplacedBetweenReadingAndWritingWritesNothing) {
  int left = 100;
  const auto former = Store([&] { return left-- > 0; });
  const auto next = Store();
  ASSERT_TRUE(former->Save(At("7", "former"), {}));
  ASSERT_TRUE(next->Save(At("8", "next"), {}));
  const json before = Stored();
  left = 3;  // before and behind a reading that is not needed, and before the one after the conflict
  const auto refused = former->Save(At("9", "former"), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(left, -1) << "it was asked once more, behind the reading";
  EXPECT_EQ(Stored(), before);
}

TEST_F(ConfigMapStoreTest, WhatAFormerLeaderWroteLastIsReplacedOnceTheNewOneIsAsFar) {
  const auto former = Store();
  ASSERT_TRUE(former->Save(At("7", "former"), {}));
  const auto next = Store();
  ASSERT_TRUE(next->Load({}));
  ASSERT_TRUE(former->Save(At("9", "former"), {}));  // was under way when its Lease was over
  EXPECT_EQ(next->Save(At("8", "next"), {}).error().kind, ErrorKind::kConflict);
  EXPECT_TRUE(next->Save(At("9", "next"), {}));
  EXPECT_EQ(former->Save(At("8", "former"), {}).error().kind, ErrorKind::kConflict);
}

TEST_F(ConfigMapStoreTest, AConflictWithAnOlderPositionIsReadAgainAndReplaced) {
  const auto ours = Store();
  ASSERT_TRUE(ours->Save(At("7", "us"), {}));
  json object = Stored();
  object["metadata"]["labels"]["team"] = "a";
  ASSERT_TRUE(objects_.Replace(kPath, object, {}));
  ASSERT_TRUE(ours->Save(At("8", "us"), {}));
  EXPECT_EQ(Stored()["metadata"]["labels"]["team"], "a");
}

TEST_F(ConfigMapStoreTest, IsMadeAnewAfterItWasDeleted) {
  const auto store = Store();
  Refuse(404, "NotFound", "update");
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  EXPECT_EQ(LoadReason(), "loaded");
}

TEST_F(ConfigMapStoreTest, RefusalsHaveTheirKind) {
  const auto store = Store();
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  Refuse(403, "Forbidden", "update");
  EXPECT_EQ(store->Save(At("8", "us"), {}).error().kind, ErrorKind::kForbidden);
  Refuse(413, "RequestEntityTooLarge", "update");
  EXPECT_EQ(store->Save(At("8", "us"), {}).error().reason, "RequestEntityTooLarge");
  Refuse(503, "ServiceUnavailable", "update");
  EXPECT_EQ(store->Save(At("8", "us"), {}).error().kind, ErrorKind::kRetry);
  EXPECT_TRUE(store->Save(At("8", "us"), {}));
}

TEST_F(ConfigMapStoreTest, ABrokenOneIsRefusedAndReplaced) {
  Put({{"checkpoint.json", "{\"format\": 1, \"clu"}});
  const auto store = Store();
  EXPECT_EQ(store->Load({}).error().reason, "broken");
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  EXPECT_EQ(LoadReason(), "loaded");
}

TEST_F(ConfigMapStoreTest, AFutureFormatIsRefusedAndReplaced) {
  Put({{"checkpoint.json", "{\"format\": 2}"}});
  const auto store = Store();
  EXPECT_EQ(store->Load({}).error().reason, "future");
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  EXPECT_EQ(LoadReason(), "loaded");
}

TEST_F(ConfigMapStoreTest, AllRequestsOfASaveTogetherHaveItsTime) {
  server_.AddFault({.resource = "configmaps", .times = -1, .action = sim::FaultAction::kDelay, .delay_ms = 600});
  const auto saved = Store()->Save(At("7", "us"), {.timeout = std::chrono::milliseconds{1'000}});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().kind, ErrorKind::kRetry);
  EXPECT_EQ(server_.State().requests.count("update configmaps"), 0U);
}

TEST_F(ConfigMapStoreTest, TakesAtMost256KiB) {
  Checkpoint large = Sample(30'000, 0);
  const auto saved = Store()->Save(large, {});
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_TRUE(saved->cut);
  EXPECT_LE(saved->bytes, 256U * 1024);
}

}  // namespace
}  // namespace kube_events::testing
