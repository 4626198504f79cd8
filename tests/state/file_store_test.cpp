#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kube_events/state/checkpoint_store.h"
#include "state/samples.h"

namespace kube_events::testing {
namespace {

// root may do everything; while this exists, this thread may open files only as anybody else.
class WithoutRoot {
 public:
  WithoutRoot() {
    if (::geteuid() == 0) ::setfsuid(65'534);
  }
  ~WithoutRoot() { ::setfsuid(::geteuid()); }
  WithoutRoot(const WithoutRoot&) = delete;
  WithoutRoot& operator=(const WithoutRoot&) = delete;
};

std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class FileStoreTest : public ::testing::Test {
 protected:
  FileStoreTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "file-store-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ / "checkpoint.json";
  }
  ~FileStoreTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<CheckpointStore> Store(const std::string& cluster = "uid", MayWrite may_write = {}) {
    return MakeFileStore(
        path_,
        [cluster](const CallLimits&) {
          return ClusterIdentity{cluster, "server"};
        },
        std::move(may_write));
  }
  std::ptrdiff_t Files() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }
  std::string LoadReason(const std::string& cluster = "uid") {
    const auto loaded = Store(cluster)->Load({});
    if (!loaded) return loaded.error().reason;
    return *loaded ? "loaded" : "nothing";
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(FileStoreTest, LoadsWhatWasSaved) {
  const auto store = Store();
  EXPECT_EQ(LoadReason(), "nothing");
  ASSERT_TRUE(store->Load({}));
  const auto saved = store->Save(At("7", "us"), {});
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(saved->bytes, std::filesystem::file_size(path_));
  const auto loaded = Store()->Load({});
  ASSERT_TRUE(loaded && *loaded);
  EXPECT_EQ((*loaded)->scopes[0].position, "7");
  EXPECT_EQ((*loaded)->cluster, (ClusterIdentity{"uid", "server"}));
}

TEST_F(FileStoreTest, LeavesNothingElseBehind) {
  const auto store = Store();
  ASSERT_TRUE(store->Load({}));
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  ASSERT_TRUE(store->Save(At("8", "us"), {}));
  EXPECT_EQ(Files(), 1);
}

TEST_F(FileStoreTest, ACheckpointOfAnotherClusterIsRefusedAndKept) {
  const auto store = Store();
  ASSERT_TRUE(store->Load({}));
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  EXPECT_EQ(LoadReason("another uid"), "foreign");
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".old"));
  EXPECT_EQ(LoadReason("another uid"), "nothing");
}

TEST_F(FileStoreTest, ABrokenFileIsRefusedAndReplaced) {
  std::ofstream(path_) << "{\"format\": 1, \"clu";
  const auto store = Store();
  const auto loaded = store->Load({});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().reason, "broken");
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  EXPECT_EQ(LoadReason(), "loaded");
}

TEST_F(FileStoreTest, ANewerPositionOfAnotherProcessIsNotReplaced) {
  const auto ours = Store();
  const auto theirs = Store();
  ASSERT_TRUE(ours->Load({}));
  ASSERT_TRUE(theirs->Load({}));
  ASSERT_TRUE(ours->Save(At("7", "us"), {}));
  EXPECT_EQ(theirs->Save(At("9", "them"), {})->other_writer, "us");
  const auto refused = ours->Save(At("8", "us"), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kConflict);
  EXPECT_EQ(ours->Save(At("10", "us"), {})->other_writer, "them");
}

TEST_F(FileStoreTest, AFutureFormatIsRefusedAndKept) {
  const std::string future = R"({"format": 2})";
  std::ofstream(path_) << future;
  const auto store = Store();
  EXPECT_EQ(store->Load({}).error().reason, "future");
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
  EXPECT_EQ(LoadReason(), "loaded");
  EXPECT_EQ(ContentOf(path_.string() + ".old"), future);
}

TEST_F(FileStoreTest, AFormerLeaderWritesNothing) {
  // It has lost its Lease before the write, or while the disk took its time.
  for (const int questions : {0, 1}) {
    int left = 100;
    const auto store = Store("uid", [&] { return left-- > 0; });
    ASSERT_TRUE(store->Load({}));
    ASSERT_TRUE(store->Save(At("7", "us"), {}));
    const std::string before = ContentOf(path_);
    left = questions;
    const auto refused = store->Save(At("9", "us"), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::kCancelled);
    EXPECT_EQ(ContentOf(path_), before);
    EXPECT_EQ(Files(), 1);
  }
}

TEST_F(FileStoreTest, AReadOnlyFolderIsAFailureThatNamesTheFile) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  const WithoutRoot without_root;
  const auto store = Store();
  ASSERT_TRUE(store->Load({}));
  const auto saved = store->Save(At("7", "us"), {});
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find(path_.string()), std::string::npos);
  EXPECT_NE(saved.error().message.find("denied"), std::string::npos) << saved.error().message;
}

TEST_F(FileStoreTest, AFileThatMayNotBeReadIsRefusedAndKept) {
  std::ofstream(path_) << "secret";
  ASSERT_EQ(::chmod(path_.c_str(), 0), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  const WithoutRoot without_root;
  const auto store = Store();
  const auto loaded = store->Load({});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::kInvalid) << "nothing is to be waited for";
  EXPECT_NE(loaded.error().message.find("denied"), std::string::npos) << loaded.error().message;
  EXPECT_TRUE(std::filesystem::exists(path_.string() + ".old"));
  ASSERT_TRUE(store->Save(At("7", "us"), {}));
}

TEST_F(FileStoreTest, AFolderThatIsNotThereIsAFailureThatNamesTheFile) {
  path_ = folder_ / "missing" / "checkpoint.json";
  const auto store = Store();
  ASSERT_TRUE(store->Load({}));
  const auto saved = store->Save(At("7", "us"), {});
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find(path_.string()), std::string::npos);
}

TEST_F(FileStoreTest, WithoutKnowingTheClusterNothingIsLoaded) {
  const auto store = MakeFileStore(
      path_, [](const CallLimits&) -> Result<ClusterIdentity> { return Fail(ErrorKind::kRetry, "away"); });
  const auto loaded = store->Load({});
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::kRetry);
}

}  // namespace
}  // namespace kube_events::testing
