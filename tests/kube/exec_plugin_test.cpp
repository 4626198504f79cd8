// Exec plugins: what they are told, what they may answer, and when they are asked again.
#include "kube/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "kube/temp_dir.h"
#include "kube_events/kube/access.h"
#include "support/eventually.h"
#include "support/fake_clock.h"
#include "support/test_certificates.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

std::string Answer(const std::string& status, const std::string& api_version = kV1) {
  return R"({"kind":"ExecCredential","apiVersion":")" + api_version + R"(","status":{)" + status + "}}";
}

TEST(ParseExecCredential, TakesTokenCertificateAndExpiry) {
  const auto credential =
      ParseExecCredential(Answer(R"("token":"abc","clientCertificateData":"CERT","clientKeyData":"KEY",
                "expirationTimestamp":"2026-01-01T01:00:00+01:00")"),
                          kV1);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->token, "abc");
  EXPECT_EQ(credential->cert_pem, "CERT");
  EXPECT_EQ(credential->key_pem, "KEY");
  EXPECT_EQ(credential->expires, FakeClock::kDefaultStart);
  EXPECT_FALSE(ParseExecCredential(Answer(R"("token":"abc","expirationTimestamp":null)"), kV1)->expires);
}

TEST(ParseExecCredential, RefusesEverythingElseWithoutShowingIt) {
  struct Case {
    std::string text;
    const char* words;
  };
  const Case cases[] = {
      {"hunter2", "no JSON object"},
      {"", "no JSON object"},
      {"[]", "no JSON object"},
      {R"({"kind":"Secret","apiVersion":")" + std::string(kV1) + R"(","status":{"token":"hunter2"}})",
       "no ExecCredential"},
      {Answer(R"("token":"hunter2")", "client.authentication.k8s.io/v1beta1"), "another apiVersion"},
      {R"({"kind":"ExecCredential","apiVersion":")" + std::string(kV1) + R"("})", "no status"},
      {Answer(""), "neither a token nor a client certificate"},
      {Answer(R"("token":7)"), "neither a token nor a client certificate"},
      {Answer(R"("token":"hunter2\nX-Evil: 1")"), "control character"},
      {Answer(R"("token":"hunter2","clientKeyData":"hunter2")"), "both or none"},
      {Answer(R"("token":"hunter2","expirationTimestamp":"tomorrow")"), "RFC 3339"},
  };
  for (const Case& c : cases) {
    const auto credential = ParseExecCredential(c.text, kV1);
    ASSERT_FALSE(credential) << c.text;
    EXPECT_THAT(credential.error().message, HasSubstr(c.words)) << c.text;
    EXPECT_THAT(credential.error().message, Not(HasSubstr("hunter2")));
  }
}

TEST(MakeExecCommand, TellsThePluginWhatItIsFor) {
  KubeconfigExec exec;
  exec.command = "plugin";
  exec.arguments = {"a"};
  exec.environment = {{"PROFILE", "dev"}, {"HOME", "/x"}};
  exec.api_version = kV1;
  exec.provide_cluster_info = true;
  KubeconfigCluster cluster;
  cluster.server = "https://h:6443";
  cluster.tls_server_name = "name";
  cluster.exec_config = R"({"audience":"a"})";
  const auto command = MakeExecCommand(exec, cluster, "PEM", {"HOME=/root", "PATH=/bin"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->program, "plugin");
  EXPECT_EQ(command->arguments, std::vector<std::string>{"a"});
  EXPECT_THAT(command->environment, Contains("PATH=/bin"));
  EXPECT_THAT(command->environment, Contains("PROFILE=dev"));
  EXPECT_THAT(command->environment, Contains("HOME=/x"));
  EXPECT_THAT(command->environment, Not(Contains("HOME=/root")));
  const std::string info = command->environment.back();
  ASSERT_THAT(info, testing::StartsWith("KUBERNETES_EXEC_INFO={"));
  EXPECT_EQ(nlohmann::json::parse(info.substr(info.find('{'))), nlohmann::json::parse(R"({
    "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
    "spec": {"interactive": false, "cluster": {"server": "https://h:6443", "tls-server-name": "name",
             "certificate-authority-data": "UEVN", "config": {"audience": "a"}}}})"));
  exec.provide_cluster_info = false;
  EXPECT_THAT(MakeExecCommand(exec, cluster, "PEM", {})->environment.back(), Not(HasSubstr("6443")));
}

// A plugin that is a shell script, of which a test can count the runs.
class ExecPluginTest : public testing::Test {
 protected:
  ExecPluginTest() {
    exec_.command = (dir_.path() / "plugin").string();
    exec_.api_version = kV1;
  }

  // `script` writes the answer.
  void Write(const std::string& script) {
    // Renamed into place, so that it is never run half written, or while it is being written.
    const std::string draft = dir_.Write("draft", "#!/bin/sh\necho run >>" + Runs() + "\n" + script + "\n");
    std::filesystem::permissions(draft, std::filesystem::perms::owner_all);
    std::filesystem::rename(draft, exec_.command);
  }
  void WriteAnswer(const std::string& status) { Write("cat <<'END'\n" + Answer(status) + "\nEND"); }
  std::string Runs() const { return (dir_.path() / "runs").string(); }
  long CountRuns() const {
    std::ifstream file(Runs());
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }

  void Start() {
    plugin_ = std::make_shared<ExecPlugin>(MakeExecCommand(exec_, {}, "", EnvironmentWithPath()).value(), exec_, clock_,
                                           Logger());
  }
  static std::vector<std::string> EnvironmentWithPath() { return {"PATH=/usr/bin:/bin"}; }

  std::string Token() {
    const auto credential = plugin_->Get();
    return credential ? credential->token : "none: " + credential.error().message;
  }
  bool TokenBecomes(const std::string& token) {
    return Eventually([&] {
      clock_.Advance(1s);  // past the pause between two runs
      return Token() == token;
    });
  }
  static std::string Time(std::chrono::seconds from_start) {
    const std::time_t time = std::chrono::system_clock::to_time_t(FakeClock::kDefaultStart + from_start);
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
  }

  TempDir dir_;
  FakeClock clock_;
  KubeconfigExec exec_;
  std::shared_ptr<ExecPlugin> plugin_;
};

TEST_F(ExecPluginTest, IsRunOnceWhileItsTokenIsGood) {
  WriteAnswer(R"("token":"one")");
  Start();
  ASSERT_TRUE(Eventually([&] { return Token() == "one"; }));
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(1h);
    EXPECT_EQ(Token(), "one") << "without an expiry it is good until the server refuses it";
  }
  EXPECT_EQ(CountRuns(), 1);
}

TEST_F(ExecPluginTest, NobodyWaitsForIt) {
  Write("sleep 1000");
  Start();
  const auto credential = plugin_->Get();
  ASSERT_FALSE(credential);
  EXPECT_EQ(credential.error().kind, ErrorKind::kRetry);
  EXPECT_THAT(credential.error().message, HasSubstr("the exec plugin " + exec_.command + " is being asked"));
  plugin_.reset();  // kills it, or this test takes a quarter of an hour
}

TEST_F(ExecPluginTest, IsAskedAgainBeforeItsCredentialsExpire) {
  WriteAnswer(R"("token":"one","expirationTimestamp":")" + Time(100s) + "\"");
  Start();
  ASSERT_TRUE(Eventually([&] { return Token() == "one"; }));
  WriteAnswer(R"("token":"two","expirationTimestamp":")" + Time(1000s) + "\"");
  clock_.Advance(79s);
  EXPECT_EQ(Token(), "one");
  EXPECT_EQ(CountRuns(), 1);
  clock_.Advance(2s);
  EXPECT_EQ(Token(), "one") << "it is still good while the plugin runs";
  EXPECT_TRUE(Eventually([&] { return Token() == "two"; }));
  EXPECT_EQ(CountRuns(), 2);
}

TEST_F(ExecPluginTest, ExpiredCredentialsAreNotUsed) {
  WriteAnswer(R"("token":"one","expirationTimestamp":")" + Time(5s) + "\"");
  Start();
  ASSERT_TRUE(Eventually([&] { return Token() == "one"; }));
  Write("echo sorry >&2; exit 7");
  clock_.Advance(10s);
  EXPECT_TRUE(Eventually([&] { return Token().find("exit code 7, saying: sorry") != std::string::npos; })) << Token();
  WriteAnswer(R"("token":"three","expirationTimestamp":")" + Time(10000s) + "\"");
  EXPECT_TRUE(TokenBecomes("three"));
}

TEST_F(ExecPluginTest, IsAskedAgainWhenTheServerRefusesWhatItGave) {
  WriteAnswer(R"("token":"one")");
  Start();
  ASSERT_TRUE(Eventually([&] { return Token() == "one"; }));
  WriteAnswer(R"("token":"two")");
  plugin_->Refresh();
  EXPECT_TRUE(TokenBecomes("two"));
  EXPECT_EQ(CountRuns(), 2);
}

TEST_F(ExecPluginTest, IsRunAtMostOncePerSecondHoweverOftenItFails) {
  Write("exit 1");
  Start();
  ASSERT_TRUE(Eventually([&] { return Token().find("exit code 1") != std::string::npos; }));
  for (int i = 0; i < 1000; ++i) Token();
  EXPECT_EQ(CountRuns(), 1);
  clock_.Advance(1s);
  Token();
  EXPECT_TRUE(Eventually([&] { return CountRuns() == 2; }));
}

TEST_F(ExecPluginTest, AMissingProgramIsSaidWithTheHintOfTheKubeconfig) {
  exec_.install_hint = "get it at the usual place";
  Start();
  ASSERT_TRUE(Eventually([&] { return Token().find("gave no credentials") != std::string::npos; }));
  EXPECT_THAT(Token(), HasSubstr("cannot run " + exec_.command + ": No such file or directory"));
  EXPECT_THAT(Token(), HasSubstr("get it at the usual place"));
}

TEST_F(ExecPluginTest, AnAnswerThatHasExpiredAlreadyIsNoAnswer) {
  WriteAnswer(R"("token":"old","expirationTimestamp":"2020-01-01T00:00:00Z")");
  Start();
  EXPECT_TRUE(Eventually([&] { return Token().find("expired already") != std::string::npos; })) << Token();
}

// Its wall clock only works on the thread that made it.
class ThrowingClock final : public Clock {
 public:
  MonotonicTime Monotonic() const override { return clock_.Monotonic(); }
  WallTime Wall() const override {
    if (std::this_thread::get_id() != owner_) throw std::runtime_error("no memory");
    return clock_.Wall();
  }

 private:
  const std::thread::id owner_ = std::this_thread::get_id();
  const FakeClock clock_{};
};

TEST_F(ExecPluginTest, WhatIsThrownOnItsThreadIsAFailureLikeAnyOther) {
  WriteAnswer(R"("token":"one")");
  const ThrowingClock clock;
  plugin_ = std::make_shared<ExecPlugin>(MakeExecCommand(exec_, {}, "", EnvironmentWithPath()).value(), exec_, clock,
                                         Logger());
  EXPECT_TRUE(Eventually([&] {
    return Token() == "none: the exec plugin " + exec_.command + " gave no credentials: asking it failed: no memory";
  })) << Token();
  plugin_.reset();  // which uses the clock
}

TEST_F(ExecPluginTest, GivesAKubeconfigItsTokenAndCertificate) {
  const TestAuthority authority;
  const TestCertificate certificate = authority.Issue();
  const nlohmann::json status{{"token", "from-plugin"},
                              {"clientCertificateData", certificate.cert_pem},
                              {"clientKeyData", certificate.key_pem}};
  const std::string fields = status.dump();
  WriteAnswer(fields.substr(1, fields.size() - 2));
  AccessOptions options;
  options.environment = [](const std::string&) { return std::nullopt; };
  options.plugin_environment = EnvironmentWithPath();
  options.kubeconfig = dir_.Write("config", R"(current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: "https://h:6443"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}}}]
)");
  const auto access = ResolveAccess(options, clock_);
  ASSERT_TRUE(access) << access.error().message;
  ASSERT_TRUE(Eventually([&] { return access->credentials->Headers().has_value(); }));
  EXPECT_EQ(access->credentials->Headers()->front().value, "Bearer from-plugin");
  EXPECT_EQ(access->tls()->client_cert_pem, certificate.cert_pem);
  EXPECT_EQ(access->tls()->client_key_pem, certificate.key_pem);
}

}  // namespace
}  // namespace kube_events
