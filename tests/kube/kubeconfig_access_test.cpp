// What each kind of kubeconfig leads to, and what is said about those that cannot be used.
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "kube/temp_dir.h"
#include "kube/text.h"
#include "kube_events/kube/access.h"
#include "support/fake_clock.h"
#include "support/test_certificates.h"

namespace kube_events {
namespace {

class KubeconfigAccessTest : public ::testing::Test {
 protected:
  KubeconfigAccessTest() {
    options_.environment = [](const std::string&) { return std::nullopt; };
  }

  // A kubeconfig with one context, whose cluster and user have these fields in YAML's flow style.
  Result<ClusterAccess> ResolveWith(const std::string& cluster, const std::string& user) {
    return ResolveText(
        "current-context: dev\ncontexts: [{name: dev, context: {cluster: c1, user: u1}}]\n"
        "clusters: [{name: c1, cluster: {" +
        cluster + "}}]\nusers: [{name: u1, user: {" + user + "}}]\n");
  }
  Result<ClusterAccess> ResolveText(const std::string& text) {
    options_.kubeconfig = dir_.Write("config", text);
    return ResolveAccess(options_, clock_);
  }

  static ClusterAccess Unwrap(Result<ClusterAccess> access) {
    if (!access) throw std::runtime_error(access.error().message);
    return std::move(*access);
  }
  static std::string HeaderOf(const ClusterAccess& access) {
    const auto headers = access.credentials->Headers();
    return !headers || headers->empty() ? "" : headers->front().value;
  }
  static std::string Data(const std::string& pem) { return Base64Encoded(pem); }

  // Server and CA of a cluster that is as it should be.
  std::string GoodCluster() const {
    return R"(server: "https://h:6443", certificate-authority-data: )" + Data(authority_.cert_pem());
  }

  TempDir dir_;
  FakeClock clock_;
  const TestAuthority authority_;
  const TestCertificate client_ = authority_.Issue();
  AccessOptions options_;
};

TEST_F(KubeconfigAccessTest, TokenAndCaAsData) {
  const ClusterAccess access = Unwrap(ResolveWith(GoodCluster(), "token: abc"));
  EXPECT_EQ(access.server, "https://h:6443");
  EXPECT_EQ(HeaderOf(access), "Bearer abc");
  EXPECT_EQ(access.tls()->ca_pem, authority_.cert_pem());
  EXPECT_EQ(access.default_namespace, "default");
  EXPECT_NE(access.description.find("context \"dev\" of kubeconfig " + options_.kubeconfig), std::string::npos);
}

TEST_F(KubeconfigAccessTest, CertificateKeyAndCaAsFilesBesideIt) {
  dir_.Write("pki/ca.crt", authority_.cert_pem());
  dir_.Write("pki/tls.crt", client_.cert_pem);
  dir_.Write("pki/tls.key", client_.key_pem);
  const ClusterAccess access =
      Unwrap(ResolveWith(R"(server: "https://h", certificate-authority: pki/ca.crt, tls-server-name: kubernetes)",
                         "client-certificate: pki/tls.crt, client-key: pki/tls.key"));
  const TlsSettings settings = access.tls().value();
  EXPECT_EQ(settings.ca_pem, authority_.cert_pem());
  EXPECT_EQ(settings.client_cert_pem, client_.cert_pem);
  EXPECT_EQ(settings.client_key_pem, client_.key_pem);
  EXPECT_EQ(settings.server_name, "kubernetes");
  EXPECT_EQ(HeaderOf(access), "");
}

TEST_F(KubeconfigAccessTest, CertificateAndKeyAsData) {
  const ClusterAccess access = Unwrap(ResolveWith(GoodCluster(), "client-certificate-data: " + Data(client_.cert_pem) +
                                                                     ", client-key-data: " + Data(client_.key_pem)));
  EXPECT_EQ(access.tls()->client_cert_pem, client_.cert_pem);
  EXPECT_EQ(access.tls()->client_key_pem, client_.key_pem);
}

TEST_F(KubeconfigAccessTest, TokenFileWinsOverTheTokenAndIsFollowed) {
  dir_.Write("token", "from-file\n");
  const ClusterAccess access = Unwrap(ResolveWith(GoodCluster(), "token: inline, tokenFile: token"));
  EXPECT_EQ(HeaderOf(access), "Bearer from-file");
  dir_.Write("token", "rotated\n");
  clock_.Advance(std::chrono::seconds(60));
  EXPECT_EQ(HeaderOf(access), "Bearer rotated");
}

TEST_F(KubeconfigAccessTest, TokenStandsInForATokenFileOfNoUse) {
  const ClusterAccess access = Unwrap(ResolveWith(GoodCluster(), "token: inline, tokenFile: missing"));
  EXPECT_EQ(HeaderOf(access), "Bearer inline");
  ASSERT_EQ(access.warnings.size(), 1U);
  EXPECT_NE(access.warnings[0].find("missing"), std::string::npos);
}

TEST_F(KubeconfigAccessTest, UserAndPassword) {
  EXPECT_EQ(HeaderOf(Unwrap(ResolveWith(GoodCluster(), "username: a, password: b"))), "Basic YTpi");
}

TEST_F(KubeconfigAccessTest, NamespaceOfTheContext) {
  const ClusterAccess access = Unwrap(
      ResolveText("current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u, namespace: team-a}}]\n"
                  "clusters: [{name: c, cluster: {server: \"http://h\"}}]\nusers: [{name: u}]\n"));
  EXPECT_EQ(access.default_namespace, "team-a");
}

TEST_F(KubeconfigAccessTest, ContextOfTheFlagInsteadOfTheCurrentOne) {
  options_.context = "other";
  const ClusterAccess access = Unwrap(ResolveText(
      "current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}, {name: other, context: {cluster: d, "
      "user: u}}]\nclusters: [{name: c, cluster: {server: \"http://c\"}}, {name: d, cluster: {server: \"http://d\"}}]\n"
      "users: [{name: u}]\n"));
  EXPECT_EQ(access.server, "http://d:80");
}

TEST_F(KubeconfigAccessTest, UnverifiedServerIsWarnedOf) {
  const ClusterAccess access =
      Unwrap(ResolveWith(R"(server: "https://h", insecure-skip-tls-verify: true)", "token: abc"));
  EXPECT_TRUE(access.tls()->insecure_skip_verify);
  ASSERT_EQ(access.warnings.size(), 1U);
  EXPECT_NE(access.warnings[0].find("insecure-skip-tls-verify"), std::string::npos);
}

TEST_F(KubeconfigAccessTest, CredentialsAreNotSentOverPlainHttp) {
  for (const char* user : {"token: abc", "username: a, password: b", "tokenFile: missing"}) {
    const ClusterAccess access = Unwrap(ResolveWith(R"(server: "http://h")", user));
    EXPECT_EQ(HeaderOf(access), "");
    ASSERT_EQ(access.warnings.size(), 1U);
    EXPECT_NE(access.warnings[0].find("not sent"), std::string::npos);
  }
  EXPECT_TRUE(Unwrap(ResolveWith(R"(server: "http://h")", "")).warnings.empty());
}

TEST_F(KubeconfigAccessTest, ExecPluginIsNotNeededBesideAToken) {
  EXPECT_EQ(HeaderOf(Unwrap(ResolveWith(GoodCluster(), "token: abc, exec: {command: x}"))), "Bearer abc");
}

struct BadRow {
  const char* name;
  const char* cluster;  // "" for one that is as it should be
  const char* user;
  const char* place;   // that the message must name
  const char* words;   // of what is wrong
  const char* remedy;  // of what to do
};

class BadKubeconfig : public KubeconfigAccessTest, public ::testing::WithParamInterface<BadRow> {};

TEST_P(BadKubeconfig, IsRefusedWithPlaceCauseAndRemedy) {
  const BadRow& row = GetParam();
  dir_.Write("garbage", "hunter2");
  dir_.Write("empty", "");
  const auto access = ResolveWith(*row.cluster == '\0' ? GoodCluster() : row.cluster, row.user);
  ASSERT_FALSE(access);
  EXPECT_EQ(access.error().kind, ErrorKind::kConfiguration);
  const std::string& message = access.error().message;
  EXPECT_NE(message.find(options_.kubeconfig), std::string::npos) << message;
  EXPECT_NE(message.find(row.place), std::string::npos) << message;
  EXPECT_NE(message.find(row.words), std::string::npos) << message;
  EXPECT_NE(message.find(row.remedy), std::string::npos) << message;
  EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

constexpr const char* kCluster = "cluster \"c1\"";
constexpr const char* kUser = "user \"u1\"";
constexpr const char* kContext = "context \"dev\"";

INSTANTIATE_TEST_SUITE_P(
    Rows, BadKubeconfig,
    ::testing::Values(
        BadRow{"NoServer", "certificate-authority: ca", "", kCluster, "has no server", "add server:"},
        BadRow{"BadServer", "server: h:6443", "", kCluster, "bad server", "https://HOST:PORT"},
        BadRow{"ServerWithPassword", "server: \"https://u:hunter2@h\"", "", kCluster, "user or password", "remove"},
        BadRow{"Ipv6Server", "server: \"https://[::1\"", "", kCluster, "no valid host", "https://HOST:PORT"},
        BadRow{"TwoAuthorities", "server: \"https://h\", certificate-authority: a, certificate-authority-data: Zm9v",
               "", kCluster, "certificate-authority and certificate-authority-data", "keep one"},
        BadRow{"AuthorityAndInsecure",
               "server: \"https://h\", certificate-authority: a, insecure-skip-tls-verify: true", "", kCluster,
               "insecure-skip-tls-verify", "remove"},
        BadRow{"SocksProxy", "server: \"https://h\", proxy-url: \"socks5://u:hunter2@p\"", "", kCluster,
               "proxy-url that cannot be used", "http://HOST:PORT"},
        BadRow{"BadProxy", "server: \"https://h\", proxy-url: \"http://u:hunter2@\"", "", kCluster,
               "proxy-url that cannot be used", "HOST:PORT"},
        BadRow{"AuthorityMissing", "server: \"https://h\", certificate-authority: missing", "", kContext, "missing",
               "No such file"},
        BadRow{"AuthorityEmpty", "server: \"https://h\", certificate-authority: empty", "", kContext, "empty", "empty"},
        BadRow{"AuthorityGarbage", "server: \"https://h\", certificate-authority: garbage", "", kContext, "garbage",
               "PEM"},
        BadRow{"AuthorityNotBase64", "server: \"https://h\", certificate-authority-data: hunter2", "", kCluster,
               "certificate-authority-data that is not base64", "base64-encoded"},
        BadRow{"AuthorityDataGarbage", "server: \"https://h\", certificate-authority-data: Zm9v", "", kContext,
               "contains no certificate", "PEM"},
        BadRow{"TwoCertificates", "", "client-certificate: a, client-certificate-data: Zm9v, client-key: b", kUser,
               "client-certificate and client-certificate-data", "keep one"},
        BadRow{"TwoKeys", "", "client-certificate: a, client-key: b, client-key-data: aHVudGVyMg==", kUser,
               "client-key and client-key-data", "keep one"},
        BadRow{"CertificateWithoutKey", "", "client-certificate: a", kUser, "without a client key", "add client-key"},
        BadRow{"KeyWithoutCertificate", "", "client-key: a", kUser, "without a client certificate",
               "add client-certificate"},
        BadRow{"CertificateMissing", "", "client-certificate: missing, client-key: missing", kContext, "missing",
               "No such file"},
        BadRow{"CertificateGarbage", "", "client-certificate: garbage, client-key: garbage", kContext, "garbage",
               "PEM"},
        BadRow{"KeyNotBase64", "", "client-certificate-data: Zm9v, client-key-data: hunter2", kUser,
               "client-key-data that is not base64", "base64-encoded"},
        BadRow{"TokenAndPassword", "", "token: hunter2, username: a, password: hunter2", kUser,
               "token and a username or password", "keep one"},
        BadRow{"ExecAndAuthProvider", "", "exec: {command: x}, auth-provider: {name: oidc}", kUser,
               "exec and auth-provider", "keep one"},
        BadRow{"ExecWithoutCommand", "", "exec: {apiVersion: client.authentication.k8s.io/v1}", kUser,
               "exec without a command", "name the program"},
        BadRow{"ExecOfAnOldVersion", "", "exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}", kUser,
               "v1alpha1", "must be client.authentication.k8s.io/v1"},
        BadRow{"ExecThatAsks", "",
               "exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always}", kUser,
               "asks questions", "interactiveMode: Never"},
        BadRow{"ExecWithNamelessVariable", "",
               "exec: {command: x, apiVersion: client.authentication.k8s.io/v1, env: [{value: hunter2}]}", kUser,
               "no usable name", "list of name and value"},
        BadRow{"ExecIsNoMapping", "", "exec: hunter2", kUser, "exec must be a mapping", "mapping of names to values"},
        BadRow{"ExecArgumentsAreNoList", "", "exec: {command: x, args: hunter2}", kUser, "args", "list of texts"},
        BadRow{"AuthProvider", "", "auth-provider: {name: oidc, config: {id-token: hunter2}}", kUser,
               "auth-provider, a way that Kubernetes has given up", "use an exec plugin"},
        BadRow{"ActsWithoutUser", "", "token: hunter2, as-groups: [a]", kUser, "without as", "name the user"},
        BadRow{"SeveralGroups", "", "token: hunter2, as: a, as-groups: [b, c]", kUser, "several as-groups", "bind"},
        BadRow{"SeveralExtraValues", "", "token: hunter2, as: a, as-user-extra: {k: [b, c]}", kUser, "several values",
               "only one can be sent"},
        BadRow{"ActsWithLineBreak", "", "token: hunter2, as: \"a\\nb\"", kUser, "control character", "remove"},
        BadRow{"TokenWithLineBreak", "", "token: \"hunter2\\nX-Evil: 1\"", kUser, "line break", "one bearer token"},
        BadRow{"TokenFileMissing", "", "tokenFile: missing", kUser, "missing", "No such file"},
        BadRow{"TokenFileEmpty", "", "tokenFile: empty", kUser, "is empty", "put a bearer token"}),
    [](const auto& row) { return row.param.name; });

TEST_F(KubeconfigAccessTest, ActsAsSomebodyElse) {
  const ClusterAccess access = Unwrap(ResolveWith(
      GoodCluster(), "token: abc, as: ann, as-uid: \"7\", as-groups: [readers], as-user-extra: {Why/not: [audit]}"));
  const std::vector<HttpHeader> headers = access.credentials->Headers().value();
  std::vector<std::string> lines;
  for (const HttpHeader& header : headers) lines.push_back(header.name + ": " + header.value);
  EXPECT_EQ(lines, (std::vector<std::string>{"Authorization: Bearer abc", "Impersonate-User: ann", "Impersonate-Uid: 7",
                                             "Impersonate-Group: readers", "Impersonate-Extra-why%2Fnot: audit"}));
  EXPECT_NE(access.description.find("acting as \"ann\""), std::string::npos);
}

TEST_F(KubeconfigAccessTest, UsesTheProxyOfTheClusterBeforeTheEnvironments) {
  options_.environment = [](const std::string& name) {
    return name == "HTTPS_PROXY" ? std::optional<std::string>("http://from-environment:1") : std::nullopt;
  };
  const ClusterAccess own =
      Unwrap(ResolveWith(GoodCluster() + ", proxy-url: \"http://u:hunter2@own:3128\"", "token: t"));
  ASSERT_TRUE(own.proxy);
  EXPECT_EQ(own.proxy->host, "own");
  EXPECT_EQ(own.proxy->password, "hunter2");
  EXPECT_NE(own.description.find("through the proxy http://own:3128"), std::string::npos) << own.description;
  EXPECT_EQ(own.description.find("hunter2"), std::string::npos);
  EXPECT_EQ(Unwrap(ResolveWith(GoodCluster(), "token: t")).proxy->host, "from-environment");
}

TEST_F(KubeconfigAccessTest, NamesWhatAContextLacks) {
  const std::string rest =
      "clusters: [{name: c, cluster: {server: \"http://c\"}}]\nusers: [{name: u, user: {token: hunter2}}]\n";
  const auto message = [&](const std::string& text) {
    const auto access = ResolveText(text + rest);
    return access ? "found" : access.error().message;
  };
  const std::string contexts = "contexts: [{name: x, context: {cluster: c, user: u}}, {name: y}]\n";
  EXPECT_NE(message(contexts).find("no current-context is set; pass --context with one of: \"x\", \"y\""),
            std::string::npos);
  EXPECT_NE(message("current-context: z\n" + contexts).find("no context \"z\" as current-context says"),
            std::string::npos);
  EXPECT_NE(message("current-context: y\n" + contexts).find("names no cluster; clusters there: \"c\""),
            std::string::npos);
  EXPECT_NE(message("current-context: x\ncontexts: [{name: x, context: {cluster: nope, user: u}}]\n")
                .find("names the cluster \"nope\", which does not exist; clusters there: \"c\""),
            std::string::npos);
  EXPECT_NE(message("current-context: x\ncontexts: [{name: x, context: {cluster: c, user: nope}}]\n")
                .find("names the user \"nope\", which does not exist; users there: \"u\""),
            std::string::npos);
  EXPECT_NE(message("").find("has no contexts; use another file"), std::string::npos);
  options_.context = "z";
  EXPECT_NE(message(contexts).find("no context \"z\" as --context says; contexts there: \"x\", \"y\""),
            std::string::npos);
}

}  // namespace
}  // namespace kube_events
