#include "net/tls_context.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "net/system_ca.h"

namespace kube_events {
namespace {

using BioPtr = std::unique_ptr<BIO, OpenSslDeleter<BIO, BIO_free_all>>;

tl::unexpected<Error> Bad(std::string message) { return Fail(ErrorKind::kConfiguration, std::move(message)); }

BioPtr Reader(const std::string& pem) { return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

// An encrypted key must not make OpenSSL ask on the terminal.
int NoPassPhrase(char*, int, int, void*) { return 0; }

// All certificates of a PEM text; other blocks are skipped. Stops at the first that does not parse.
std::vector<X509Ptr> ParseCertificates(const std::string& pem) {
  std::vector<X509Ptr> certificates;
  const BioPtr bio = Reader(pem);
  while (X509* certificate = PEM_read_bio_X509_AUX(bio.get(), nullptr, NoPassPhrase, nullptr)) {
    certificates.emplace_back(certificate);
  }
  // The end of the text shows as "no start line"; whatever it is, it must not leak into the next call's report.
  ERR_clear_error();
  return certificates;
}

Result<std::string> ReadSystemBundle() {
  const std::string path = SystemCaBundle();
  std::ifstream file(path, std::ios::binary);
  std::string pem{std::istreambuf_iterator<char>(file), {}};
  if (pem.empty()) {
    return Bad("no CA is configured for the server and the system's CA bundle " + path +
               " cannot be read; configure the CA of the server, or install the package ca-certificates");
  }
  return pem;
}

}  // namespace

Result<std::shared_ptr<const TlsContext>> TlsContext::Create(TlsSettings settings) {
  std::shared_ptr<TlsContext> context(new TlsContext(std::move(settings)));
  if (auto trust = context->ParseTrust(); !trust) return Fail(trust.error());
  if (auto client = context->ParseClientCertificate(); !client) return Fail(client.error());
  return context;
}

Result<void> TlsContext::ParseTrust() {
  trust_.reset(X509_STORE_new());
  if (settings_.insecure_skip_verify) return {};
  std::string system_pem;
  if (settings_.ca_pem.empty()) {
    auto bundle = ReadSystemBundle();
    if (!bundle) return Fail(bundle.error());
    system_pem = std::move(*bundle);
  }
  const auto certificates = ParseCertificates(settings_.ca_pem.empty() ? system_pem : settings_.ca_pem);
  if (certificates.empty()) {
    return Bad("the configured CA contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)");
  }
  for (const X509Ptr& certificate : certificates) X509_STORE_add_cert(trust_.get(), certificate.get());
  return {};
}

Result<void> TlsContext::ParseClientCertificate() {
  if (settings_.client_cert_pem.empty() && settings_.client_key_pem.empty()) return {};
  client_chain_ = ParseCertificates(settings_.client_cert_pem);
  if (client_chain_.empty()) {
    return Bad("the client certificate contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)");
  }
  const BioPtr bio = Reader(settings_.client_key_pem);
  client_key_.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, nullptr));
  const bool matches = client_key_ && X509_check_private_key(client_chain_.front().get(), client_key_.get()) == 1;
  ERR_clear_error();
  if (!client_key_) {
    return Bad("the client key is not a private key in PEM form, or needs a pass phrase; use one without");
  }
  if (!matches) return Bad("the client certificate and the client key do not belong together");
  return {};
}

bool TlsContext::Apply(SSL_CTX* context) const {
  SSL_CTX_set1_cert_store(context, trust_.get());
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) return false;
  if (client_chain_.empty()) return true;
  if (SSL_CTX_use_certificate(context, client_chain_.front().get()) != 1) return false;
  for (auto it = std::next(client_chain_.begin()); it != client_chain_.end(); ++it) {
    if (SSL_CTX_add1_chain_cert(context, it->get()) != 1) return false;
  }
  return SSL_CTX_use_PrivateKey(context, client_key_.get()) == 1;
}

Result<void> CheckTlsSettings(const TlsSettings& settings) {
  const auto context = TlsContext::Create(settings);
  if (!context) return Fail(context.error());
  return {};
}

}  // namespace kube_events
