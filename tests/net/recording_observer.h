// An HttpObserver that keeps what it is told and lets the test wait for it. It also checks the order of the calls.
// Owned by the test; must outlive the exchange. Every method may be called from any thread.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "kube_events/net/http_client.h"

namespace kube_events {

class RecordingObserver final : public HttpObserver {
 public:
  void OnHead(const HttpHead& head) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(head_) << "a second head";
    EXPECT_FALSE(end_) << "a head after the end";
    head_ = head;
    changed_.notify_all();
  }

  bool OnBody(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(head_) << "body before the head";
    EXPECT_FALSE(end_) << "body after the end";
    body_ += bytes;
    ++pieces_;
    changed_.notify_all();
    return !pausing_;
  }

  void OnEnd(const Result<void>& result) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(end_) << "a second end";
    end_ = result;
    changed_.notify_all();
  }

  // From now on OnBody asks for a pause after every piece, or not.
  void SetPausing(bool pausing) {
    const std::lock_guard lock(mutex_);
    pausing_ = pausing;
  }

  std::optional<HttpHead> head() const { return Get(head_); }
  std::string body() const { return Get(body_); }
  int pieces() const { return Get(pieces_); }
  bool ended() const { return Get(end_).has_value(); }

  bool WaitForHead() {
    return WaitFor([this] { return head_.has_value(); });
  }
  bool WaitForBody(std::size_t size) {
    return WaitFor([this, size] { return body_.size() >= size; });
  }
  // The end, or an error of kind kCancelled where it did not come within 10 s.
  Result<void> WaitForEnd() {
    if (!WaitFor([this] { return end_.has_value(); })) return Fail(ErrorKind::kCancelled, "the end was never told");
    return *Get(end_);
  }

 private:
  template <typename T>
  T Get(const T& member) const {
    const std::lock_guard lock(mutex_);
    return member;
  }

  template <typename Condition>
  bool WaitFor(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), condition);
  }

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<HttpHead> head_;
  std::string body_;
  int pieces_ = 0;
  bool pausing_ = false;
  std::optional<Result<void>> end_;
};

}  // namespace kube_events
