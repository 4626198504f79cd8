#include "support/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace kube_events {
namespace {

constexpr int kPollMilliseconds = 20;

using SslContext = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Ssl = std::unique_ptr<SSL, decltype(&SSL_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

// Both kinds of address keep the port in the same place.
int Listen(int backlog, std::uint16_t& port, bool ipv6 = false) {
  const int socket = ::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address{};
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (ipv6) {
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
  } else {
    auto* ipv4 = reinterpret_cast<sockaddr_in*>(&address);
    ipv4->sin_family = AF_INET;
    ipv4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  socklen_t size = ipv6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (socket < 0 || ::bind(socket, generic, size) != 0 || ::listen(socket, backlog) != 0 ||
      ::getsockname(socket, generic, &size) != 0) {
    throw std::runtime_error("cannot listen on loopback");
  }
  port = ntohs(address.sin6_port);
  return socket;
}

Bio Reader(const std::string& pem) { return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free}; }

SslContext MakeContext(const ScriptedTls& tls) {
  SslContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  const Bio cert_bio = Reader(tls.certificate.cert_pem);
  const Bio key_bio = Reader(tls.certificate.key_pem);
  X509* cert = PEM_read_bio_X509(cert_bio.get(), nullptr, nullptr, nullptr);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context.get(), cert);
  SSL_CTX_use_PrivateKey(context.get(), key);
  X509_free(cert);
  EVP_PKEY_free(key);
  if (!tls.client_ca_pem.empty()) {
    const Bio ca_bio = Reader(tls.client_ca_pem);
    X509* ca = PEM_read_bio_X509(ca_bio.get(), nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca);
    X509_free(ca);
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

std::size_t BodyLength(const std::string& head) {
  // Without a blank, which some clients leave out.
  const std::string_view name = "Content-Length:";
  const std::size_t at = head.find(name);
  return at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + name.size(), nullptr, 10);
}

}  // namespace

bool ScriptedConnection::SendChunk(std::string_view data) {
  std::ostringstream chunk;
  chunk << std::hex << data.size() << "\r\n" << data << "\r\n";
  return Send(chunk.str());
}

bool ScriptedConnection::Respond(int status, std::string_view body, std::string_view headers) {
  std::ostringstream response;
  response << "HTTP/1.1 " << status << " Scripted\r\nContent-Type: application/json\r\n"
           << headers << "Content-Length: " << body.size() << "\r\n\r\n"
           << body;
  return Send(response.str());
}

class ScriptedServer::Connection final : public ScriptedConnection {
 public:
  Connection(ScriptedServer& server, int socket, Ssl ssl) : server_(server), socket_(socket), ssl_(std::move(ssl)) {}

  std::string ReadRequest() override {
    std::size_t end = std::string::npos;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!ReadMore()) return {};
    }
    const std::size_t size = end + 4 + BodyLength(unread_.substr(0, end));
    while (unread_.size() < size) {
      if (!ReadMore()) return {};
    }
    std::string request = unread_.substr(0, size);
    unread_.erase(0, size);
    const std::lock_guard lock(server_.mutex_);
    server_.requests_.push_back(request);
    return request;
  }

  std::string ReadSome() override {
    if (unread_.empty()) ReadMore();
    return std::exchange(unread_, {});
  }

  bool Send(std::string_view bytes) override {
    if (ssl_) return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void WaitUntilClosed() override {
    while (ReadMore()) unread_.clear();
  }

  void ResetAtEnd() override {
    const linger hard{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }

 private:
  bool ReadMore() {
    std::array<char, 16384> buffer{};
    const auto size = ssl_ ? SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()))
                           : ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (size <= 0) return false;
    unread_.append(buffer.data(), static_cast<std::size_t>(size));
    return true;
  }

  ScriptedServer& server_;
  const int socket_;
  const Ssl ssl_;
  std::string unread_;
};

ScriptedServer::ScriptedServer(Script script, std::optional<ScriptedTls> tls, bool ipv6)
    : script_(std::move(script)), listener_(Listen(128, port_, ipv6)), tls_(std::move(tls)) {
  // OpenSSL writes to sockets whose peer has gone.
  std::signal(SIGPIPE, SIG_IGN);
  accepting_ = std::jthread([this](const std::stop_token& stop) { Accept(stop); });
}

ScriptedServer::~ScriptedServer() {
  accepting_.request_stop();
  accepting_.join();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  }
  serving_.clear();
  ::close(listener_);
}

std::string ScriptedServer::url(std::string_view host) const {
  const std::lock_guard lock(mutex_);
  return (tls_ ? "https://" : "http://") + std::string(host) + ":" + std::to_string(port_);
}

std::vector<std::string> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t ScriptedServer::connections() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

void ScriptedServer::SetTls(ScriptedTls tls) {
  const std::lock_guard lock(mutex_);
  tls_ = std::move(tls);
}

void ScriptedServer::Accept(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, kPollMilliseconds) <= 0) continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const int at_once = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    {
      const std::lock_guard lock(mutex_);
      open_.push_back(socket);
      ++accepted_;
    }
    serving_.emplace_back([this, socket] { Serve(socket); });
  }
}

void ScriptedServer::Serve(int socket) {
  SslContext context(nullptr, SSL_CTX_free);
  Ssl ssl(nullptr, SSL_free);
  {
    const std::lock_guard lock(mutex_);
    if (tls_) context = MakeContext(*tls_);
  }
  bool ready = true;
  if (context) {
    ssl.reset(SSL_new(context.get()));
    SSL_set_fd(ssl.get(), socket);
    ready = SSL_accept(ssl.get()) == 1;
  }
  Connection connection(*this, socket, std::move(ssl));
  if (ready) script_(connection);
  const std::lock_guard lock(mutex_);
  open_.erase(std::find(open_.begin(), open_.end(), socket));
  ::close(socket);
}

void AnswerAll(ScriptedConnection& connection) {
  while (!connection.ReadRequest().empty()) connection.Respond(200, "hello");
}

ScriptedServer::Script StreamAndStay(std::vector<std::string> chunks) {
  return [chunks = std::move(chunks)](ScriptedConnection& connection) {
    connection.ReadRequest();
    connection.Send(kChunkedHead);
    for (const std::string& chunk : chunks) connection.SendChunk(chunk);
    connection.WaitUntilClosed();
  };
}

HangingAddress::HangingAddress() : listener_(Listen(0, port_)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port_);
  // A queue of length 0 takes one connection; the rest makes sure.
  for (int i = 0; i < 3; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    static_cast<void>(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    fillers_.push_back(socket);
  }
}

HangingAddress::~HangingAddress() {
  for (const int socket : fillers_) ::close(socket);
  ::close(listener_);
}

std::uint16_t ClosedPort() {
  std::uint16_t port = 0;
  ::close(Listen(1, port));
  return port;
}

}  // namespace kube_events
