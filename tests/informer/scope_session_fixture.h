// A ScopeSession against an API server that the test plays, and what it hands over and tells about itself. Owned by the
// test; its thread only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube_events/informer/scope_session.h"
#include "support/fake_clock.h"
#include "support/fake_http_client.h"

namespace kube_events {

class NoCredentials final : public Credentials {
 public:
  Result<std::vector<HttpHeader>> Headers() override { return std::vector<HttpHeader>{}; }
  void Refresh() override { ++refreshed; }
  int refreshed = 0;
};

class RecordingConsumer final : public ChangeConsumer {
 public:
  void OnListBegin(ScopeIndex, ListReason reason, WallTime time) override {
    static constexpr const char* kWords[] = {"first", "relist", "restored", "resumed"};
    seen.push_back(std::string("begin ") + kWords[static_cast<int>(reason)]);
    list_time = time;
  }
  void OnListCommitted(ScopeIndex, std::string_view, WallTime) override { seen.push_back("commit"); }
  void OnChange(const Change& change) override {
    static constexpr const char* kWords[] = {"listed ", "added ", "modified ", "deleted "};
    seen.push_back(kWords[static_cast<int>(change.kind)] + std::string(change.event.name) + "@" +
                   std::string(change.event.resource_version));
  }
  std::vector<std::string> Take() { return std::exchange(seen, {}); }

  std::vector<std::string> seen;
  WallTime list_time{};
};

class RecordingMonitor final : public InformerMonitor {
 public:
  void OnScopeState(const Scope&, const ScopeState& now) override { state = now; }
  void OnRequest(std::string_view verb, RequestOutcome outcome, const Error* error) override {
    static constexpr const char* kWords[] = {" started", " granted", " failed"};
    requests.push_back(std::string(verb) + kWords[static_cast<int>(outcome)]);
    if (error != nullptr) last_error = *error;
  }
  void OnRelist(std::string_view reason) override { relists.emplace_back(reason); }
  void OnGap(const Scope&, std::chrono::milliseconds) override { ++gaps; }
  void OnFrame(const FrameType* type, WallTime) override { ++(type == nullptr ? undecodable : frames); }

  ScopeState state;
  std::vector<std::string> requests;
  std::vector<std::string> relists;
  Error last_error;
  int gaps = 0, frames = 0, undecodable = 0;
};

inline std::string Object(std::string_view name, std::string_view version) {
  return R"({"kind":"Event","apiVersion":"v1","metadata":{"name":")" + std::string(name) +
         R"(","namespace":"default","uid":"u-)" + std::string(name) + R"(","resourceVersion":")" +
         std::string(version) + R"("},"involvedObject":{"kind":"Pod"},"reason":"R","type":"Normal"})";
}

inline std::string Frame(std::string_view type, std::string_view name, std::string_view version) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + Object(name, version) + "}\n";
}

inline std::string Page(std::string_view version, const std::vector<std::string>& items, std::string_view token = "") {
  std::string page = R"({"kind":"EventList","apiVersion":"v1","metadata":{"resourceVersion":")" + std::string(version) +
                     R"(","continue":")" + std::string(token) + R"("},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) page += (i == 0 ? "" : ",") + items[i];
  return page + "]}";
}

inline std::string Status(int code, std::string_view reason) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":")" + std::string(reason) +
         R"(","code":)" + std::to_string(code) + "}";
}

class ScopeSessionTest : public testing::Test {
 protected:
  explicit ScopeSessionTest(const SessionOptions& options = {})
      : session_(0, Scope{}, options, {client_, clock_, decoder_, consumer_, monitor_, doorbell_, Logger()}) {}

  FakeExchange& Last() { return http_.last(); }
  const std::string& Target() { return Last().request().target; }
  void Poll() {
    while (session_.Poll()) {
    }
  }
  // Also answers the probe that precedes a watch.
  void Pass(std::chrono::milliseconds time) {
    clock_.Advance(time);
    Poll();
    if (Target().ends_with("limit=1") && !Last().ended() && !Last().cancelled()) Answer(200, Page("1000000", {}));
  }
  // Lets the pause before the next request go by, where there is one.
  void PassPause() {
    if (!Last().ended() && !Last().cancelled()) return Pass(std::chrono::milliseconds(0));
    ASSERT_NE(session_.NextDeadline(), MonotonicTime::max());
    Pass(std::chrono::ceil<std::chrono::milliseconds>(session_.NextDeadline() - clock_.Monotonic()));
  }
  void Answer(int status, std::string_view body) {
    Last().Respond(status, body);
    Poll();
  }
  void Stream(std::string_view bytes) {
    Last().Body(bytes);
    Poll();
  }
  void EndStream() {
    Last().End();
    Poll();
  }
  void Break(std::string reason) {
    Last().Fail(Error{ErrorKind::kRetry, "the network broke", {}, std::move(reason)});
    Poll();
  }
  void OpenWatch() {
    Last().Head(200);
    Poll();
  }
  void GetWatching() {
    session_.Start();
    Answer(200, Page("100", {Object("a", "90")}));
    OpenWatch();
    ASSERT_TRUE(monitor_.state.watch_open);
    consumer_.Take();
  }

  FakeClock clock_;
  FakeHttpClient http_;
  NoCredentials credentials_;
  KubeClient client_{http_, credentials_};
  EventDecoder decoder_;
  RecordingConsumer consumer_;
  RecordingMonitor monitor_;
  Doorbell doorbell_;
  ScopeSession session_;
};

}  // namespace kube_events
