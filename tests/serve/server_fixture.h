// A running HttpServer with a few routes, for tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "kube_events/serve/http_server.h"
#include "serve/raw_client.h"

namespace kube_events {

class HttpServerTest : public testing::Test {
 protected:
  static constexpr std::size_t kBigSize = std::size_t{32} * 1024 * 1024;  // more than all socket buffers together

  // Answers: "/" the path, "/echo" method, path and query, "/big" more than a client's buffers take, "/throw" nothing.
  static Router TestRouter() {
    return Router({{"GET", "/", [](const HttpQuery&) { return HttpReply{.body = "hello\n"}; }},
                   {"GET", "/echo",
                    [](const HttpQuery& query) {
                      return HttpReply{.body = query.method + " " + query.path + " " + query.query + " " +
                                               query.Header("X-Test")};
                    }},
                   {"GET", "/big", [](const HttpQuery&) { return HttpReply{.body = std::string(kBigSize, 'b')}; }},
                   {"GET", "/throw", [](const HttpQuery&) -> HttpReply { throw std::runtime_error("out of luck"); }},
                   {"GET", "/throw-int", [](const HttpQuery&) -> HttpReply { throw 42; }}});
  }

  // Options without any timeout that a test could run into; it shortens the one that it is about.
  static HttpServerOptions Patient() {
    HttpServerOptions options;
    options.header_timeout = options.idle_timeout = options.write_timeout = std::chrono::hours(1);
    return options;
  }

  void Start(HttpServerOptions options = {}) { Start(std::move(options), TestRouter()); }
  void Start(HttpServerOptions options, Router router) {
    HttpListener listener{.host = "127.0.0.1", .port = 0};
    listener.router = std::move(router);
    auto server = HttpServer::Start({std::move(listener)}, std::move(options));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }

  // Patient but for this one.
  template <typename Value>
  void StartWith(Value HttpServerOptions::*option, std::type_identity_t<Value> value) {
    HttpServerOptions options = Patient();
    options.*option = value;
    Start(std::move(options));
  }

  RawClient Connect() const { return RawClient(server_->Port()); }
  // Asks for more than its buffers take, and waits until the first of it is there.
  RawClient AskForBig() const {
    RawClient client = Connect();
    client.Send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(client.AwaitReadable());
    return client;
  }
  // Whether somebody else gets an answer.
  bool Serves() const {
    const auto response = Connect().Get("/");
    return response.status == 200 && response.body == "hello\n";
  }

  std::unique_ptr<HttpServer> server_;
};

}  // namespace kube_events
