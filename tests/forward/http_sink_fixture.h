// An HTTP sink that is talked to as its worker does, and records for it. Owned by a test; its thread only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/temp_dir.h"
#include "kube_events/base/text.h"
#include "kube_events/forward/sinks.h"
#include "support/fake_clock.h"
#include "support/scripted_server.h"

namespace kube_events {

class HttpSinkFixture : public ::testing::Test {
 protected:
  // Answers every request with `status`, and keeps the connection.
  static ScriptedServer::Script Answering(int status, std::string body = "", std::string headers = "") {
    return [=](ScriptedConnection& connection) {
      while (!connection.ReadRequest().empty()) connection.Respond(status, body, headers);
    };
  }

  static RecordPtr MakeRecord(const std::string& name, std::size_t padding = 0) {
    const nlohmann::json object = {
        {"apiVersion", "v1"},
        {"kind", "Event"},
        {"metadata", {{"name", name}, {"namespace", "shop"}, {"uid", "uid-" + name}, {"resourceVersion", "7"}}},
        {"type", "Normal"},
        {"reason", "Started"},
        {"message", std::string(padding, 'x')}};
    return std::make_shared<Record>(Record{RecordType::kAdded, object.dump(), FakeClock::kDefaultStart});
  }

  static SinkSettings SettingsFor(const std::string& url) {
    SinkSettings settings;
    settings.kind = SinkKind::kHttp;
    settings.id = "receiver";
    settings.http.url = url;
    return settings;
  }

  SinkParts Parts() { return {clock_, {}, "test-cluster", "exporter/1", {}}; }

  std::unique_ptr<Sink> Make(const SinkSettings& settings) {
    auto sink = MakeHttpSink(settings, Parts());
    if (!sink) throw std::invalid_argument(sink.error().message);
    return std::move(*sink);
  }
  std::unique_ptr<Sink> Make(const std::string& url) { return Make(SettingsFor(url)); }

  static Error FailureOf(Sink& sink, const std::vector<RecordPtr>& batch, const SendLimits& limits = {}) {
    const auto sent = sink.Send(batch, limits);
    return sent ? Error{ErrorKind::kCancelled, "it did not fail"} : sent.error();
  }

  static std::string BodyOf(const std::string& request) { return request.substr(request.find("\r\n\r\n") + 4); }

  // Of the request's head; "(none)" where it is not there.
  static std::string HeaderOf(const std::string& request, std::string_view name) {
    std::string_view head = std::string_view(request).substr(0, request.find("\r\n\r\n"));
    while (!head.empty()) {
      std::string_view line = TakeUntil(head, '\n');
      if (EqualIgnoringCase(TakeUntil(line, ':'), name)) return std::string(Trimmed(line));
    }
    return "(none)";
  }

  FakeClock clock_;
  TempDir dir_;
  const std::vector<RecordPtr> one_{MakeRecord("a")};
};

}  // namespace kube_events
