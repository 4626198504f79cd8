// Failures of other tools about namespaces, texts and names on the way to the page of metrics: docs/field-failures.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string_view>

#include "field/events.h"

namespace kube_events::field {
namespace {

using sim::EventObject;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

// An Event about a Node as its JSON goes over the wire.
std::string NodeEvent(const std::string& name, const std::string& space) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":")" + space +
         R"("},"involvedObject":{"kind":"Node","name":"node-1","apiVersion":"v1"},"reason":"NodeNotReady",)" +
         R"("type":"Warning","count":1,"eventTime":null,"firstTimestamp":)" + JsonTime(SystemNow()) + "}";
}

class FieldLabels : public ExporterFixture {
 protected:
  int PostNodeEvent(const std::string& name, const std::string& space) {
    return Post(server_.Url() + "/api/v1/namespaces/" + space + "/events", NodeEvent(name, space)).status;
  }
};

TEST_F(FieldLabels, B084EventsOfNodesAreCountedUnderNoNamespaceWhereDefaultIsWatched) {
  for (const std::vector<std::string>& namespaces :
       {std::vector<std::string>{}, std::vector<std::string>{"team", "default"}}) {
    ExporterOptions options = Options(server_.Url());
    options.namespaces = namespaces;
    StartReady(options);
    EXPECT_EQ(PostNodeEvent("node-1." + std::to_string(namespaces.size()), "default"), 201);
    EXPECT_TRUE(Reaches("Warning||Node|NodeNotReady", 1));
  }
}

TEST_F(FieldLabels, B085AnEventThatTheServerRefusesIsNoEvent) {
  StartReady();
  for (const char* space : {"kube-system", "team"}) {
    const std::string url = server_.Url() + "/api/v1/namespaces/" + space + "/events";
    const FetchResponse answer = Post(url, NodeEvent("node-1.a", space));
    EXPECT_EQ(answer.status, 422) << space;
    EXPECT_THAT(answer.body, HasSubstr("does not match event.namespace"));
  }
  EXPECT_EQ(PostNodeEvent("node-1.a", "default"), 201);
  AwaitEverythingSent();
  EXPECT_EQ(Count("Warning||Node|NodeNotReady"), 1);
}

// Behind the labels at the front of `text`, or npos where they are not closed.
std::size_t EndOfLabels(std::string_view text) {
  if (!text.starts_with('{')) return 0;
  bool quoted = false;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (quoted && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[at] == '}') {
      return at + 1;
    }
  }
  return text.npos;
}

// Whether Prometheus would take the page: it is UTF-8, and each line is a comment or a name, labels and a number.
void ExpectWellFormed(const std::string& page) {
  EXPECT_NO_THROW(nlohmann::json(page).dump()) << "the page is not UTF-8";
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) continue;
    const std::size_t name = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
    ASSERT_TRUE(name != 0 && name != line.npos) << line;
    const std::size_t labels = EndOfLabels(std::string_view(line).substr(name));
    ASSERT_NE(labels, line.npos) << line;
    EXPECT_TRUE(std::regex_match(line.substr(name + labels), std::regex(R"( ([-+0-9.e]+|[-+]Inf|NaN))"))) << line;
  }
}

TEST_F(FieldLabels, B087AReasonThatIsNotUtf8LeavesThePageReadable) {
  const std::string broken = "\xff\xfe";
  const std::string shown = "\xef\xbf\xbd\xef\xbf\xbd";
  server_.CreateRaw(MakePodEvent("listed", "R"), RawPodFields("Listed" + broken, ",\"count\":1"));
  StartReady();
  server_.CreateRaw(MakePodEvent("watched", "R"), RawPodFields("Watched" + broken, ",\"count\":1"));
  server_.CreateRaw(MakePodEvent("quoted", "R"), RawPodFields(R"(Q\"\\\n)" + broken, ",\"count\":1"));
  ASSERT_TRUE(server_.Create(MakePodEvent("good", "Good")));
  ASSERT_TRUE(Reaches(PodSeries("Good"), 1));
  const FetchResponse page = Fetch("/metrics");
  EXPECT_EQ(page.status, 200);
  ExpectWellFormed(page.body);
  const EventCounts counts = ReadEventCounts(page.body, true);
  EXPECT_THAT(counts, AllOf(Contains(Pair(PodSeries("Listed" + shown), 0)),
                            Contains(Pair(PodSeries("Watched" + shown), 1)), Contains(Pair(PodSeries("Good"), 1))));
}

TEST_F(FieldLabels, B088AMessageCutWithinACharacterIsNoReasonToSkipItsEvent) {
  const std::string cut = ",\"count\":1,\"message\":\"gr\xc3\xb6\xc3\"";
  server_.CreateRaw(MakePodEvent("listed", "R"), RawPodFields("Listed", cut));
  StartReady();
  server_.CreateRaw(MakePodEvent("watched", "R"), RawPodFields("Watched", cut));
  AwaitEverythingSent();
  EXPECT_EQ(Count(PodSeries("Watched")), 1);
  EXPECT_EQ(Counts(true).count(PodSeries("Listed")), 1U);
  EXPECT_EQ(Sample("kube_events_exporter_decode_errors_total"), 0);
}

TEST_F(FieldLabels, B091NoFlagCanMakeTheNameOfAMetricIllegal) {
  const char* const arguments[] = {"kube-events-exporter", "--metric-prefix=my-app"};
  const auto parsed = ParseExporterCommandLine(arguments, [](const std::string&) { return std::nullopt; });
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().kind, ErrorKind::kConfiguration) << "exit code 2";
  EXPECT_THAT(parsed.error().message, HasSubstr("--metric-prefix"));
  StartReady();
  const std::string page = Fetch("/metrics").body;
  ExpectWellFormed(page);
  EXPECT_THAT(page, HasSubstr("kube_events_exporter_build_info{"));
}

}  // namespace
}  // namespace kube_events::field
