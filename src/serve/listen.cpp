#include "listen.h"

#include <fcntl.h>

#include <boost/asio/ip/v6_only.hpp>
#include <vector>

namespace kube_events {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
namespace asio = boost::asio;
namespace errc = boost::system::errc;

std::string ToText(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

Error HostError(const HttpListener& listener, const std::string& why) {
  return {ErrorKind::kConfiguration, "cannot listen on host \"" + listener.host + "\": " + why + "; set " +
                                         listener.host_flag +
                                         " to an address of this machine, or leave it out for all interfaces"};
}

Error ListenError(const HttpListener& listener, const tcp::endpoint& endpoint, error_code error) {
  const std::string what = "cannot listen on " + ToText(endpoint) + ": ";
  if (error == asio::error::address_in_use) {
    return {ErrorKind::kRetry, what + "the port is in use; choose another with " + listener.port_flag +
                                   " or stop the process that uses it (ss -ltnp shows it)"};
  }
  if (error == errc::permission_denied) {
    return {ErrorKind::kRetry, what + "permission denied; choose a port above 1023 with " + listener.port_flag +
                                   " or grant CAP_NET_BIND_SERVICE"};
  }
  if (error == errc::address_not_available) return HostError(listener, error.message());
  return {ErrorKind::kConfiguration, what + error.message()};
}

// The endpoints to try, one after the other, until one can be opened.
Result<std::vector<tcp::endpoint>> Candidates(asio::io_context& io, const HttpListener& listener) {
  std::string host = listener.host;
  if (host.empty()) {
    return std::vector<tcp::endpoint>{{tcp::v6(), listener.port}, {tcp::v4(), listener.port}};
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (!error) return std::vector<tcp::endpoint>{{address, listener.port}};
  const auto resolved = tcp::resolver(io).resolve(host, "", tcp::resolver::passive, error);
  if (error) return tl::unexpected(HostError(listener, error.message()));
  // A name stands for one address, IPv4 first, since "localhost" is tried as 127.0.0.1 by most clients.
  std::vector<tcp::endpoint> endpoints;
  for (const bool v4 : {true, false}) {
    for (const auto& entry : resolved) {
      const auto& candidate = entry.endpoint().address();
      if (candidate.is_v4() == v4) endpoints.emplace_back(candidate, listener.port);
    }
  }
  return endpoints;
}

error_code Open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  SetCloseOnExec(acceptor.native_handle());
  // Without it a restart would have to wait until the connections of the process before are forgotten.
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) acceptor.non_blocking(true, error);
  return error;
}

// Whether another address may work where this one did not: the machine has no IPv6, or the name has several addresses.
bool WorthAnotherTry(error_code error) {
  return error == errc::address_family_not_supported || error == errc::address_not_available ||
         error == errc::protocol_not_supported || error == errc::no_protocol_option;
}

}  // namespace

void SetCloseOnExec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

Result<tcp::acceptor> Listen(asio::io_context& io, const HttpListener& listener) {
  const auto candidates = Candidates(io, listener);
  if (!candidates) return tl::unexpected(candidates.error());
  Error failure = HostError(listener, "it has no address");
  for (const tcp::endpoint& endpoint : *candidates) {
    tcp::acceptor acceptor(io);
    const error_code error = Open(acceptor, endpoint);
    if (!error) return acceptor;
    failure = ListenError(listener, endpoint, error);
    if (!WorthAnotherTry(error)) break;
  }
  return tl::unexpected(std::move(failure));
}

}  // namespace kube_events
