#include <openssl/x509.h>

#include <array>
#include <stdexcept>

#include "sim/session.h"

namespace kube_events::sim {

namespace ssl = boost::asio::ssl;

std::shared_ptr<ssl::context> MakeTlsContext(const SimTls& tls) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  try {
    context->set_options(ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1);
    context->use_certificate_chain(boost::asio::buffer(tls.certificate));
    context->use_private_key(boost::asio::buffer(tls.key), ssl::context::pem);
    if (!tls.client_ca.empty()) {
      context->add_certificate_authority(boost::asio::buffer(tls.client_ca));
      context->set_verify_mode(tls.require_client_certificate ? ssl::verify_peer | ssl::verify_fail_if_no_peer_cert
                                                              : ssl::verify_peer);
    }
  } catch (const boost::system::system_error& error) {
    throw std::runtime_error(std::string("TLS: certificate, key or client CA cannot be used: ") + error.what());
  }
  return context;
}

void StartTlsSession(boost::asio::ip::tcp::socket socket, ssl::context& tls, SessionContext& context) {
  using Stream = ssl::stream<boost::asio::ip::tcp::socket>;
  std::make_shared<Session<Stream>>(Stream(std::move(socket), tls), context)->Start();
}

std::string VerifiedClientName(ssl_st* ssl) {
  X509* certificate = SSL_get1_peer_certificate(ssl);
  if (certificate == nullptr) return "";
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  X509_free(certificate);
  return name.data();
}

}  // namespace kube_events::sim
