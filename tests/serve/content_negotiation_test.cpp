#include "kube_events/serve/content_negotiation.h"

#include <gtest/gtest.h>

namespace kube_events {
namespace {

bool WantsOpenMetrics(std::string_view accept) { return NegotiateFormat(accept) == ExpositionFormat::kOpenMetrics; }

TEST(NegotiateFormatTest, ThoseWhoDoNotCareGetText) {
  for (const auto* accept : {"", "*/*", "text/*", "text/plain", "text/html,application/xhtml+xml,*/*;q=0.8",
                             "application/json", "text/plain;version=0.0.4;q=0.1"}) {
    EXPECT_FALSE(WantsOpenMetrics(accept)) << accept;
  }
}

TEST(NegotiateFormatTest, PrometheusGetsOpenMetrics) {
  EXPECT_TRUE(
      WantsOpenMetrics("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                       "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"))
      << "2.42";
  EXPECT_TRUE(WantsOpenMetrics(
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
      "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
      "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"))
      << "3";
}

TEST(NegotiateFormatTest, AnOlderPrometheusThatPrefersTextGetsText) {
  EXPECT_FALSE(WantsOpenMetrics(
      "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,"
      "text/plain;version=0.0.4;q=0.3,*/*;q=0.1"));
}

TEST(NegotiateFormatTest, TheHigherWeightDecides) {
  EXPECT_TRUE(WantsOpenMetrics("text/plain;q=0.5, application/openmetrics-text;q=0.6"));
  EXPECT_FALSE(WantsOpenMetrics("text/plain;q=0.6, application/openmetrics-text;q=0.5"));
  EXPECT_FALSE(WantsOpenMetrics("application/openmetrics-text;q=0, text/plain;q=0.1"));
  EXPECT_FALSE(WantsOpenMetrics("application/openmetrics-text;q=0"));
  EXPECT_TRUE(WantsOpenMetrics("text/plain;q=0, application/openmetrics-text;q=0.001"));
}

TEST(NegotiateFormatTest, ATieGoesToWhatWasNamedElseToText) {
  EXPECT_TRUE(WantsOpenMetrics("application/openmetrics-text, */*"));
  EXPECT_FALSE(WantsOpenMetrics("application/openmetrics-text, text/plain"));
  EXPECT_FALSE(WantsOpenMetrics("application/openmetrics-text;q=0, */*;q=0"));
}

TEST(NegotiateFormatTest, TheMostSpecificElementGivesTheWeight) {
  EXPECT_FALSE(WantsOpenMetrics("application/*;q=0.9, application/openmetrics-text;q=0.2, text/plain;q=0.5"));
  EXPECT_TRUE(WantsOpenMetrics("*/*;q=0.9, text/plain;q=0.2"));
  EXPECT_TRUE(WantsOpenMetrics("application/*, text/*;q=0.5"));
}

TEST(NegotiateFormatTest, AnOpenMetricsThatWeDoNotSpeakIsNotChosen) {
  EXPECT_FALSE(WantsOpenMetrics("application/openmetrics-text;version=2.0.0, text/plain;q=0.1"));
  EXPECT_FALSE(WantsOpenMetrics("application/openmetrics-text;version=0.0.1, text/plain;q=0.1"));
}

TEST(NegotiateFormatTest, CaseAndSpacesDoNotMatter) {
  EXPECT_TRUE(WantsOpenMetrics(" Application/OpenMetrics-Text ; Version=1.0.0 ; Q=0.9 ,\ttext/plain ; q=0.1"));
}

TEST(NegotiateFormatTest, AVersionMayBeQuoted) {
  EXPECT_TRUE(WantsOpenMetrics("application/openmetrics-text;version=\"1.0.0\", text/plain;q=0.1"));
  EXPECT_FALSE(WantsOpenMetrics("application/openmetrics-text;version=\"2.0.0\", text/plain;q=0.1"));
}

TEST(NegotiateFormatTest, NonsenseIsHarmless) {
  for (const auto* accept : {",,,", ";", ";;q=", "q=1", "a;q=x", "text/plain;q=;version", "=,=;=", "\xff\xfe"}) {
    EXPECT_FALSE(WantsOpenMetrics(accept)) << accept;
  }
}

TEST(WantsGzipTest, OnlyThoseWhoAskGetIt) {
  EXPECT_FALSE(WantsGzip(""));
  EXPECT_FALSE(WantsGzip("identity"));
  EXPECT_FALSE(WantsGzip("deflate, br"));
  EXPECT_TRUE(WantsGzip("gzip"));
  EXPECT_TRUE(WantsGzip("deflate, GZIP ;q=0.5, br"));
  EXPECT_TRUE(WantsGzip("x-gzip"));
  EXPECT_TRUE(WantsGzip("*"));
}

TEST(WantsGzipTest, AWeightOfZeroForbidsIt) {
  EXPECT_FALSE(WantsGzip("gzip;q=0"));
  EXPECT_FALSE(WantsGzip("gzip;q=0.000, identity"));
  EXPECT_FALSE(WantsGzip("gzip;q=0, *"));
  EXPECT_FALSE(WantsGzip("*;q=0"));
}

TEST(WantsGzipTest, IdentityMayBePreferred) {
  EXPECT_FALSE(WantsGzip("identity, gzip;q=0.5"));
  EXPECT_TRUE(WantsGzip("identity;q=0.5, gzip"));
  EXPECT_TRUE(WantsGzip("gzip;q=0.5, identity;q=0"));
}

}  // namespace
}  // namespace kube_events
