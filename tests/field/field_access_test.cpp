// Failures of other tools to get access to the API server and to keep it, to serve meanwhile, and to end:
// docs/field-failures.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "field/events.h"
#include "field/timeline.h"
#include "kube/temp_dir.h"
#include "support/test_certificates.h"

namespace kube_events::field {
namespace {

using namespace std::chrono_literals;
using sim::AccessRule;
using sim::FaultAction;
using sim::SimServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::UnorderedElementsAre;

TEST(FieldAccess, B093ARefusedListIsNamedAndAskedForUntilItIsGranted) {
  Timeline time;
  time.server().SetDenied({AccessRule{.verb = "list"}});
  time.Begin();
  time.Pass(2min);
  EXPECT_THAT(time.Unready(), ElementsAre(AllOf(HasSubstr("list"), HasSubstr("events"), HasSubstr("API group"))));
  const double refused = time.Own("list_failed_total");
  EXPECT_GE(refused, 3);
  EXPECT_LE(refused, 8) << "a refusal is not to be answered with haste";
  time.server().SetDenied({});
  time.Pass(61s);  // the longest pause
  EXPECT_THAT(time.Unready(), IsEmpty());
  ASSERT_TRUE(time.server().Create(time.PodEvent("after", "BackOff")));
  time.AwaitEverythingWritten();
  EXPECT_EQ(time.Count(PodSeries("BackOff")), 1);
}

class FieldServing : public ExporterFixture {};

TEST_F(FieldServing, B094ARuleForOneApiGroupIsEnoughForThatGroup) {
  for (const EventApi granted : {EventApi::kCoreV1, EventApi::kEventsV1}) {
    const bool core = granted == EventApi::kCoreV1;
    server_.SetDenied({AccessRule{.group = core ? "events.k8s.io" : ""}});
    ExporterOptions options = Options(server_.Url());
    options.event_api = granted;
    StartReady(options);
    AwaitEverythingSent();
    options.event_api = core ? EventApi::kEventsV1 : EventApi::kCoreV1;
    Start(options);
    EXPECT_TRUE(Eventually([&] { return Fetch("/healthz").body.find("403") != std::string::npos; }));
    EXPECT_THAT(Fetch("/healthz").body, HasSubstr(core ? "API group \"events.k8s.io\"" : "API group \"\""));
  }
}

TEST_F(FieldServing, B096PortsAreOpenBeforeTheFirstListIsGranted) {
  server_.SetDenied({AccessRule{.verb = "list"}});
  Start(Options(server_.Url()));
  // Not awaited: the ports are open when the start is over.
  EXPECT_EQ(Fetch("/metrics").status, 200);
  EXPECT_EQ(Fetch("/healthz").status, 503);
  EXPECT_EQ(Fetch("/livez").status, 200);
}

TEST_F(FieldServing, B108NothingButEventsIsAskedFor) {
  StartReady();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(server_.Create(MakePodEvent("pod." + std::to_string(i), "BackOff")));
  ASSERT_TRUE(Reaches(PodSeries("BackOff"), 100));
  EXPECT_THAT(server_.State().requests, UnorderedElementsAre(Key("list"), Key("watch")));
  EXPECT_EQ(server_.State().requests.at("list"), 1U);
  EXPECT_EQ(server_.State().requests.at("watch"), 1U);
}

TEST_F(FieldServing, B109TheEndComesAtOnceWhateverIsUnderWay) {
  const auto end = [this] {
    const auto began = std::chrono::steady_clock::now();
    exporter_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
  };
  StartReady();  // a watch that is idle
  end();
  server_.AddFault(
      {.verb = "list", .times = -1, .action = FaultAction::kStatus, .status = 503, .retry_after_seconds = 60});
  Start(Options(server_.Url()));  // a pause of a minute
  EXPECT_TRUE(Eventually([&] { return Sample("kube_events_exporter_list_failed_total") == 1; }));
  end();
  server_.ClearFaults();
  server_.AddFault({.verb = "list", .times = -1, .action = FaultAction::kSilence, .after_bytes = 100});
  const std::uint64_t lists = server_.State().requests.at("list");
  Start(Options(server_.Url()));  // a list in the middle of its answer
  EXPECT_TRUE(Eventually([&] { return server_.State().requests.at("list") > lists; }));
  end();
}

// A folder as kubelet mounts it: the files are links into ..data, which is a link that is replaced as a whole.
class MountedFolder {
 public:
  void Swap(const std::string& name, const std::string& content) {
    const std::string version = "..version-" + std::to_string(++versions_);
    dir_.Write(version + "/" + name, content);
    const auto link = dir_.path() / "..data_tmp";
    std::filesystem::create_symlink(version, link);
    std::filesystem::rename(link, dir_.path() / "..data");
    if (!std::filesystem::exists(dir_.path() / name)) {
      std::filesystem::create_symlink("..data/" + name, dir_.path() / name);
    }
  }
  std::string File(const std::string& name) const { return (dir_.path() / name).string(); }

 private:
  TempDir dir_;
  int versions_ = 0;
};

// An exporter with a kubeconfig, and servers that speak TLS; the fixture's own server is not used.
class FieldRotation : public ExporterFixture {
 protected:
  static sim::SimServerOptions WithTls(const TestAuthority& authority, std::uint16_t port = 0) {
    const TestCertificate certificate = authority.Issue();
    sim::SimServerOptions options;
    options.tls = sim::SimTls{certificate.cert_pem, certificate.key_pem};
    options.port = port;
    return options;
  }
  void StartWith(const SimServer& server, const std::string& ca_file, const std::string& user) {
    ExporterOptions options = Options("");
    options.kubeconfig = dir_.Write("config",
                                    "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                                    "clusters: [{name: c, cluster: {server: \"" +
                                        server.Url() + "\", certificate-authority: \"" + ca_file +
                                        "\"}}]\nusers: [{name: u, user: {" + user + "}}]\n");
    StartReady(options);
  }

  TempDir dir_;
  MountedFolder mounted_;
};

TEST_F(FieldRotation, B097ARotatedTokenIsReadAgainWhenTheOldOneIsRefused) {
  const TestAuthority authority;
  sim::SimServerOptions options = WithTls(authority);
  options.tokens = {{"first-token", "exporter"}};
  SimServer server(options);
  mounted_.Swap("token", "first-token");
  StartWith(server, dir_.Write("ca.crt", authority.cert_pem()), "tokenFile: \"" + mounted_.File("token") + "\"");
  mounted_.Swap("token", "second-token");
  server.SetTokens({{"second-token", "exporter"}});
  server.DropWatches(sim::DropMode::kReset);
  ASSERT_TRUE(server.Create(MakePodEvent("after", "BackOff")));
  EXPECT_TRUE(Reaches(PodSeries("BackOff"), 1)) << Fetch("/healthz").body;
  EXPECT_EQ(Sample("kube_events_exporter_list_total"), 1);
}

TEST_F(FieldRotation, B100ARotatedAuthorityIsTrustedWithoutARestart) {
  const TestAuthority first("first CA");
  const TestAuthority second("second CA");
  auto server = std::make_unique<SimServer>(WithTls(first));
  mounted_.Swap("ca.crt", first.cert_pem());
  StartWith(*server, mounted_.File("ca.crt"), "");
  const std::uint16_t port = server->Port();
  server.reset();
  mounted_.Swap("ca.crt", second.cert_pem());
  sim::SimServerOptions restarted = WithTls(second, port);
  restarted.first_revision = 1'000;  // the same etcd, as far as versions tell
  server = std::make_unique<SimServer>(restarted);
  ASSERT_TRUE(server->WaitForWatches(1));
  ASSERT_TRUE(server->Create(MakePodEvent("after", "BackOff")));
  EXPECT_TRUE(Reaches(PodSeries("BackOff"), 1)) << Fetch("/healthz").body;
}

}  // namespace
}  // namespace kube_events::field
