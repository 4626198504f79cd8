#include "net/peer_verification.h"

#include <openssl/asn1.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <memory>
#include <utility>

#include "kube_events/net/server_url.h"

namespace kube_events {
namespace {

constexpr int kMaxNamesShown = 8;

bool IsValidFor(X509* certificate, const std::string& name) {
  if (IsIpAddress(name)) return X509_check_ip_asc(certificate, name.c_str(), 0) == 1;
  constexpr unsigned kFlags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  return X509_check_host(certificate, name.data(), name.size(), kFlags, nullptr) == 1;
}

std::string ToText(const GENERAL_NAME* name) {
  int type = 0;
  const auto* value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(name, &type));
  if (type != GEN_DNS && type != GEN_IPADD) return {};
  const unsigned char* data = ASN1_STRING_get0_data(value);
  const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
  if (type == GEN_DNS) return std::string(data, data + size);
  if (size != 4) return "an IPv6 address";
  return std::to_string(data[0]) + "." + std::to_string(data[1]) + "." + std::to_string(data[2]) + "." +
         std::to_string(data[3]);
}

// "kubernetes, kubernetes.default, 10.96.0.1".
std::string ValidNames(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, void (*)(GENERAL_NAMES*)> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  std::string text;
  int shown = 0;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const std::string name = ToText(sk_GENERAL_NAME_value(names.get(), i));
    if (name.empty()) continue;
    if (++shown > kMaxNamesShown) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "no name" : text;
}

std::string ToText(const ASN1_TIME* time) {
  std::tm parts{};
  std::array<char, 32> text{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "unknown";
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string Issuer(const X509* certificate) {
  std::array<char, 200> text{};
  X509_NAME_oneline(X509_get_issuer_name(certificate), text.data(), text.size());
  return text.data();
}

std::string Describe(int error, const X509* certificate) {
  std::string text = X509_verify_cert_error_string(error);
  if (certificate == nullptr) return text;
  if (error == X509_V_ERR_CERT_HAS_EXPIRED) {
    return text + " (valid until " + ToText(X509_get0_notAfter(certificate)) + ")";
  }
  if (error == X509_V_ERR_CERT_NOT_YET_VALID) {
    return text + " (valid from " + ToText(X509_get0_notBefore(certificate)) + ")";
  }
  return text + " (issuer: " + Issuer(certificate) + ")";
}

}  // namespace

PeerVerification::PeerVerification(std::string name, bool skip) : name_(std::move(name)), skip_(skip) {}

void PeerVerification::Attach(SSL_CTX* context) { SSL_CTX_set_cert_verify_callback(context, OnVerify, this); }

int PeerVerification::OnVerify(X509_STORE_CTX* chain, void* self) {
  return static_cast<PeerVerification*>(self)->Verify(chain) ? 1 : 0;
}

bool PeerVerification::Verify(X509_STORE_CTX* chain) {
  failure_.clear();
  if (skip_) return true;
  const bool trusted = X509_verify_cert(chain) == 1;
  const int error = X509_STORE_CTX_get_error(chain);
  X509* leaf = X509_STORE_CTX_get0_cert(chain);
  // The HTTP library compares names within the verification and leaves no word about a mismatch but "unspecified".
  const bool names_only = trusted || error == X509_V_OK || error == X509_V_ERR_UNSPECIFIED;
  if (names_only && leaf != nullptr && !IsValidFor(leaf, name_)) {
    failure_ = "the certificate is valid for " + ValidNames(leaf) + ", not for " + name_;
    X509_STORE_CTX_set_error(chain, X509_V_ERR_HOSTNAME_MISMATCH);
    return false;
  }
  if (trusted) return true;
  failure_ = "certificate verify failed: " + Describe(error, X509_STORE_CTX_get_current_cert(chain));
  return false;
}

}  // namespace kube_events
