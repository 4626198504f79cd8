#include "kube_events/kube/access.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "kube/temp_dir.h"
#include "support/fake_clock.h"
#include "support/test_certificates.h"

namespace kube_events {
namespace {

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() {
    options_.environment = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment_.find(name);
      if (found == environment_.end()) return {};
      return found->second;
    };
    options_.service_account_dir = dir_.path() / "serviceaccount";
  }

  // A pod with a service account.
  void BeInCluster(const std::string& host = "10.96.0.1") {
    environment_["KUBERNETES_SERVICE_HOST"] = host;
    environment_["KUBERNETES_SERVICE_PORT"] = "443";
    dir_.Write("serviceaccount/token", "pod-token\n");
    dir_.Write("serviceaccount/ca.crt", authority_.cert_pem());
    dir_.Write("serviceaccount/namespace", "monitoring\n");
  }

  std::string WriteKubeconfig(const std::string& name, const std::string& server) {
    return dir_.Write(name,
                      "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u, namespace: n}}]\n"
                      "clusters: [{name: k, cluster: {server: \"" +
                          server + "\"}}]\nusers: [{name: u, user: {token: file-token}}]\n");
  }

  ClusterAccess Resolve() {
    auto access = ResolveAccess(options_, clock_);
    if (!access) throw std::runtime_error(access.error().message);
    return std::move(*access);
  }

  std::string Failure() {
    const auto access = ResolveAccess(options_, clock_);
    if (access) return "found " + access->server;
    EXPECT_EQ(access.error().kind, ErrorKind::kConfiguration);
    return access.error().message;
  }

  static std::string TokenOf(const ClusterAccess& access) {
    const auto headers = access.credentials->Headers();
    return !headers || headers->empty() ? "" : headers->front().value;
  }

  TempDir dir_;
  FakeClock clock_;
  const TestAuthority authority_;
  std::map<std::string, std::string> environment_;
  AccessOptions options_;
};

TEST_F(AccessTest, SaysTheThreeWaysWhereNoClusterIsFound) {
  const std::string message = Failure();
  for (const char* word : {"--kubeconfig", "KUBECONFIG", "KUBERNETES_SERVICE_HOST", "--apiserver"}) {
    EXPECT_NE(message.find(word), std::string::npos) << message;
  }
}

TEST_F(AccessTest, IsThePodsServiceAccount) {
  BeInCluster();
  const ClusterAccess access = Resolve();
  EXPECT_EQ(access.server, "https://10.96.0.1:443");
  EXPECT_EQ(access.default_namespace, "monitoring");
  EXPECT_EQ(TokenOf(access), "Bearer pod-token");
  EXPECT_EQ(access.tls()->ca_pem, authority_.cert_pem());
  EXPECT_TRUE(access.warnings.empty());
  EXPECT_NE(access.description.find("service account"), std::string::npos);
}

TEST_F(AccessTest, TakesTheNamespaceOfThePodFromItsEnvironmentFirst) {
  BeInCluster();
  environment_["POD_NAMESPACE"] = "from-env";
  EXPECT_EQ(Resolve().default_namespace, "from-env");
  environment_.erase("POD_NAMESPACE");
  std::filesystem::remove(dir_.path() / "serviceaccount/namespace");
  EXPECT_EQ(Resolve().default_namespace, "default");
}

TEST_F(AccessTest, UsesTheDnsNameWhereTheClusterSpeaksIpv6) {
  BeInCluster("fd00:10:96::1");
  EXPECT_EQ(Resolve().server, "https://kubernetes.default.svc:443");
}

TEST_F(AccessTest, FollowsTheRotatedTokenOfThePod) {
  BeInCluster();
  const ClusterAccess access = Resolve();
  dir_.Write("serviceaccount/token", "next-token");
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(TokenOf(access), "Bearer next-token");
}

TEST_F(AccessTest, SaysWhyAPodHasNoToken) {
  BeInCluster();
  std::filesystem::remove(dir_.path() / "serviceaccount/token");
  const std::string message = Failure();
  EXPECT_NE(message.find("automountServiceAccountToken"), std::string::npos) << message;
  EXPECT_NE(message.find("serviceaccount/token"), std::string::npos) << message;
}

TEST_F(AccessTest, WarnsWhereAPodHasNoCaAndTrustsTheSystem) {
  BeInCluster();
  std::filesystem::remove(dir_.path() / "serviceaccount/ca.crt");
  const auto access = ResolveAccess(options_, clock_);
  // Where the machine has no bundle either, that is an error that says so.
  if (!access) {
    EXPECT_NE(access.error().message.find("CA bundle"), std::string::npos) << access.error().message;
    return;
  }
  ASSERT_EQ(access->warnings.size(), 1U);
  EXPECT_NE(access->warnings[0].find("ca.crt"), std::string::npos);
  EXPECT_EQ(access->tls()->ca_pem, "");
}

TEST_F(AccessTest, IsNotInAClusterWithHalfOfTheEnvironment) {
  BeInCluster();
  environment_["KUBERNETES_SERVICE_PORT"] = "";
  EXPECT_NE(Failure().find("no cluster found"), std::string::npos);
}

TEST_F(AccessTest, PrefersAKubeconfigToThePod) {
  BeInCluster();
  options_.kubeconfig = WriteKubeconfig("config", "https://from-file:6443/prefix");
  const ClusterAccess access = Resolve();
  EXPECT_EQ(access.server, "https://from-file:6443/prefix");
  EXPECT_EQ(access.default_namespace, "n");
  EXPECT_EQ(TokenOf(access), "Bearer file-token");
}

TEST_F(AccessTest, PrefersTheFlagToTheEnvironment) {
  environment_["KUBECONFIG"] = WriteKubeconfig("env", "https://from-env");
  EXPECT_EQ(Resolve().server, "https://from-env:443");
  options_.kubeconfig = WriteKubeconfig("flag", "https://from-flag");
  EXPECT_EQ(Resolve().server, "https://from-flag:443");
}

TEST_F(AccessTest, MergesTheListInTheEnvironment) {
  environment_["KUBECONFIG"] = (dir_.path() / "missing").string() + ":" + WriteKubeconfig("a", "https://a") +
                               "::" + WriteKubeconfig("b", "https://b");
  EXPECT_EQ(Resolve().server, "https://a:443");
}

TEST_F(AccessTest, FailsForAKubeconfigThatIsNotThere) {
  BeInCluster();
  options_.kubeconfig = (dir_.path() / "missing").string();
  EXPECT_NE(Failure().find(options_.kubeconfig), std::string::npos);
}

TEST_F(AccessTest, NeedsAFileForAContext) {
  BeInCluster();
  options_.context = "dev";
  EXPECT_NE(Failure().find("--context"), std::string::npos);
}

TEST_F(AccessTest, IsABareAddressWithoutCredentials) {
  options_.apiserver = "http://127.0.0.1:8001/proxy/";
  const ClusterAccess access = Resolve();
  EXPECT_EQ(access.server, "http://127.0.0.1:8001/proxy");
  EXPECT_EQ(access.default_namespace, "default");
  EXPECT_EQ(TokenOf(access), "");
}

TEST_F(AccessTest, UsesTheProxyOfTheEnvironmentForAnAddressAndNeverInACluster) {
  environment_["HTTPS_PROXY"] = "http://proxy:3128";
  options_.apiserver = "https://other:6443";
  ASSERT_TRUE(Resolve().proxy);
  environment_["NO_PROXY"] = "other";
  EXPECT_FALSE(Resolve().proxy);
  environment_.erase("NO_PROXY");
  BeInCluster();
  EXPECT_FALSE(Resolve().proxy);
  options_.apiserver.clear();
  EXPECT_FALSE(Resolve().proxy);
}

TEST_F(AccessTest, OverridesTheAddressOfThePodAndKeepsItsCredentials) {
  BeInCluster();
  options_.apiserver = "https://other:6443";
  const ClusterAccess access = Resolve();
  EXPECT_EQ(access.server, "https://other:6443");
  EXPECT_EQ(TokenOf(access), "Bearer pod-token");
}

TEST_F(AccessTest, SendsNoTokenOfThePodToAPlainAddress) {
  BeInCluster();
  options_.apiserver = "http://127.0.0.1:8001";
  EXPECT_EQ(TokenOf(Resolve()), "");
}

TEST_F(AccessTest, IsABareAddressInAPodWithoutAToken) {
  BeInCluster();
  std::filesystem::remove(dir_.path() / "serviceaccount/token");
  options_.apiserver = "https://other:6443";
  EXPECT_EQ(TokenOf(Resolve()), "");
}

TEST_F(AccessTest, OverridesTheAddressOfAKubeconfigAndKeepsItsCredentials) {
  options_.kubeconfig = WriteKubeconfig("config", "https://from-file:6443");
  options_.apiserver = "https://other:6443";
  const ClusterAccess access = Resolve();
  EXPECT_EQ(access.server, "https://other:6443");
  EXPECT_EQ(TokenOf(access), "Bearer file-token");
}

TEST_F(AccessTest, NamesTheFlagOfABadAddress) {
  options_.apiserver = "nonsense";
  EXPECT_TRUE(Failure().starts_with("--apiserver: ")) << Failure();
  BeInCluster();
  EXPECT_TRUE(Failure().starts_with("--apiserver: ")) << Failure();
  options_.kubeconfig = WriteKubeconfig("config", "https://from-file:6443");
  EXPECT_TRUE(Failure().starts_with("--apiserver: ")) << Failure();
}

}  // namespace
}  // namespace kube_events
