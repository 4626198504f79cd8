// A forward sink with its settings, and records for it. Owned by a test; its thread only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kube/temp_dir.h"
#include "kube_events/forward/sinks.h"
#include "support/fake_clock.h"

namespace kube_events {

using Batch = std::vector<RecordPtr>;

// An Event of `namespace_name` whose id is "uid-NUMBER/NUMBER".
inline RecordPtr MakeEventRecord(int number, const std::string& namespace_name = "shop",
                                 const std::string& reason = "Pulled", const std::string& message = "pulled") {
  const std::string id = std::to_string(number);
  Record record;
  record.type = RecordType::kAdded;
  record.observed = FakeClock::kDefaultStart;
  record.object = R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"event-)" + id + R"(","namespace":")" +
                  namespace_name + R"(","uid":"uid-)" + id + R"(","resourceVersion":")" + id +
                  R"("},"involvedObject":{"kind":"Pod","namespace":")" + namespace_name +
                  R"(","name":"pod"},"reason":")" + reason + R"(","message":")" + message +
                  R"(","type":"Normal","lastTimestamp":"2026-01-02T03:04:05Z","count":1})";
  return std::make_shared<const Record>(std::move(record));
}

inline std::string IdOf(int number) { return "uid-" + std::to_string(number) + "/" + std::to_string(number); }

// Long enough for a busy machine; only a failing test waits for it.
inline constexpr std::chrono::milliseconds kLongTimeout{20'000};

class ForwardSinkFixture : public ::testing::Test {
 protected:
  ForwardSinkFixture() {
    settings_.id = "forward://receiver";
    settings_.kind = SinkKind::kForward;
  }

  void Use(std::uint16_t port, const std::string& host = "127.0.0.1") {
    settings_.forward.servers.push_back({host, port});
  }
  void UseKey(const std::string& key) { settings_.forward.shared_key_file = dir_.Write("key", key + "\n"); }
  void UseUser(const std::string& name, const std::string& password) {
    settings_.forward.username = name;
    settings_.forward.password_file = dir_.Write("password", password + "\n");
  }

  // The sink of the settings, made at the first call.
  Sink& sink() {
    if (!sink_) sink_ = MakeForwardSink(settings_, {clock_, {}, "", ""}).value();
    return *sink_;
  }
  Result<void> Send(const Batch& batch, std::chrono::milliseconds timeout = kLongTimeout) {
    return sink().Send(batch, {timeout, {}});
  }
  // "ok", or the message of the error.
  std::string Told(const Batch& batch, std::chrono::milliseconds timeout = kLongTimeout) {
    const auto sent = Send(batch, timeout);
    return sent ? "ok" : sent.error().message;
  }

  FakeClock clock_;
  const TempDir dir_;
  SinkSettings settings_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace kube_events
