// What receivers are promised in docs/schemas, held against what they get.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "forward/json_schema.h"
#include "forward/samples.h"

namespace kube_events::testing {
namespace {

using nlohmann::json;

struct SchemaCase {
  RecordFormat format;
  const char* file;
};

class RecordSchemaTest : public ::testing::TestWithParam<SchemaCase> {
 protected:
  static JsonSchema Load(const char* file) {
    std::ifstream text(std::filesystem::path(KUBE_EVENTS_SOURCE_DIR) / "docs/schemas" / file);
    return JsonSchema(json::parse(text));
  }

  json Written(const Record& record, const std::string& cluster = "prod-1") const {
    return json::parse(JsonOf(record, {GetParam().format, cluster}));
  }

  const JsonSchema schema_ = Load(GetParam().file);
};

INSTANTIATE_TEST_SUITE_P(Formats, RecordSchemaTest,
                         ::testing::Values(SchemaCase{RecordFormat::kRaw, "forward-raw.schema.json"},
                                           SchemaCase{RecordFormat::kFlat, "forward-flat.schema.json"}),
                         [](const auto& test) { return test.param.format == RecordFormat::kRaw ? "Raw" : "Flat"; });

TEST_P(RecordSchemaTest, EveryRecordKeepsToIt) {
  const std::string everything = R"({"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7",)"
                                 R"("creationTimestamp":"2026-01-02T03:04:05Z","labels":{"a":"b"}},"action":"A",)"
                                 R"("related":{"kind":"K","namespace":"n","name":"x","uid":"u","apiVersion":"v1",)"
                                 R"("fieldPath":"f","resourceVersion":"3"},"reportingInstance":"i"})";
  for (const std::string& object :
       {std::string(kRecorderEvent), std::string(kSeriesEvent), std::string(kNodeEvent), SmallEvent(1), everything,
        std::string(R"({"metadata":{"name":"a","resourceVersion":"7"}})"), std::string("nonsense"), std::string()}) {
    for (const RecordType type : {RecordType::kAdded, RecordType::kModified, RecordType::kDeleted}) {
      const json record = Written(RecordOf(object, type));
      EXPECT_EQ(schema_.ProblemWith(record), "") << record;
    }
  }
  for (const Record& gap : {GapOf(), GapOf("overflow", ""), Record{RecordType::kGap, {}, kObserved}}) {
    EXPECT_EQ(schema_.ProblemWith(Written(gap)), "") << Written(gap);
    EXPECT_EQ(schema_.ProblemWith(Written(gap, "")), "");
  }
}

TEST_P(RecordSchemaTest, EveryReasonOfAGapIsExplainedAndSaidInWords) {
  const std::string explained =
      schema_.json().at("$defs").at("gap").at("properties").at("gap_reason").at("description").get<std::string>();
  std::set<std::string> messages{Written(GapOf("unheard of")).at("message").get<std::string>()};
  for (const std::string reason : {"expired", "restored", "overflow", "spool"}) {
    EXPECT_NE(explained.find(reason + ": "), std::string::npos) << reason;
    EXPECT_TRUE(messages.insert(Written(GapOf(reason)).at("message").get<std::string>()).second) << reason;
  }
}

TEST_P(RecordSchemaTest, NothingElseWouldPass) {
  json unknown = Written(RecordOf(kRecorderEvent));
  unknown["surprise"] = 1;
  EXPECT_NE(schema_.ProblemWith(unknown), "");
  json incomplete = Written(RecordOf(kRecorderEvent));
  incomplete.erase("id");
  EXPECT_NE(schema_.ProblemWith(incomplete), "");
  json mistaken = Written(GapOf());
  mistaken["timestamp"] = "yesterday";
  EXPECT_NE(schema_.ProblemWith(mistaken), "");
}

TEST_P(RecordSchemaTest, ItsExamplesAreWhatIsWritten) {
  const json& examples = schema_.json().at("examples");
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0], Written(RecordOf(kRecorderEvent, RecordType::kModified)));
  EXPECT_EQ(examples[1], Written(GapOf()));
}

}  // namespace
}  // namespace kube_events::testing
