// Opens a listening socket as an administrator described it. Owns nothing; any thread, as long as the io_context
// stands.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "kube_events/base/result.h"
#include "kube_events/serve/http_server.h"

namespace kube_events {

// Fails with kConfiguration; the message says what to change. Blocks to resolve a host name.
Result<boost::asio::ip::tcp::acceptor> Listen(boost::asio::io_context& io, const HttpListener& listener);

// Keeps a socket from being inherited by child processes.
void SetCloseOnExec(int fd);

}  // namespace kube_events
