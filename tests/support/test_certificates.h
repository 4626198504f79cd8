// Certificates made in memory for tests of TLS; nothing touches the disk. Link OpenSSL::Crypto.
// Plain values; any thread.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kube_events {

struct TestCertificate {
  std::string cert_pem;
  std::string key_pem;  // EC, P-256
};

struct TestCertificateOptions {
  std::string common_name = "test";
  std::vector<std::string> dns_names = {"localhost"};
  std::vector<std::string> ip_addresses = {"127.0.0.1"};
  // Relative to now; a negative end makes an expired certificate.
  std::chrono::seconds valid_from{-3600};
  std::chrono::seconds valid_until{3600};
};

// A self-signed CA that issues certificates for servers and clients.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name = "test CA") : key_(MakeKey()), cert_(X509_new(), X509_free) {
    const TestCertificateOptions options{name, {}, {}, std::chrono::seconds{-7200}, std::chrono::seconds{7200}};
    Fill(cert_.get(), key_.get(), options);
    X509_set_issuer_name(cert_.get(), X509_get_subject_name(cert_.get()));
    AddExtension(cert_.get(), NID_basic_constraints, "critical,CA:TRUE");
    Sign(cert_.get());
  }

  std::string cert_pem() const { return ToPem(cert_.get()); }

  TestCertificate Issue(const TestCertificateOptions& options = {}) const {
    const KeyPointer key = MakeKey();
    const CertificatePointer cert(X509_new(), X509_free);
    Fill(cert.get(), key.get(), options);
    X509_set_issuer_name(cert.get(), X509_get_subject_name(cert_.get()));
    const std::string names = AlternativeNames(options);
    if (!names.empty()) AddExtension(cert.get(), NID_subject_alt_name, names);
    Sign(cert.get());
    return {ToPem(cert.get()), ToPem(key.get())};
  }

 private:
  using KeyPointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using CertificatePointer = std::unique_ptr<X509, decltype(&X509_free)>;
  using BioPointer = std::unique_ptr<BIO, decltype(&BIO_free)>;

  static KeyPointer MakeKey() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

  static void Fill(X509* cert, EVP_PKEY* key, const TestCertificateOptions& options) {
    X509_set_version(cert, 2);
    // Distinct numbers, since clients may refuse two certificates of one issuer with the same.
    ASN1_INTEGER_set_int64(X509_get_serialNumber(cert), std::chrono::steady_clock::now().time_since_epoch().count());
    X509_gmtime_adj(X509_getm_notBefore(cert), options.valid_from.count());
    X509_gmtime_adj(X509_getm_notAfter(cert), options.valid_until.count());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(options.common_name.c_str()), -1, -1, 0);
    X509_set_pubkey(cert, key);
  }

  static std::string AlternativeNames(const TestCertificateOptions& options) {
    std::string text;
    for (const auto& name : options.dns_names) text += (text.empty() ? "DNS:" : ",DNS:") + name;
    for (const auto& address : options.ip_addresses) text += (text.empty() ? "IP:" : ",IP:") + address;
    return text;
  }

  static void AddExtension(X509* cert, int id, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
    if (extension == nullptr) throw std::invalid_argument("bad certificate extension: " + value);
    X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
  }

  void Sign(X509* cert) const {
    if (X509_sign(cert, key_.get(), EVP_sha256()) == 0) throw std::runtime_error("cannot sign a test certificate");
  }

  static std::string Content(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
  }
  static std::string ToPem(X509* cert) {
    const BioPointer bio(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_X509(bio.get(), cert);
    return Content(bio.get());
  }
  static std::string ToPem(EVP_PKEY* key) {
    const BioPointer bio(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
    return Content(bio.get());
  }

  KeyPointer key_;
  CertificatePointer cert_;
};

}  // namespace kube_events
