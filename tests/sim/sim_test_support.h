// What the tests of the simulated API server share.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/sim_server.h"
#include "support/fake_clock.h"
#include "support/http_fetch.h"

namespace kube_events::sim {

// An Event as tools/record writes it.
inline EventObject MakeEvent(const std::string& namespace_name, const std::string& name, std::int32_t count = 1) {
  EventObject event;
  event.metadata.namespace_name = namespace_name;
  event.metadata.name = name;
  event.involved_object = {.kind = "Pod", .namespace_name = namespace_name, .name = "web-1", .api_version = "v1"};
  event.reason = "Started";
  event.type = "Normal";
  event.message = "Started container web";
  event.source_component = "kubelet";
  event.first_time = FakeClock::kDefaultStart;
  event.last_time = FakeClock::kDefaultStart;
  event.count = count;
  return event;
}

inline nlohmann::json ParseJson(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text;
  return json;
}

inline nlohmann::json GetJson(const std::string& url) { return ParseJson(Get(url).body); }

inline std::vector<std::string> Names(const nlohmann::json& list) {
  std::vector<std::string> names;
  for (const auto& item : list.at("items")) names.push_back(item.at("metadata").at("name"));
  return names;
}

// The next frame of a watch; null where none came within the deadline.
inline nlohmann::json NextFrame(FetchStream& stream, std::chrono::milliseconds deadline = std::chrono::seconds{10}) {
  const auto line = stream.NextLine(deadline);
  return line ? ParseJson(*line) : nlohmann::json();
}

inline std::string WatchUrl(const SimServer& server, std::uint64_t revision, const std::string& more = "") {
  return server.Url() + "/api/v1/events?watch=true&resourceVersion=" + std::to_string(revision) + more;
}

}  // namespace kube_events::sim
