// An HttpClient without a network: it records requests and lets the test play the answers.
// Start may be called from any thread; observers run on the thread of the test, inside the call that plays. A test
// owns the client, which must outlive the exchanges.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube_events/net/http_client.h"

namespace kube_events {

// One request and its answer. Stays valid, and playing is harmless, after the exchange was destroyed.
class FakeExchange {
 public:
  FakeExchange(HttpRequest request, HttpObserver& observer) : request_(std::move(request)), observer_(&observer) {}

  const HttpRequest& request() const { return request_; }
  // The value of a request header, or "". Names are compared exactly.
  std::string Header(std::string_view name) const {
    for (const HttpHeader& header : request_.headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }

  // Each returns false, and calls nobody, once the exchange was destroyed or has ended.
  bool Head(int status = 200) { return Head(JsonHead(status)); }
  bool Head(const HttpHead& head) {
    return Play([&](HttpObserver& observer) { observer.OnHead(head); });
  }
  // Also notes whether the observer asks for a pause. Plays on although paused: that is up to the test.
  bool Body(std::string_view bytes) {
    return Play([&](HttpObserver& observer) { paused_ = !observer.OnBody(bytes); });
  }
  bool End() { return PlayEnd({}); }
  bool Fail(Error error) { return PlayEnd(kube_events::Fail(std::move(error))); }
  // Head, body and end in one.
  bool Respond(int status, std::string_view body) { return Respond(JsonHead(status), body); }
  bool Respond(const HttpHead& head, std::string_view body) { return Head(head) && Body(body) && End(); }

  // The exchange was destroyed before its end.
  bool cancelled() const {
    return Locked([this] { return cancelled_; });
  }
  // The observer was told the end.
  bool ended() const {
    return Locked([this] { return ended_; });
  }
  // OnBody returned false and Resume was not called since.
  bool paused() const {
    return Locked([this] { return paused_; });
  }

 private:
  friend class FakeHttpClient;

  static HttpHead JsonHead(int status) {
    HttpHead head;
    head.status = status;
    head.content_type = "application/json";
    return head;
  }

  template <typename Read>
  bool Locked(Read read) const {
    const std::lock_guard lock(mutex_);
    return read();
  }

  template <typename Call>
  bool Play(Call call) {
    const std::lock_guard lock(mutex_);
    if (cancelled_ || ended_) return false;
    call(*observer_);
    return true;
  }

  bool PlayEnd(const Result<void>& result) {
    return Play([&](HttpObserver& observer) {
      ended_ = true;
      observer.OnEnd(result);
    });
  }

  void Detach() {
    const std::lock_guard lock(mutex_);
    cancelled_ = !ended_;
  }

  void Resume() {
    const std::lock_guard lock(mutex_);
    paused_ = false;
  }

  const HttpRequest request_;
  HttpObserver* const observer_;
  // Held while the observer runs: the destructor of an exchange waits for a call in progress. Recursive, since an
  // observer may destroy its own exchange.
  mutable std::recursive_mutex mutex_;
  bool cancelled_ = false;
  bool ended_ = false;
  bool paused_ = false;
};

class FakeHttpClient final : public HttpClient {
 public:
  std::unique_ptr<HttpExchange> Start(HttpRequest request, HttpObserver& observer) override {
    auto exchange = std::make_shared<FakeExchange>(std::move(request), observer);
    {
      const std::lock_guard lock(mutex_);
      exchanges_.push_back(exchange);
    }
    started_.notify_all();
    return std::make_unique<Handle>(std::move(exchange));
  }

  // How many requests were started so far.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return exchanges_.size();
  }

  // The request with this number, counted from 0; waits up to 10 s for another thread to start it, then throws.
  FakeExchange& at(std::size_t index) {
    std::unique_lock lock(mutex_);
    if (!started_.wait_for(lock, std::chrono::seconds(10), [&] { return exchanges_.size() > index; })) {
      throw std::out_of_range("request " + std::to_string(index) + " was not started within 10 s");
    }
    return *exchanges_[index];
  }

  // The request started last; throws where there is none.
  FakeExchange& last() {
    const std::lock_guard lock(mutex_);
    if (exchanges_.empty()) throw std::out_of_range("no request was started");
    return *exchanges_.back();
  }

 private:
  class Handle final : public HttpExchange {
   public:
    explicit Handle(std::shared_ptr<FakeExchange> exchange) : exchange_(std::move(exchange)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() override { exchange_->Detach(); }
    void Resume() override { exchange_->Resume(); }

   private:
    const std::shared_ptr<FakeExchange> exchange_;  // shared with the client, which keeps the record
  };

  mutable std::mutex mutex_;  // guards exchanges_
  std::condition_variable started_;
  std::vector<std::shared_ptr<FakeExchange>> exchanges_;
};

}  // namespace kube_events
