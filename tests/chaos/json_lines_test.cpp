#include "chaos/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "kube/temp_dir.h"

namespace kube_events::chaos {
namespace {

using testing::ElementsAre;

class JsonLinesTest : public testing::Test {
 protected:
  void Append(const std::string& text) { std::ofstream(path_, std::ios::app | std::ios::binary) << text; }
  void Rotate() {
    if (std::filesystem::exists(path_.string() + ".1"))
      std::filesystem::rename(path_.string() + ".1", path_.string() + ".2");
    std::filesystem::rename(path_, path_.string() + ".1");
  }
  static std::string Line(int version) {
    const std::string number = std::to_string(version);
    return R"({"type":"ADDED","id":"a/)" + number + R"(","object":{"metadata":{"uid":"a","resourceVersion":")" +
           number + "\"}}}\n";
  }
  std::vector<std::uint64_t> Take() {
    std::vector<std::uint64_t> versions;
    for (const Received& record : lines_.Take(1)) versions.push_back(record.version);
    return versions;
  }

  const TempDir dir_;
  const std::filesystem::path path_ = dir_.path() / "events.json";
  JsonLines lines_{path_};
};

TEST_F(JsonLinesTest, ReadsOnAcrossRotations) {
  EXPECT_THAT(Take(), ElementsAre());
  Append(Line(1));
  EXPECT_THAT(Take(), ElementsAre(1));
  Append(Line(2));
  Rotate();
  Append(Line(3));
  Rotate();
  Append(Line(4));
  EXPECT_THAT(Take(), ElementsAre(2, 3, 4));
  Append(Line(5));
  EXPECT_THAT(Take(), ElementsAre(5));
  EXPECT_EQ(lines_.files(), 3U);
}

TEST_F(JsonLinesTest, WaitsForTheEndOfALineAndCountsWhatIsTorn) {
  Append(Line(1) + Line(2).substr(0, 10));
  EXPECT_THAT(Take(), ElementsAre(1));
  EXPECT_EQ(lines_.torn(), 0U);
  Append(Line(2).substr(10) + "{\"torn\n" + Line(3));
  EXPECT_THAT(Take(), ElementsAre(2, 3));
  EXPECT_EQ(lines_.torn(), 1U);
}

}  // namespace
}  // namespace kube_events::chaos
