// A spool in a folder of its own, and what tests do with it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "forward/samples.h"
#include "kube/temp_dir.h"
#include "kube_events/forward/spool.h"

namespace kube_events::testing {

class SpoolFixture : public ::testing::Test {
 protected:
  // Opens it anew, after closing it where it was open.
  void Open() {
    spool_.reset();
    auto opened = Spool::Open(options_);
    ASSERT_TRUE(opened) << opened.error().message;
    spool_ = std::move(opened->spool);
    damaged_ = opened->damaged;
    first_problem_ = opened->first_problem;
    intact_until_ = opened->intact_until;
  }
  Result<void> Append(int first, int last) { return spool_->Append(Batch(first, last)); }

  static std::vector<RecordPtr> Batch(int first, int last) {
    std::vector<RecordPtr> batch;
    for (int i = first; i <= last; ++i) batch.push_back(SmallRecord(i));
    return batch;
  }

  // All records from `from` on, as their numbers in SmallRecord; "gap" for gaps.
  std::string From(std::uint64_t from) {
    std::string names;
    while (from < spool_->End()) {
      const auto records = spool_->Peek(from, 100, std::size_t{1} << 20).value();
      if (records.empty()) return names + " nothing";
      for (const RecordPtr& record : records) names += (names.empty() ? "" : " ") + NameOf(*record);
      from += records.size();
    }
    return names;
  }
  std::string All() { return From(spool_->Front()); }

  static std::string NameOf(const Record& record) {
    if (record.type == RecordType::kGap) return "gap";
    const std::string begin = R"("uid":"u)";
    const std::size_t at = record.object.find(begin) + begin.size();
    return record.object.substr(at, record.object.find('"', at) - at);
  }

  // The spool files that there are, oldest first.
  std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(options_.folder)) {
      if (entry.path().extension() == ".spool") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  TempDir dir_;
  SpoolOptions options_{dir_.path() / "sink", std::uint64_t{1} << 20, 1000};
  std::unique_ptr<Spool> spool_;
  std::uint64_t damaged_ = 0;
  std::string first_problem_;
  OptionalTime intact_until_;
};

}  // namespace kube_events::testing
