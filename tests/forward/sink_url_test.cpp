#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "kube_events/base/utf8.h"
#include "kube_events/forward/sink_settings.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

SinkSettings Settings(const std::string& url, const SinkDefaults& defaults = {}) {
  auto settings = ParseSinkUrl(url, defaults);
  EXPECT_TRUE(settings) << url << ": " << (settings ? "" : settings.error().message);
  return settings ? std::move(*settings) : SinkSettings{};
}

std::string Complaint(const std::string& url) {
  const auto settings = ParseSinkUrl(url, {});
  EXPECT_FALSE(settings) << url;
  if (settings) return {};
  EXPECT_EQ(settings.error().kind, ErrorKind::kConfiguration);
  EXPECT_EQ(settings.error().message.find('\n'), std::string::npos) << settings.error().message;
  return settings.error().message;
}

TEST(SinkUrlTest, StandardOutputAndFiles) {
  const SinkSettings out = Settings("stdout:");
  EXPECT_EQ(out.kind, SinkKind::kStdout);
  EXPECT_EQ(out.id, "stdout:");
  const SinkSettings file = Settings("file:///var/log/my%20events.json?max-bytes=1Mi&max-files=2");
  EXPECT_EQ(file.kind, SinkKind::kFile);
  EXPECT_EQ(file.id, "file:///var/log/my%20events.json");
  EXPECT_EQ(file.file.path, "/var/log/my events.json");
  EXPECT_EQ(file.file.max_bytes, 1U << 20);
  EXPECT_EQ(file.file.max_files, 2);
}

TEST(SinkUrlTest, AnHttpReceiverGetsPathAndQueryAsTheyAreWritten) {
  const SinkSettings plain = Settings("http://fluent-bit.logging:9880/kube.events/?gzip=true&header=X-Scope:shop");
  EXPECT_EQ(plain.kind, SinkKind::kHttp);
  EXPECT_EQ(plain.id, "http://fluent-bit.logging:9880/kube.events/");
  EXPECT_EQ(plain.http.url, "http://fluent-bit.logging:9880/kube.events/");
  EXPECT_TRUE(plain.http.gzip);
  EXPECT_THAT(plain.http.headers, ElementsAre(Pair("X-Scope", "shop")));
  EXPECT_EQ(Settings("https://[::1]/a?query=token%3Dx%2526y%26b%3Dc%40d").http.url,
            "https://[::1]/a?token=x%26y&b=c@d");
}

TEST(SinkUrlTest, HeadersComeByRepetitionAndKeepTheirCommas) {
  const SinkSettings settings = Settings("http://h/?header=A:%201,2&header=b%3A%20x%20y%20&header=C:");
  EXPECT_THAT(settings.http.headers, ElementsAre(Pair("A", "1,2"), Pair("b", "x y"), Pair("C", "")));
}

TEST(SinkUrlTest, SecretsComeFromFiles) {
  const SinkSettings bearer = Settings("https://h/?bearer-token-file=/run/token&ca-file=/run/ca.crt");
  EXPECT_EQ(bearer.http.bearer_token_file, "/run/token");
  EXPECT_EQ(bearer.http.tls.ca_file, "/run/ca.crt");
  const SinkSettings basic = Settings("http://h/?basic-user=me%40example.com&basic-password-file=/run/password");
  EXPECT_EQ(basic.http.basic_user, "me@example.com");
  EXPECT_EQ(basic.http.basic_password_file, "/run/password");
}

TEST(SinkUrlTest, AForwardReceiverMayHaveSeveralServers) {
  const SinkSettings settings = Settings(
      "forward+tls://a,b.logging:1234,[::1],[::2]:5/?tag=kube.%7Bnamespace%7D&shared-key-file=/run/key&username=u&"
      "password-file=/run/password&cert-file=/c&key-file=/k&server-name=fluentd&insecure-skip-verify=true");
  EXPECT_EQ(settings.kind, SinkKind::kForward);
  EXPECT_TRUE(settings.forward.use_tls);
  EXPECT_EQ(settings.id, "forward+tls://a,b.logging:1234,[::1],[::2]:5/");
  std::string servers;
  for (const auto& server : settings.forward.servers) servers += server.host + " " + std::to_string(server.port) + "; ";
  EXPECT_EQ(servers, "a 24224; b.logging 1234; ::1 24224; ::2 5; ");
  EXPECT_EQ(settings.forward.tag, "kube.{namespace}");
  EXPECT_EQ(settings.forward.shared_key_file, "/run/key");
  EXPECT_EQ(settings.forward.username, "u");
  EXPECT_EQ(settings.forward.password_file, "/run/password");
  EXPECT_EQ(settings.forward.tls.cert_file, "/c");
  EXPECT_EQ(settings.forward.tls.key_file, "/k");
  EXPECT_EQ(settings.forward.tls.server_name, "fluentd");
  EXPECT_TRUE(settings.forward.tls.insecure_skip_verify);
  EXPECT_FALSE(Settings("forward://a").forward.use_tls);
}

TEST(SinkUrlTest, OptionsThatEverySinkHas) {
  const SinkSettings settings = Settings(
      "stdout:?name=warnings&format=flat&watch-types=ADDED,DELETED&updates=throttle:30s&existing=true&"
      "event-types=Warning&reasons=!Pulled&reasons=!Created,!Started&involved-object-namespaces=,shop&"
      "batch-records=7&batch-bytes=2Ki&batch-wait=1s&timeout=5s&queue-records=9&queue-bytes=1Mi&overflow=drop-oldest&"
      "dead-letter=/var/lib/dead.json");
  EXPECT_EQ(settings.id, "warnings");
  EXPECT_EQ(settings.format, RecordFormat::kFlat);
  EXPECT_THAT(settings.watch_types, ElementsAre("ADDED", "DELETED"));
  EXPECT_EQ(settings.updates, (UpdatePolicy{UpdatePolicy::Kind::kThrottle, 30s}));
  EXPECT_TRUE(settings.existing);
  EXPECT_THAT(settings.filter.event_types, ElementsAre("Warning"));
  EXPECT_THAT(settings.filter.reasons, ElementsAre("!Pulled", "!Created", "!Started"));
  EXPECT_THAT(settings.filter.involved_object_namespaces, ElementsAre("", "shop"));
  EXPECT_EQ(settings.batch_records, 7U);
  EXPECT_EQ(settings.batch_bytes, 2048U);
  EXPECT_EQ(settings.batch_wait, 1s);
  EXPECT_EQ(settings.timeout, 5s);
  EXPECT_EQ(settings.queue_records, 9U);
  EXPECT_EQ(settings.queue_bytes, 1U << 20);
  EXPECT_EQ(settings.overflow, OverflowPolicy::kDropOldest);
  EXPECT_EQ(settings.dead_letter_file, "/var/lib/dead.json");
}

TEST(SinkUrlTest, FlagsAreTheDefaultsAndOptionsWin) {
  SinkDefaults defaults;
  defaults.watch_types = {"DELETED"};
  defaults.updates.kind = UpdatePolicy::Kind::kFirst;
  defaults.existing = true;
  defaults.overflow = OverflowPolicy::kDropOldest;
  const SinkSettings as_flags = Settings("stdout:", defaults);
  EXPECT_THAT(as_flags.watch_types, ElementsAre("DELETED"));
  EXPECT_EQ(as_flags.updates, defaults.updates);
  EXPECT_TRUE(as_flags.existing);
  EXPECT_EQ(as_flags.overflow, OverflowPolicy::kDropOldest);
  const SinkSettings own = Settings("stdout:?watch-types=ADDED&updates=all&existing=false&overflow=pause", defaults);
  EXPECT_THAT(own.watch_types, ElementsAre("ADDED"));
  EXPECT_EQ(own.updates, UpdatePolicy{});
  EXPECT_FALSE(own.existing);
  EXPECT_EQ(own.overflow, OverflowPolicy::kPause);
}

TEST(SinkUrlTest, AnUnknownSchemeSaysWhatThereIs) {
  for (const char* url : {"", "stdout", "kafka://h", "/var/log/events.json", "tcp://h:1", "://", "fluentd:24224"}) {
    EXPECT_THAT(Complaint(url), HasSubstr("write stdout:, file:///PATH, http://HOST:PORT/PATH")) << url;
  }
}

TEST(SinkUrlTest, AnAddressThatLeadsNowhereSaysHowToWriteIt) {
  EXPECT_THAT(Complaint("stdout://x"), HasSubstr("nothing follows stdout:"));
  for (const char* url :
       {"file:", "file://", "file:///", "file://log/x", "file:/x", "file:///a%2", "file:///a%0Ab", "file:///a/"}) {
    EXPECT_THAT(Complaint(url), HasSubstr("write file:///var/log/events.json")) << url;
  }
  for (const char* url : {"http://", "http:///x", "http:h", "http://h:99999/", "http://h:x", "http://a b/"}) {
    EXPECT_THAT(Complaint(url), HasSubstr("server address")) << url;
  }
  for (const char* url :
       {"http://h/a b", "http://h/%2", "http://h/[x]", "http://h/?query=a%20b", "http://h/\xc3\xa4"}) {
    EXPECT_THAT(Complaint(url), HasSubstr("write it as %XX")) << url;
  }
  for (const char* url : {"forward://", "forward://a,", "forward://:1", "forward://a:0", "forward://a/b",
                          "forward://a,,b", "forward://[::1", "forward+tls://a:b"}) {
    EXPECT_THAT(Complaint(url), HasSubstr("is no HOST:PORT")) << url;
  }
  EXPECT_THAT(Complaint("forward:a"), HasSubstr("write forward://HOST:PORT"));
  EXPECT_THAT(Complaint("http://h/#x"), HasSubstr("write %23"));
}

TEST(SinkUrlTest, UserAndPasswordAreRefusedAndNeverShown) {
  for (const char* url : {"http://me:secret@h/", "https://secret@h/", "forward://me:secret@h:1", "http://me:se?cret@h",
                          "http://me:secret@h/?gzip=true", "secret@h", "http://h/?header=X:secret@h"}) {
    EXPECT_THAT(Complaint(url), AllOf(HasSubstr("secrets belong into files"), HasSubstr("basic-password-file"),
                                      Not(HasSubstr("secret@")), Not(HasSubstr("me:"))))
        << url;
  }
}

TEST(SinkUrlTest, AnOptionOfNoOrAnotherKindOfSinkIsRefusedWithThoseThatFit) {
  EXPECT_THAT(Complaint("stdout:?gzip=true"), AllOf(HasSubstr("option gzip"), HasSubstr("http, https")));
  EXPECT_THAT(Complaint("http://h/?ca-file=/x"), HasSubstr("https, forward+tls"));
  EXPECT_THAT(Complaint("forward://h?ca-file=/x"), HasSubstr("https, forward+tls"));
  EXPECT_THAT(Complaint("http://h/?tag=x"), HasSubstr("forward, forward+tls"));
  EXPECT_THAT(Complaint("http://h/?max-files=1"), HasSubstr("of another kind: file"));
  EXPECT_THAT(Complaint("stdout:?Format=raw"),
              AllOf(HasSubstr("no option \"Format\""), HasSubstr("format, watch-types"), Not(HasSubstr("gzip"))));
  EXPECT_THAT(Complaint("http://h/?token=secret"), AllOf(HasSubstr("\"token\""), Not(HasSubstr("secret"))));
}

TEST(SinkUrlTest, AMalformedParameterSaysHowToWriteIt) {
  EXPECT_THAT(Complaint("stdout:?format"), HasSubstr("write format=VALUE"));
  EXPECT_THAT(Complaint("stdout:?=x"), HasSubstr("has no name"));
  EXPECT_THAT(Complaint("stdout:?format=raw&&name=x"), HasSubstr("has no name"));
  EXPECT_THAT(Complaint("stdout:?format=%zz"), HasSubstr("write %25"));
  EXPECT_THAT(Complaint("stdout:?format=raw&format=flat"), HasSubstr("option format has several values"));
}

TEST(SinkUrlTest, ABadValueNamesSinkOptionValueAndRemedy) {
  EXPECT_THAT(Complaint("stdout:?format=xml"),
              AllOf(HasSubstr("sink \"stdout:\": option format: \"xml\""), HasSubstr("write raw or flat")));
  EXPECT_THAT(Complaint("stdout:?name=a/b"), HasSubstr("1 to 63 letters"));
  EXPECT_THAT(Complaint("stdout:?name="), HasSubstr("1 to 63 letters"));
  EXPECT_THAT(Complaint("stdout:?watch-types=added"), HasSubstr("ADDED, MODIFIED and DELETED"));
  EXPECT_THAT(Complaint("stdout:?watch-types="), HasSubstr("ADDED, MODIFIED and DELETED"));
  EXPECT_THAT(Complaint("stdout:?watch-types=ADDED,ADDED"), HasSubstr("twice"));
  EXPECT_THAT(Complaint("stdout:?updates=last"), HasSubstr("all, first, or throttle:DURATION"));
  EXPECT_THAT(Complaint("stdout:?updates=throttle:0s"), HasSubstr("from 1ms to 24h"));
  EXPECT_THAT(Complaint("stdout:?updates=throttle:soon"), HasSubstr("option updates"));
  EXPECT_THAT(Complaint("stdout:?existing=maybe"), HasSubstr("true or false"));
  EXPECT_THAT(Complaint("stdout:?overflow=drop"), HasSubstr("pause or drop-oldest"));
  EXPECT_THAT(Complaint("stdout:?batch-records=0"), HasSubstr("from 1 to 100000"));
  EXPECT_THAT(Complaint("stdout:?batch-bytes=1"), HasSubstr("from 1Ki to 64Mi"));
  EXPECT_THAT(Complaint("stdout:?dead-letter="), HasSubstr("is empty"));
  EXPECT_THAT(Complaint("stdout:?reasons=!!A"), HasSubstr("option reasons: entry \"!!A\""));
  EXPECT_THAT(Complaint("stdout:?involved-object-namespaces=Shop"), HasSubstr("not the name of a namespace"));
}

TEST(SinkUrlTest, HeadersThatCannotBeSentAreRefusedWithoutTheirValues) {
  for (const char* header : {"secret", "X%0dY:secret", ":secret", "X:a%0aY:secret", "Content-Type:secret",
                             "content-length:secret", "HOST:secret", "X:1&header=x:secret"}) {
    EXPECT_THAT(Complaint("http://h/?header=" + std::string(header)),
                AllOf(HasSubstr("option header"), Not(HasSubstr("secret"))))
        << header;
  }
}

TEST(SinkUrlTest, OptionsHaveToFitTogether) {
  EXPECT_THAT(Complaint("https://h/?cert-file=/c"), HasSubstr("option cert-file needs key-file"));
  EXPECT_THAT(Complaint("forward+tls://h?key-file=/k"), HasSubstr("option key-file needs cert-file"));
  EXPECT_THAT(Complaint("http://h/?basic-user=u"), HasSubstr("needs basic-password-file"));
  EXPECT_THAT(Complaint("forward://h?password-file=/p"), HasSubstr("needs username"));
  for (const char* other : {"basic-user=u&basic-password-file=/p", "header=authorization:x"}) {
    EXPECT_THAT(Complaint("http://h/?bearer-token-file=/t&" + std::string(other)), HasSubstr("in two ways")) << other;
  }
}

TEST(SinkUrlTest, WhatIsNoUtf8IsRefusedAndNotShown) {
  for (const char* url : {"file:///tmp/a\xff.json", "http://h/\xff", "forward://h\xff", "stdout:\xff", "\xff",
                          "file:///tmp/a%ff", "stdout:?dead-letter=/d%ff", "stdout:?dead-letter=/d\xff",
                          "forward://h?tag=a%ff", "http://h/?header=X:%ff", "stdout:?name=\xff", "stdout:?\xff=1"}) {
    EXPECT_TRUE(IsValidUtf8(Complaint(url))) << url;
  }
  EXPECT_THAT(Complaint("file:///tmp/a\xff.json"), HasSubstr("no UTF-8"));
  EXPECT_THAT(Complaint("forward://h?tag=a%ff"), HasSubstr("option tag has bytes that are no UTF-8"));
  EXPECT_EQ(Settings("file:///tmp/\xc3\xa4").file.path, "/tmp/\xc3\xa4");
}

TEST(SinkUrlTest, AComplaintShowsTheNameOrTheHostAndNeverThePathOfAReceiver) {
  const std::string hook = "https://hooks.example/services/SECRET";
  EXPECT_THAT(Complaint(hook + "?name=x&foo=1"), AllOf(HasSubstr("sink \"x\": "), Not(HasSubstr("SECRET"))));
  for (const std::string& url :
       {hook + "?foo=1", hook + "?name=/&foo=1", hook + "?foo", hook + "#x", hook + "?name=a/b",
        std::string("htps://hooks.example/services/SECRET"), std::string("hooks.example/services/SECRET?name")}) {
    EXPECT_THAT(Complaint(url), AllOf(HasSubstr("hooks.example/...\": "), Not(HasSubstr("SECRET")))) << url;
  }
  EXPECT_THAT(Complaint("file:///var/log/x?foo=1"), HasSubstr("sink \"file:///var/log/x\": "));
}

}  // namespace
}  // namespace kube_events
