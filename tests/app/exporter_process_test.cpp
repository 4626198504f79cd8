// The program as a process: how soon it ends whatever it waits for, and what its log never says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>

#include "chaos/exporter_process.h"
#include "kube/temp_dir.h"
#include "sim/sim_server.h"
#include "support/eventually.h"
#include "support/http_fetch.h"
#include "support/scripted_server.h"

namespace kube_events {
namespace {

using namespace std::chrono_literals;
using chaos::ExporterProcess;
using testing::HasSubstr;
using testing::Not;

class ProcessFixture : public testing::Test {
 protected:
  ExporterProcess StartWith(std::vector<std::string> arguments) {
    for (const char* more : {"--host", "127.0.0.1", "--port", "0", "--log-level", "debug"})
      arguments.emplace_back(more);
    return ExporterProcess(KUBE_EVENTS_EXPORTER, std::move(arguments), LogFile());
  }
  ExporterProcess StartAt(const std::string& apiserver) { return StartWith({"--apiserver", apiserver}); }

  // A kubeconfig of one cluster and one user, whose fields are given as YAML within braces.
  ExporterProcess StartWith(const std::string& cluster, const std::string& user) {
    return StartWith(
        {"--kubeconfig", dir_.Write("config",
                                    "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                    "clusters: [{name: c, cluster: {" +
                                        cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n")});
  }

  static bool Shows(const ExporterProcess& exporter, const std::string& sample) {
    return Eventually(
        [&] { return exporter.Page().find("kube_events_exporter_" + sample + "\n") != std::string::npos; });
  }

  std::string LogFile() const { return (dir_.path() / "log").string(); }
  std::string Log() const {
    std::ifstream file(LogFile());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDir dir_;
};

class ProcessEnd : public ProcessFixture {
 protected:
  // The bound is the program's own: it ends itself hard after 1.9 s.
  static void ExpectEnd(ExporterProcess& exporter) { EXPECT_EQ(exporter.Stop(2s), 0); }
};

TEST_F(ProcessEnd, ComesInAConnectThatHangs) {
  HangingAddress hanging;
  ExporterProcess exporter = StartAt("http://127.0.0.1:" + std::to_string(hanging.port()));
  EXPECT_TRUE(Shows(exporter, "list_total 1"));
  ExpectEnd(exporter);
}

TEST_F(ProcessEnd, ComesInANameLookupThatHangs) {
  ::setenv("LD_PRELOAD", TEST_RESOLVER_LIBRARY, 1);
  ::setenv("TEST_RESOLVER", "hang", 1);
  ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
  ExporterProcess exporter = StartAt("http://apiserver.test:6443");
  for (const char* variable : {"LD_PRELOAD", "TEST_RESOLVER", "ASAN_OPTIONS"}) ::unsetenv(variable);
  EXPECT_TRUE(Shows(exporter, "list_total 1"));
  ExpectEnd(exporter);
}

TEST_F(ProcessEnd, ComesInATlsHandshakeThatHangs) {
  ScriptedServer server([](ScriptedConnection& connection) { connection.WaitUntilClosed(); });
  ExporterProcess exporter = StartWith(
      "server: \"https://127.0.0.1:" + std::to_string(server.port()) + "\", insecure-skip-tls-verify: true", "");
  EXPECT_TRUE(Eventually([&] { return server.connections() == 1; }));
  ExpectEnd(exporter);
}

TEST_F(ProcessEnd, ComesInTheMiddleOfAListPage) {
  sim::SimServer server;
  server.AddFault({.verb = "list", .times = -1, .action = sim::FaultAction::kSilence, .after_bytes = 100});
  ExporterProcess exporter = StartAt(server.Url());
  EXPECT_TRUE(Eventually([&] { return server.State().requests["list"] == 1; }));
  ExpectEnd(exporter);
}

TEST_F(ProcessEnd, ComesInABackoff) {
  sim::SimServer server;
  server.AddFault(
      {.verb = "list", .times = -1, .action = sim::FaultAction::kStatus, .status = 503, .retry_after_seconds = 60});
  ExporterProcess exporter = StartAt(server.Url());
  EXPECT_TRUE(Shows(exporter, "list_failed_total 1"));
  ExpectEnd(exporter);
}

TEST_F(ProcessEnd, ComesInAWatchUnderLoad) {
  sim::SimServer server;
  sim::LoadOptions load;
  load.rate = 1000;
  server.StartLoad(load);
  ExporterProcess exporter = StartAt(server.Url());
  EXPECT_TRUE(Shows(exporter, "watch_open{scope=\"all\"} 1"));
  ExpectEnd(exporter);
}

class ProcessEndWithCheckpoint : public ProcessEnd {
 protected:
  ExporterProcess StartSaving(const std::string& interval) {
    return StartWith(
        {"--apiserver", server_.Url(), "--checkpoint", "configmap:mon/checkpoint", "--checkpoint-interval", interval});
  }
  bool IsAsked(const std::string& request) {
    return Eventually([&] { return server_.State().requests[request] > 0; });
  }

  sim::SimServer server_;
};

TEST_F(ProcessEndWithCheckpoint, ComesWhileItIsLoaded) {
  server_.AddFault({.verb = "get", .resource = "configmaps", .times = -1, .action = sim::FaultAction::kSilence});
  ExporterProcess exporter = StartSaving("1s");
  EXPECT_TRUE(IsAsked("get configmaps"));
  ExpectEnd(exporter);
}

TEST_F(ProcessEndWithCheckpoint, B111ComesWhileItIsSaved) {
  server_.AddFault({.verb = "update", .resource = "configmaps", .times = -1, .action = sim::FaultAction::kSilence});
  ExporterProcess exporter = StartSaving("1s");
  EXPECT_TRUE(IsAsked("update configmaps"));
  ExpectEnd(exporter);
}

TEST_F(ProcessEndWithCheckpoint, ComesAlsoWhereEachOfItsRequestsIsSlow) {
  server_.AddFault({.resource = "configmaps", .times = -1, .action = sim::FaultAction::kDelay, .delay_ms = 700});
  ExporterProcess exporter = StartSaving("1h");
  EXPECT_TRUE(Shows(exporter, "watch_open{scope=\"all\"} 1"));
  ExpectEnd(exporter);
}

// Not ready, no watch, the last checkpoint, the end.
TEST_F(ProcessEndWithCheckpoint, SavesOnceNothingIsWatchedAnyMoreAndIsNotReadyMeanwhile) {
  ExporterProcess exporter = StartSaving("1h");
  EXPECT_TRUE(Shows(exporter, "watch_open{scope=\"all\"} 1"));
  EXPECT_EQ(server_.State().requests.count("update configmaps"), 0U) << "not before the hour is over";
  server_.AddFault({.verb = "update", .resource = "configmaps", .times = -1, .action = sim::FaultAction::kSilence});
  exporter.Signal(SIGTERM);
  EXPECT_TRUE(IsAsked("update configmaps"));
  EXPECT_TRUE(server_.WaitForWatches(0));
  while (exporter.Running()) {
    const int health = exporter.Health();
    EXPECT_TRUE(health == 503 || health == 0) << health;
  }
  EXPECT_EQ(exporter.AwaitEnd(2s), 0);
  EXPECT_THAT(Get(server_.Url() + "/api/v1/namespaces/mon/configmaps/checkpoint").body, HasSubstr("observed_until_us"));
}

// ---- secrets ----------------------------------------------------------------------------------------------------

// Each secret has this in it, and so has its base64 in one of three spellings, for each place where it may begin.
constexpr const char* kSecret = "Geheimnis0815";

class ProcessSecrets : public ProcessFixture {
 protected:
  // Neither the log nor a page has it, and the exporter has met what was meant to happen.
  void ExpectUntold(const ExporterProcess& exporter, const std::string& sample) {
    EXPECT_TRUE(Shows(exporter, sample)) << exporter.Page();
    std::string told = Log();
    EXPECT_THAT(told, HasSubstr("debug")) << "the most talkative level is meant";
    for (const char* path : {"/metrics", "/healthz", "/livez", "/"}) told += Get(exporter.Url() + path).body;
    for (const char* spelling : {kSecret, "R2VoZWltbmlzMDgx", "dlaGVpbW5pczA4M", "HZWhlaW1uaXMwODE1"}) {
      EXPECT_THAT(told, Not(HasSubstr(spelling)));
    }
  }
  // The exporter again and again asks a server that refuses, in plain sight: over TLS, since nothing is sent otherwise.
  void ExpectUntoldBy(const std::string& user) {
    const TestAuthority authority;
    ScriptedServer server(
        [this](ScriptedConnection& connection) {
          for (std::string request; !(request = connection.ReadRequest()).empty();) {
            if (request.find("Authorization") != std::string::npos) ++authorized_;
            connection.Respond(401, R"({"kind":"Status","code":401,"reason":"Unauthorized"})");
          }
        },
        ScriptedTls{authority.Issue(), ""});
    const std::string ca = dir_.Write("ca.crt", authority.cert_pem());
    const ExporterProcess exporter =
        StartWith("server: \"" + server.url() + "\", certificate-authority: \"" + ca + "\"", user);
    ExpectUntold(exporter, "api_errors_total{reason=\"Unauthorized\",verb=\"list\"} 2");
    EXPECT_GE(authorized_.load(), 2);
  }
  std::string Secret(const std::string& before) const { return before + kSecret; }

  std::atomic<int> authorized_{0};
};

TEST_F(ProcessSecrets, ATokenIsNotTold) { ExpectUntoldBy("token: " + Secret("t-")); }

TEST_F(ProcessSecrets, ATokenFileIsNotTold) {
  ExpectUntoldBy("tokenFile: \"" + dir_.Write("token", Secret("file-")) + "\"");
}

TEST_F(ProcessSecrets, APasswordIsNotTold) { ExpectUntoldBy("username: me, password: " + Secret("pw-")); }

TEST_F(ProcessSecrets, WhatAPluginGivesIsNotTold) {
  const std::string plugin =
      dir_.Write("plugin",
                 "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\","
                 "\"status\":{\"token\":\"" +
                     Secret("exec-") + "\"}}'\n");
  std::filesystem::permissions(plugin, std::filesystem::perms::owner_all);
  ExpectUntoldBy("exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: \"" + plugin +
                 "\", env: [{name: SECRET, value: " + Secret("env-") + "}]}");
}

TEST_F(ProcessSecrets, ATokenIsNotSentToAPlainServerAndNotTold) {
  sim::SimServer server;
  server.SetDenied({sim::AccessRule{.verb = "list"}});
  const ExporterProcess exporter = StartWith("server: \"" + server.Url() + "\"", "token: " + Secret("t-"));
  ExpectUntold(exporter, "list_failed_total 2");
}

TEST_F(ProcessSecrets, ThePasswordOfAProxyIsNotTold) {
  const ExporterProcess exporter = StartWith(
      "server: \"https://apiserver.invalid:6443\", insecure-skip-tls-verify: true, proxy-url: "
      "\"http://me:" +
          Secret("p-") + "@127.0.0.1:" + std::to_string(ClosedPort()) + "\"",
      "token: " + Secret("t-"));
  ExpectUntold(exporter, "list_failed_total 2");
}

TEST_F(ProcessSecrets, AKeyIsNotTold) {
  const TestAuthority authority;
  const TestAuthority clients;
  const TestCertificate mine = TestAuthority("of nobody").Issue();
  ScriptedServer server([](ScriptedConnection& connection) { connection.ReadRequest(); },
                        ScriptedTls{authority.Issue(), clients.cert_pem()});
  dir_.Write("client.crt", mine.cert_pem);
  dir_.Write("client.key", mine.key_pem);
  const ExporterProcess exporter = StartWith("server: \"" + server.url() + "\", insecure-skip-tls-verify: true",
                                             "client-certificate: client.crt, client-key: client.key");
  ASSERT_TRUE(Shows(exporter, "list_failed_total 1"));
  dir_.Write("client.key", mine.key_pem.substr(0, mine.key_pem.size() / 2));  // a rotation that went wrong
  ASSERT_TRUE(Shows(exporter, "list_failed_total 2"));
  const std::string log = Log();
  EXPECT_THAT(log, HasSubstr("TLS files cannot be used"));
  // The key's lines, but for those around it.
  const std::size_t begin = mine.key_pem.find('\n') + 1;
  EXPECT_THAT(log, Not(HasSubstr(mine.key_pem.substr(begin, 16))));
}

}  // namespace
}  // namespace kube_events
