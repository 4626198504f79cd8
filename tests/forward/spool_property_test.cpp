// Random work and random damage against a list of numbers that says what has to be there.
// KUBE_EVENTS_SEED repeats a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "forward/disk_trouble.h"
#include "forward/files.h"
#include "forward/spool_file.h"
#include "forward/spool_fixture.h"

namespace kube_events::testing {
namespace {

namespace fs = std::filesystem;

class SpoolPropertyTest : public SpoolFixture {
 protected:
  SpoolPropertyTest() {
    options_.max_bytes = 12'000;
    options_.file_bytes = 900;
  }

  // Begins with an empty folder.
  void Run(unsigned seed) {
    random_.seed(seed);
    spool_.reset();
    fs::remove_all(options_.folder);
    last_ = damages_ = 0;
    expected_.clear();
    flipped_.clear();
    Open();
    for (int step = 0; step < 60 && !HasFailure(); ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      Step();
      if (!HasFailure()) Compare();
    }
  }

 private:
  int Below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  void Step() {
    switch (Below(12)) {
      case 0:
        return Open();
      case 1:
        return FlipAByte();
      case 2:
        return TearTheEnd();
      case 3:
        return AppendToAFullDisk();
      case 4:
      case 5:
      case 6:
        return Remove();
      default:
        return AppendSome();
    }
  }

  std::vector<RecordPtr> NewBatch() {
    std::vector<RecordPtr> batch;
    for (int i = Below(6) + 1; i > 0; --i) {
      const auto size = static_cast<std::size_t>(Below(4) == 0 ? Below(2000) : Below(50));
      batch.push_back(SmallRecord(++last_, std::string(size, 'm')));
    }
    return batch;
  }
  void Took(const std::vector<RecordPtr>& batch) {
    for (const RecordPtr& record : batch) expected_.push_back(NameOf(*record));
  }

  void AppendSome() {
    const auto batch = NewBatch();
    auto appended = spool_->Append(batch);
    if (!appended) {
      ASSERT_EQ(appended.error().reason, "full");
      const auto dropped = static_cast<std::ptrdiff_t>(spool_->DropOldestFor(batch));
      ASSERT_LE(dropped, std::ssize(expected_));
      expected_.erase(expected_.begin(), expected_.begin() + dropped);
      appended = spool_->Append(batch);
    }
    ASSERT_TRUE(appended) << appended.error().message;
    Took(batch);
  }

  void AppendToAFullDisk() {
    const auto batch = NewBatch();
    const FileSizeLimit limit(static_cast<std::uint64_t>(Below(1000)));
    if (spool_->Append(batch)) Took(batch);
  }

  void Remove() {
    const int count = Below(static_cast<int>(expected_.size()) + 1);
    spool_->RemoveBefore(spool_->Front() + static_cast<std::uint64_t>(count));
    expected_.erase(expected_.begin(), expected_.begin() + count);
  }

  // At most one record may be gone.
  void FlipAByte() {
    const auto files = Files();
    if (files.empty()) return;
    const fs::path& file = files[static_cast<std::size_t>(Below(static_cast<int>(files.size())))];
    std::string content = ContentOf(file);
    if (content.size() <= kSpoolHeaderBytes) return;
    const std::size_t at = kSpoolHeaderBytes + random_() % (content.size() - kSpoolHeaderBytes);
    if (!flipped_.insert({file.string(), at}).second) return;
    spool_.reset();
    content[at] = static_cast<char>(content[at] ^ 1);
    SetContent(file, content);
    const auto before = expected_.size();
    AdoptWhatIsLeft();
    EXPECT_LE(before - expected_.size(), 1u);
  }

  // Only records at the end may be gone.
  void TearTheEnd() {
    const auto files = Files();
    if (files.empty()) return;
    spool_.reset();
    const auto size = fs::file_size(files.back());
    fs::resize_file(files.back(), size - std::min<std::uintmax_t>(size, static_cast<std::uintmax_t>(Below(300))));
    const auto before = expected_;
    AdoptWhatIsLeft();
    EXPECT_TRUE(std::equal(expected_.begin(), expected_.end(), before.begin()));
  }

  // Opens it anew; what is there has to be some of what was expected, in order.
  void AdoptWhatIsLeft() {
    ++damages_;
    Open();
    const auto left = Names();
    auto next = expected_.begin();
    for (const std::string& name : left) {
      next = std::find(next, expected_.end(), name);
      ASSERT_NE(next, expected_.end()) << name << " came from nowhere";
      ++next;
    }
    expected_ = left;
  }

  std::vector<std::string> Names() {
    std::istringstream words(All());
    std::vector<std::string> names;
    for (std::string word; words >> word;) names.push_back(word);
    return names;
  }

  void Compare() {
    EXPECT_EQ(Names(), expected_);
    EXPECT_EQ(spool_->Stats().records, expected_.size());
    EXPECT_EQ(spool_->End() - spool_->Front(), expected_.size());
    EXPECT_LE(spool_->Stats().bytes, options_.max_bytes);
    std::uint64_t bytes = 0;
    for (const fs::path& file : Files()) bytes += fs::file_size(file);
    EXPECT_LE(spool_->Stats().bytes, bytes);
    if (damages_ == 0) {
      EXPECT_EQ(spool_->Stats().bytes, bytes);
      EXPECT_EQ(damaged_, 0u) << first_problem_;
    }
  }

  std::mt19937 random_;
  int last_ = 0;
  int damages_ = 0;
  std::vector<std::string> expected_;
  std::set<std::pair<std::string, std::size_t>> flipped_;
};

TEST_F(SpoolPropertyTest, HoldsWhatItShouldWhateverIsDoneToIt) {
  const char* const given = std::getenv("KUBE_EVENTS_SEED");
  const unsigned first = given != nullptr ? static_cast<unsigned>(std::stoul(given)) : std::random_device{}();
  std::cout << "KUBE_EVENTS_SEED=" << first << "\n";
  for (unsigned i = 0; i < 20 && !HasFailure(); ++i) {
    SCOPED_TRACE("history " + std::to_string(i));
    Run(first + i);
  }
}

}  // namespace
}  // namespace kube_events::testing
