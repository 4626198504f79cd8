#include "support/fetch_connection.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>

namespace kube_events {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using Code = FetchConnection::Code;
using Tcp = asio::ip::tcp;

FetchTarget ParseUrl(const std::string& url) {
  FetchTarget target;
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) throw std::invalid_argument("not an absolute URL: " + url);
  target.tls = url.starts_with("https");
  const std::size_t slash = std::min(url.find('/', scheme + 3), url.size());
  const std::string authority = url.substr(scheme + 3, slash - scheme - 3);
  const std::size_t colon = authority.rfind(':');
  target.host = authority.substr(0, colon);
  target.port = colon == std::string::npos ? (target.tls ? "443" : "80") : authority.substr(colon + 1);
  target.path = slash == url.size() ? "/" : url.substr(slash);
  return target;
}

FetchConnection::FetchConnection(const FetchOptions& options) : tls_(ssl::context::tls_client) {
  if (!options.ca_pem.empty()) {
    tls_.add_certificate_authority(asio::buffer(options.ca_pem));
    tls_.set_verify_mode(ssl::verify_peer);
  }
  if (options.certificate_pem.empty()) return;
  tls_.use_certificate_chain(asio::buffer(options.certificate_pem));
  tls_.use_private_key(asio::buffer(options.key_pem), ssl::context::pem);
}

template <typename Start>
Code FetchConnection::Wait(Milliseconds timeout, Start start) {
  Code result = asio::error::would_block;
  start([&](Code code, std::size_t bytes) {
    result = code;
    transferred_ = bytes;
  });
  io_.restart();
  io_.run_for(timeout);
  if (result != asio::error::would_block) return result;
  Code ignored;
  stream_->next_layer().cancel(ignored);
  io_.restart();
  io_.run();
  return result == asio::error::operation_aborted ? Code(asio::error::timed_out) : result;
}

Code FetchConnection::Open(const FetchTarget& target, Milliseconds timeout) {
  stream_.emplace(io_, tls_);
  encrypted_ = target.tls;
  Tcp::resolver resolver(io_);
  Code error;
  const auto endpoints = resolver.resolve(target.host, target.port, error);
  if (error) return error;
  error = Wait(timeout, [&](auto done) {
    asio::async_connect(stream_->next_layer(), endpoints, [done](Code code, const auto&) { done(code, 0); });
  });
  if (error || !encrypted_) return error;
  stream_->set_verify_callback(ssl::host_name_verification(target.host));
  return Wait(timeout, [&](auto done) {
    stream_->async_handshake(ssl::stream_base::client, [done](Code code) { done(code, 0); });
  });
}

Code FetchConnection::Write(const std::string& text, Milliseconds timeout) {
  return Wait(timeout, [&](auto done) {
    if (encrypted_) {
      asio::async_write(*stream_, asio::buffer(text), done);
    } else {
      asio::async_write(stream_->next_layer(), asio::buffer(text), done);
    }
  });
}

Code FetchConnection::Read(std::string& out, Milliseconds timeout) {
  const Code error = Wait(timeout, [&](auto done) {
    if (encrypted_) {
      stream_->async_read_some(asio::buffer(buffer_), done);
    } else {
      stream_->next_layer().async_read_some(asio::buffer(buffer_), done);
    }
  });
  if (!error) out.append(buffer_.data(), transferred_);
  return error;
}

}  // namespace kube_events
