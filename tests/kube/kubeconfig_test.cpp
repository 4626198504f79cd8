#include "kube/kubeconfig.h"

#include <gtest/gtest.h>

#include <string>

#include "kube/temp_dir.h"

namespace kube_events {
namespace {

constexpr const char* kFull = R"(
apiVersion: v1
kind: Config
current-context: dev
preferences: {}
clusters:
- name: one
  cluster:
    server: https://one:6443/prefix
    certificate-authority: pki/ca.crt
    tls-server-name: kubernetes
    insecure-skip-tls-verify: false
    disable-compression: true
    extensions:
    - name: other
      extension: {a: 1}
    - name: client.authentication.k8s.io/exec
      extension: {audience: "06", n: 7, f: 0.5, on: true, none: null, list: [a, "true"]}
- cluster: {server: "https://two", certificate-authority-data: Zm9v, proxy-url: "http://p", insecure-skip-tls-verify: true}
  name: two
users:
- name: file
  user:
    client-certificate: /abs/cert.pem
    client-key: ../key.pem
    tokenFile: token
- name: data
  user: {client-certificate-data: Y2VydA==, client-key-data: a2V5, token: 12345}
- name: basic
  user: {username: u, password: p}
- name: plugin
  user:
    auth-provider: {name: gcp}
    as: somebody
    as-uid: "7"
    as-groups: [readers, writers]
    as-user-extra: {reason: [audit]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/plugin
      args: [get-token, --cluster, 7]
      env: [{name: PROFILE, value: dev}]
      interactiveMode: IfAvailable
      provideClusterInfo: true
      installHint: install it
- name: nobody
contexts:
- name: dev
  context: {cluster: one, user: file, namespace: team-a}
- name: prod
  context: {cluster: two, user: data}
)";

std::string MessageFor(const std::string& text) {
  const auto config = ParseKubeconfig(text, "/etc/kube/config");
  return config ? "parsed" : config.error().message;
}

TEST(Kubeconfig, ReadsEveryFieldItKnowsAndIgnoresTheRest) {
  const Kubeconfig config = ParseKubeconfig(kFull, "/etc/kube/config").value();
  EXPECT_EQ(config.current_context, "dev");
  const KubeconfigCluster& one = config.clusters.at("one");
  EXPECT_EQ(one.server, "https://one:6443/prefix");
  EXPECT_EQ(one.tls_server_name, "kubernetes");
  EXPECT_FALSE(one.insecure_skip_verify);
  const KubeconfigCluster& two = config.clusters.at("two");
  EXPECT_EQ(two.ca_data, "Zm9v");
  EXPECT_EQ(two.proxy_url, "http://p");
  EXPECT_TRUE(two.insecure_skip_verify);
  EXPECT_EQ(config.users.at("data").token, "12345");
  EXPECT_EQ(config.users.at("data").cert_data, "Y2VydA==");
  EXPECT_EQ(config.users.at("data").key_data, "a2V5");
  EXPECT_EQ(config.users.at("basic").username, "u");
  EXPECT_EQ(config.users.at("basic").password, "p");
  EXPECT_TRUE(config.users.at("plugin").has_auth_provider);
  EXPECT_EQ(config.users.at("nobody").token, "");
  EXPECT_EQ(config.contexts.at("dev").cluster, "one");
  EXPECT_EQ(config.contexts.at("dev").user, "file");
  EXPECT_EQ(config.contexts.at("dev").namespace_name, "team-a");
}

TEST(Kubeconfig, ReadsExecPluginsAndWhatIsMeantForThem) {
  const Kubeconfig config = ParseKubeconfig(kFull, "/etc/kube/config").value();
  EXPECT_FALSE(config.users.at("data").exec);
  const auto& exec = config.users.at("plugin").exec;
  ASSERT_TRUE(exec);
  EXPECT_EQ(exec->api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(exec->command, "/etc/kube/bin/plugin") << "relative to the file, since it has a slash";
  EXPECT_EQ(exec->arguments, (std::vector<std::string>{"get-token", "--cluster", "7"}));
  ASSERT_EQ(exec->environment.size(), 1U);
  EXPECT_EQ(exec->environment[0], std::pair(std::string("PROFILE"), std::string("dev")));
  EXPECT_EQ(exec->interactive_mode, "IfAvailable");
  EXPECT_EQ(exec->install_hint, "install it");
  EXPECT_TRUE(exec->provide_cluster_info);
  EXPECT_EQ(config.clusters.at("one").exec_config,
            R"({"audience":"06","f":0.5,"list":["a","true"],"n":7,"none":null,"on":true})");
  EXPECT_EQ(config.clusters.at("two").exec_config, "");
}

TEST(Kubeconfig, ReadsWhomToActAs) {
  const Kubeconfig config = ParseKubeconfig(kFull, "/etc/kube/config").value();
  EXPECT_FALSE(config.users.at("data").impersonation.Any());
  const KubeconfigImpersonation& acting = config.users.at("plugin").impersonation;
  EXPECT_EQ(acting.user, "somebody");
  EXPECT_EQ(acting.uid, "7");
  EXPECT_EQ(acting.groups, (std::vector<std::string>{"readers", "writers"}));
  EXPECT_EQ(acting.extra.at("reason"), std::vector<std::string>{"audit"});
}

TEST(Kubeconfig, ResolvesPathsAgainstItsOwnFolder) {
  const Kubeconfig config = ParseKubeconfig(kFull, "/etc/kube/config").value();
  EXPECT_EQ(config.clusters.at("one").ca_file, "/etc/kube/pki/ca.crt");
  EXPECT_EQ(config.clusters.at("two").ca_file, "");
  EXPECT_EQ(config.users.at("file").cert_file, "/abs/cert.pem");
  EXPECT_EQ(config.users.at("file").key_file, "/etc/kube/../key.pem");
  EXPECT_EQ(config.users.at("file").token_file, "/etc/kube/token");
}

TEST(Kubeconfig, MayBeJsonOrEmpty) {
  EXPECT_EQ(ParseKubeconfig(R"({"current-context": "c", "clusters": null})", "f")->current_context, "c");
  EXPECT_TRUE(ParseKubeconfig("", "f")->contexts.empty());
  EXPECT_TRUE(ParseKubeconfig("# nothing\n", "f")->contexts.empty());
}

TEST(Kubeconfig, NamesFileAndLineOfBrokenYaml) {
  const std::string message = MessageFor("clusters:\n- name: a\n  cluster: {server: [}\n");
  EXPECT_NE(message.find("/etc/kube/config"), std::string::npos) << message;
  EXPECT_NE(message.find("line 3"), std::string::npos) << message;
}

TEST(Kubeconfig, NamesTheEntryOfTheWrongType) {
  const std::pair<const char*, const char*> rows[] = {
      {"just text", "must be a mapping"},
      {"- a list", "must be a mapping"},
      {"clusters: {a: b}", "clusters must be a list"},
      {"users: text", "users must be a list"},
      {"clusters: [{cluster: {server: x}}]", "clusters: entry 1 has no name"},
      {"clusters: [text]", "clusters \"1\" must be a mapping"},
      {"clusters: [{name: a, cluster: [x]}]", "cluster \"a\" must be a mapping"},
      {"clusters: [{name: a, cluster: {server: {x: y}}}]", "cluster \"a\" has a server that is no text"},
      {"clusters: [{name: a, cluster: {insecure-skip-tls-verify: maybe}}]", "neither true nor false"},
      {"users: [{name: a, user: {token: [x]}}]", "user \"a\" has a token that is no text"},
      {"users: [{name: a}, {name: a}]", "user \"a\" twice"},
      {"contexts: [{name: a}, {name: a}]", "context \"a\" twice"},
  };
  for (const auto& [text, words] : rows) {
    const std::string message = MessageFor(text);
    EXPECT_NE(message.find(words), std::string::npos) << text << " -> " << message;
    EXPECT_NE(message.find("/etc/kube/config"), std::string::npos) << message;
  }
}

TEST(Kubeconfig, NeverShowsASecretInAMessage) {
  for (const char* text : {"users: [{name: a, user: {token: hunter2, password: [hunter2]}}]",
                           "users: [{name: a, user: {token: hunter2}\n  - ]", "users: {token: hunter2}"}) {
    const std::string message = MessageFor(text);
    EXPECT_NE(message, "parsed") << text;
    EXPECT_EQ(message.find("hunter2"), std::string::npos) << message;
  }
}

class MergeTest : public ::testing::Test {
 protected:
  TempDir dir_;
};

TEST_F(MergeTest, TheFirstFileThatDefinesANameWinsEntirely) {
  const std::string first = dir_.Write("a/config", R"(
clusters: [{name: c, cluster: {server: "https://first"}}]
users: [{name: u, user: {token: first}}]
)");
  const std::string second = dir_.Write("b/config", R"(
current-context: second
clusters:
- {name: c, cluster: {server: "https://second", certificate-authority: ca.crt}}
- {name: d, cluster: {server: "https://d", certificate-authority: ca.crt}}
contexts: [{name: second, context: {cluster: c, user: u}}]
)");
  const std::string third = dir_.Write("c/config", "current-context: third\n");
  const Kubeconfig config = LoadKubeconfig({first, second, third}).value();
  EXPECT_EQ(config.current_context, "second");
  EXPECT_EQ(config.clusters.at("c").server, "https://first");
  EXPECT_EQ(config.clusters.at("c").ca_file, "");
  EXPECT_EQ(config.clusters.at("c").file, first);
  EXPECT_EQ(config.clusters.at("d").ca_file, (dir_.path() / "b/ca.crt").string());
  EXPECT_EQ(config.contexts.size(), 1U);
  EXPECT_EQ(config.files.size(), 3U);
}

TEST_F(MergeTest, MissingFilesAreLeftOutUnlessAllAreMissing) {
  const std::string there = dir_.Write("config", "current-context: x\n");
  const std::string missing = (dir_.path() / "missing").string();
  EXPECT_EQ(LoadKubeconfig({missing, there})->current_context, "x");
  const auto none = LoadKubeconfig({missing, missing + "2"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kConfiguration);
  EXPECT_NE(none.error().message.find(missing + ", " + missing + "2"), std::string::npos) << none.error().message;
}

TEST_F(MergeTest, ABrokenFileIsAnErrorEvenBesideAGoodOne) {
  const std::string good = dir_.Write("good", "current-context: x\n");
  EXPECT_FALSE(LoadKubeconfig({good, dir_.Write("bad", "a: [")}));
  EXPECT_FALSE(LoadKubeconfig({good, dir_.path()}));
}

TEST(SplitKubeconfigList, DropsEmptyAndRepeatedParts) {
  EXPECT_TRUE(SplitKubeconfigList("").empty());
  EXPECT_TRUE(SplitKubeconfigList("::").empty());
  const auto files = SplitKubeconfigList(":/a::/b:/a:");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0], "/a");
  EXPECT_EQ(files[1], "/b");
}

}  // namespace
}  // namespace kube_events
