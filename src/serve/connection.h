// One client's connection: reads a request, asks the router, writes the answer, and so on. Lives on the server's
// thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include "connection_table.h"
#include "kube_events/serve/http_server.h"

namespace kube_events {

// What all connections of a server share; outlives them.
struct ConnectionContext {
  HttpServerOptions options;
  ConnectionTable table;
  bool stopping = false;  // no further requests are read
};

// Starts to serve a socket. The operations under way own the connection, so there is nothing to hold; `router` and
// `context` must outlive it.
void ServeConnection(boost::asio::ip::tcp::socket socket, const Router& router, ConnectionContext& context);

}  // namespace kube_events
