// What may happen to names, certificates and proxies between the exporter and the API server, under load.
#include <gmock/gmock.h>

#include "faults/faults_fixture.h"
#include "kube/temp_dir.h"
#include "support/connect_proxy.h"
#include "support/test_certificates.h"
#include "support/test_resolver.h"

// The HTTP library loses 32 bytes for each connection that it makes through a proxy.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcpprest.so\n"; }

namespace kube_events {
namespace {

using testing::HasSubstr;

class AccessFaults : public FaultsFixture {
 protected:
  using FaultsFixture::FaultsFixture;

  // Waits for a list, or the probe before a watch, that fails for this reason.
  bool Fails(const std::string& reason) {
    const std::string name = "kube_events_exporter_api_errors_total{reason=\"" + reason + "\",verb=\"list\"}";
    return Eventually([&] { return ReadSample(Get(Url("/metrics")).body, name).value_or(0) > 0; },
                      std::chrono::seconds(30));
  }
};

class NameFaults : public AccessFaults {
 protected:
  ExporterOptions Options() override {
    ExporterOptions options = FaultsFixture::Options();
    options.apiserver = "http://apiserver.test:" + std::to_string(proxy_.Port());
    return options;
  }
  ~NameFaults() override { SetTestResolution(TestResolution::kWorks); }
};

TEST_F(NameFaults, DnsThatFailsAndRecoversCostsNothing) {
  ASSERT_NO_FATAL_FAILURE(Start());
  SetTestResolution(TestResolution::kFails);
  server_.CloseConnections();
  EXPECT_TRUE(Fails("connect"));
  SetTestResolution(TestResolution::kWorks);
  ExpectCounts(Cost::kNothing);
}

TEST_F(NameFaults, DnsThatFailsFromTheStartIsToldAndAwaited) {
  SetTestResolution(TestResolution::kFails);
  auto started = Exporter::Start(Options(), NoEnvironment);
  ASSERT_TRUE(started) << started.error().message;
  exporter_ = std::move(*started);
  EXPECT_TRUE(Eventually([this] {
    return Get(Url("/healthz")).body.find("cannot resolve the host of http://apiserver.test") != std::string::npos;
  })) << Get(Url("/healthz")).body;
  SetTestResolution(TestResolution::kWorks);
  EXPECT_TRUE(Eventually([this] { return Health() == 200; }));
}

// Servers that speak TLS and want a client certificate, and a kubeconfig of files.
class CertificateFaults : public AccessFaults {
 protected:
  struct Authorities {
    TestAuthority servers{"servers"};
    TestAuthority clients{"clients"};
  };

  explicit CertificateFaults(std::shared_ptr<Authorities> made = std::make_shared<Authorities>())
      : AccessFaults(Tls(made->servers, *made)), authorities_(std::move(made)) {
    dir_.Write("ca.crt", authorities_->servers.cert_pem());
    Rotate("first");
  }

  static sim::SimTls Tls(const TestAuthority& authority, const Authorities& all) {
    const TestCertificate certificate = authority.Issue();
    return {certificate.cert_pem, certificate.key_pem, all.clients.cert_pem(), true};
  }

  // Another client certificate, in the files.
  void Rotate(const std::string& user) {
    TestCertificateOptions options;
    options.common_name = user;
    const TestCertificate certificate = authorities_->clients.Issue(options);
    dir_.Write("client.crt", certificate.cert_pem);
    dir_.Write("client.key", certificate.key_pem);
  }

  ExporterOptions Options() override {
    ExporterOptions options = FaultsFixture::Options();
    options.apiserver.clear();
    options.kubeconfig =
        dir_.Write("config",
                   "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
                   "clusters: [{name: c, cluster: {server: \"https://127.0.0.1:" +
                       std::to_string(proxy_.Port()) + "\", certificate-authority: ca.crt" + proxy_url_ +
                       "}}]\nusers: [{name: u, user: {client-certificate: client.crt, client-key: client.key}}]\n");
    return options;
  }

  const std::shared_ptr<Authorities> authorities_;
  TempDir dir_;
  std::string proxy_url_;
};

TEST_F(CertificateFaults, ARotatedClientCertificateIsShownWithoutARestart) {
  ASSERT_NO_FATAL_FAILURE(Start());
  server_.SetDenied({sim::AccessRule{.user = "first"}});  // what it was issued for is over
  server_.DropWatches(sim::DropMode::kEnd);
  EXPECT_TRUE(Fails("Forbidden"));
  Rotate("second");
  ExpectCounts(Cost::kNothing);
}

TEST_F(CertificateFaults, AHalfWrittenRotationKeepsTheOldCertificateInUse) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const TestCertificate other = authorities_->clients.Issue();
  dir_.Write("client.crt", other.cert_pem);  // the key comes later
  server_.CloseConnections();
  ASSERT_TRUE(AwaitRequests("watch", 1));
  dir_.Write("client.key", other.key_pem);
  ExpectCounts(Cost::kNothing);
}

TEST_F(CertificateFaults, ARotatedAuthorityIsTrustedWithoutARestart) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const TestAuthority next("servers, next");
  server_.SetTls(Tls(next, *authorities_));
  server_.CloseConnections();
  EXPECT_TRUE(Fails("tls"));
  dir_.Write("ca.crt", authorities_->servers.cert_pem() + next.cert_pem());
  ExpectCounts(Cost::kNothing);
}

TEST_F(CertificateFaults, AProxyInBetweenMayBreakEveryConnection) {
  ConnectProxy between(proxy_.Port());
  proxy_url_ = ", proxy-url: \"http://127.0.0.1:" + std::to_string(between.port()) + "\"";
  ASSERT_NO_FATAL_FAILURE(Start());
  for (int i = 0; i < 3; ++i) {
    between.Break();
    ASSERT_TRUE(AwaitRequests("watch", 1));
  }
  EXPECT_THAT(between.requests().front(), HasSubstr("CONNECT 127.0.0.1:" + std::to_string(proxy_.Port())));
  ExpectCounts(Cost::kNothing);
}

}  // namespace
}  // namespace kube_events
