#include "kube_events/kube/tls_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "kube/temp_dir.h"
#include "support/test_certificates.h"

namespace kube_events {
namespace {

class TlsFilesTest : public ::testing::Test {
 protected:
  TlsSources Sources() const {
    TlsSources sources;
    sources.ca.file = ca_file_;
    sources.client_cert.file = cert_file_;
    sources.client_key.file = key_file_;
    return sources;
  }

  TempDir dir_;
  const TestAuthority authority_;
  const TestAuthority next_authority_{"next CA"};
  const TestCertificate client_ = authority_.Issue();
  const TestCertificate next_client_ = authority_.Issue();
  const std::string ca_file_ = dir_.Write("ca.crt", authority_.cert_pem());
  const std::string cert_file_ = dir_.Write("tls.crt", client_.cert_pem);
  const std::string key_file_ = dir_.Write("tls.key", client_.key_pem);
};

TEST_F(TlsFilesTest, GivesFilesAndData) {
  TlsSources sources = Sources();
  sources.client_key = {"", client_.key_pem};
  sources.server_name = "kubernetes";
  const TlsSettings settings = MakeTlsFileProvider(sources, {}).value()().value();
  EXPECT_EQ(settings.ca_pem, authority_.cert_pem());
  EXPECT_EQ(settings.client_cert_pem, client_.cert_pem);
  EXPECT_EQ(settings.client_key_pem, client_.key_pem);
  EXPECT_EQ(settings.server_name, "kubernetes");
}

TEST_F(TlsFilesTest, FollowsARotatedAuthority) {
  const TlsProvider provider = MakeTlsFileProvider(Sources(), {}).value();
  dir_.Write("ca.crt", next_authority_.cert_pem());
  EXPECT_EQ(provider()->ca_pem, next_authority_.cert_pem());
}

TEST_F(TlsFilesTest, KeepsTheOldAuthorityWhileTheNewIsOfNoUse) {
  const TlsProvider provider = MakeTlsFileProvider(Sources(), {}).value();
  for (const char* content : {"", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    dir_.Write("ca.crt", content);
    EXPECT_EQ(provider()->ca_pem, authority_.cert_pem()) << content;
  }
  std::filesystem::remove(ca_file_);
  EXPECT_EQ(provider()->ca_pem, authority_.cert_pem());
  dir_.Write("ca.crt", next_authority_.cert_pem());
  EXPECT_EQ(provider()->ca_pem, next_authority_.cert_pem());
}

TEST_F(TlsFilesTest, TakesCertificateAndKeyOverOnlyTogether) {
  const TlsProvider provider = MakeTlsFileProvider(Sources(), {}).value();
  dir_.Write("tls.crt", next_client_.cert_pem);
  EXPECT_EQ(provider()->client_cert_pem, client_.cert_pem);
  EXPECT_EQ(provider()->client_key_pem, client_.key_pem);
  dir_.Write("tls.key", next_client_.key_pem);
  EXPECT_EQ(provider()->client_cert_pem, next_client_.cert_pem);
  EXPECT_EQ(provider()->client_key_pem, next_client_.key_pem);
}

TEST_F(TlsFilesTest, FailsAtStartAndNamesTheFile) {
  dir_.Write("bad.crt", "garbage");
  dir_.Write("empty.crt", "");
  for (const char* name : {"missing.crt", "bad.crt", "empty.crt"}) {
    TlsSources sources = Sources();
    sources.ca.file = (dir_.path() / name).string();
    const auto provider = MakeTlsFileProvider(sources, {});
    ASSERT_FALSE(provider) << name;
    EXPECT_EQ(provider.error().kind, ErrorKind::kConfiguration);
    EXPECT_NE(provider.error().message.find(name), std::string::npos) << provider.error().message;
  }
}

}  // namespace
}  // namespace kube_events
