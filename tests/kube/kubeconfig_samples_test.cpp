// Kubeconfig files as the tools and clouds that people use write them, by their documentation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/kubeconfig.h"
#include "kube/temp_dir.h"
#include "kube/text.h"
#include "kube_events/kube/access.h"
#include "support/fake_clock.h"
#include "support/test_certificates.h"

namespace kube_events {
namespace {

using testing::HasSubstr;

class KubeconfigSamples : public testing::Test {
 protected:
  KubeconfigSamples() {
    options_.environment = [](const std::string&) { return std::nullopt; };
  }
  ClusterAccess Resolve(const std::string& text) {
    options_.kubeconfig = dir_.Write("config", text);
    auto access = ResolveAccess(options_, clock_);
    if (!access) throw std::runtime_error(access.error().message);
    return std::move(*access);
  }
  std::string Ca() const { return Base64Encoded(authority_.cert_pem()); }
  std::string Cert() const { return Base64Encoded(client_.cert_pem); }
  std::string Key() const { return Base64Encoded(client_.key_pem); }

  TempDir dir_;
  FakeClock clock_;
  const TestAuthority authority_;
  const TestCertificate client_ = authority_.Issue();
  AccessOptions options_;
};

TEST_F(KubeconfigSamples, Kind) {
  const ClusterAccess access =
      Resolve("apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " + Ca() +
              R"(
    server: https://127.0.0.1:41211
  name: kind-kind
contexts:
- context:
    cluster: kind-kind
    user: kind-kind
  name: kind-kind
current-context: kind-kind
kind: Config
preferences: {}
users:
- name: kind-kind
  user:
    client-certificate-data: )" +
              Cert() + "\n    client-key-data: " + Key() + "\n");
  EXPECT_EQ(access.server, "https://127.0.0.1:41211");
  EXPECT_EQ(access.tls()->client_cert_pem, client_.cert_pem);
}

TEST_F(KubeconfigSamples, Minikube) {
  const std::string home = dir_.path().string() + "/.minikube";
  dir_.Write(".minikube/ca.crt", authority_.cert_pem());
  dir_.Write(".minikube/profiles/minikube/client.crt", client_.cert_pem);
  dir_.Write(".minikube/profiles/minikube/client.key", client_.key_pem);
  const ClusterAccess access =
      Resolve("apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority: " + home + R"(/ca.crt
    extensions:
    - extension:
        last-update: Mon, 05 Jan 2026 10:00:00 CET
        provider: minikube.sigs.k8s.io
        version: v1.37.0
      name: cluster_info
    server: https://192.168.49.2:8443
  name: minikube
contexts:
- context:
    cluster: minikube
    extensions:
    - extension:
        provider: minikube.sigs.k8s.io
      name: context_info
    namespace: default
    user: minikube
  name: minikube
current-context: minikube
kind: Config
users:
- name: minikube
  user:
    client-certificate: )" +
              home + "/profiles/minikube/client.crt\n    client-key: " + home + "/profiles/minikube/client.key\n");
  EXPECT_EQ(access.tls()->ca_pem, authority_.cert_pem());
  EXPECT_EQ(access.tls()->client_key_pem, client_.key_pem);
}

TEST_F(KubeconfigSamples, K3s) {
  const ClusterAccess access =
      Resolve("apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " + Ca() +
              "\n    server: https://127.0.0.1:6443\n  name: default\ncontexts:\n- context:\n    cluster: default\n"
              "    user: default\n  name: default\ncurrent-context: default\nkind: Config\npreferences: {}\nusers:\n"
              "- name: default\n  user:\n    client-certificate-data: " +
              Cert() + "\n    client-key-data: " + Key() + "\n");
  EXPECT_THAT(access.description, HasSubstr("context \"default\""));
}

// Of the clouds: a plugin gives the token. Whether it is installed shows when it is asked.
std::string Cloud(const std::string& name, const std::string& server, const std::string& ca, const std::string& exec) {
  return "apiVersion: v1\nkind: Config\nclusters:\n- name: " + name + "\n  cluster:\n    server: " + server +
         "\n    certificate-authority-data: " + ca + "\ncontexts:\n- name: " + name +
         "\n  context:\n    cluster: " + name + "\n    user: " + name + "\ncurrent-context: " + name +
         "\nusers:\n- name: " + name + "\n  user:\n    exec:\n" + exec;
}

TEST_F(KubeconfigSamples, Eks) {
  const std::string text = Cloud("arn:aws:eks:eu-west-1:111122223333:cluster/demo",
                                 "https://0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com", Ca(),
                                 R"(      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - --region
      - eu-west-1
      - eks
      - get-token
      - --cluster-name
      - demo
      - --output
      - json
      command: aws
      env:
      - name: AWS_PROFILE
        value: dev
)");
  const ClusterAccess access = Resolve(text);
  EXPECT_EQ(access.server, "https://0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com:443");
  const auto config = ParseKubeconfig(text, "/config").value();
  EXPECT_EQ(config.users.begin()->second.exec->command, "aws");
  EXPECT_EQ(config.users.begin()->second.exec->arguments.size(), 8U);
  const auto headers = access.credentials->Headers();
  ASSERT_FALSE(headers);
  EXPECT_THAT(headers.error().message, HasSubstr("the exec plugin aws"));
}

TEST_F(KubeconfigSamples, Gke) {
  const ClusterAccess access = Resolve(Cloud("gke_project_europe-west1_demo", "https://203.0.113.7", Ca(),
                                             R"(      apiVersion: client.authentication.k8s.io/v1beta1
      command: gke-gcloud-auth-plugin
      installHint: Install gke-gcloud-auth-plugin for use with kubectl
      provideClusterInfo: true
)"));
  EXPECT_FALSE(access.credentials->Headers());
}

TEST_F(KubeconfigSamples, Aks) {
  const ClusterAccess access = Resolve(Cloud("demo", "https://demo-dns-0123abcd.hcp.westeurope.azmk8s.io:443", Ca(),
                                             R"(      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - get-token
      - --environment
      - AzurePublicCloud
      - --server-id
      - 6dae42f8-4368-4678-94ff-3960e28e3630
      - --login
      - devicecode
      command: kubelogin
      env: null
      installHint: |2

        kubelogin is not installed which is required to connect to an AAD enabled cluster.
      provideClusterInfo: false
)"));
  EXPECT_FALSE(access.credentials->Headers());
}

TEST_F(KubeconfigSamples, OpenShift) {
  const ClusterAccess access =
      Resolve("apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: " + Ca() + R"(
    server: https://api.crc.testing:6443
  name: api-crc-testing:6443
contexts:
- context:
    cluster: api-crc-testing:6443
    namespace: default
    user: kubeadmin/api-crc-testing:6443
  name: default/api-crc-testing:6443/kubeadmin
current-context: default/api-crc-testing:6443/kubeadmin
kind: Config
preferences: {}
users:
- name: kubeadmin/api-crc-testing:6443
  user:
    token: sha256~0123456789abcdefghijklmnopqrstuvwxyzABCDEFG
)");
  EXPECT_EQ(access.credentials->Headers()->front().value, "Bearer sha256~0123456789abcdefghijklmnopqrstuvwxyzABCDEFG");
}

}  // namespace
}  // namespace kube_events
