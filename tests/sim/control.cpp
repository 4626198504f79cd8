#include "sim/control.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sim/api_server.h"

namespace kube_events::sim {
namespace {

using nlohmann::json;

Reply Answer(const json& body) { return JsonReply(body.dump() + "\n"); }
Reply Refuse(const std::string& message) { return TextReply(message + "\n", 400); }

json StateJson(const SimState& state) {
  return {{"revision", state.revision},
          {"compacted_revision", state.compacted_revision},
          {"objects", state.objects},
          {"watches", state.watches},
          {"frames_sent", state.frames_sent},
          {"requests", state.requests},
          {"faults_added", state.faults_added},
          {"faults_met", state.faults_met},
          {"first_list_revision", state.first_list_revision},
          {"mark", state.mark},
          {"hidden", state.hidden},
          {"load_running", state.load_running},
          {"load_changes", state.load_changes}};
}

// GET truth[?since=REVISION|mark|list]
Reply GetTruth(ApiServer& server, const Request& request) {
  const std::string_view since = request.Query("since");
  const SimState state = server.State();
  std::uint64_t revision = request.QueryNumber("since").value_or(0);
  if (since == "mark") revision = state.mark;
  if (since == "list") revision = state.first_list_revision;
  const std::optional<OccurrenceCounts> counts = server.truth().Since(revision);
  if (!counts) return Refuse("truth: revision " + std::to_string(revision) + " is too long ago");
  std::int64_t total = 0;
  for (const auto& [labels, count] : *counts) total += count;
  return Answer(
      {{"revision", state.revision}, {"since", revision}, {"total", total}, {"occurrences", ToJson(*counts)}});
}

// POST load {"running": true, "rate": 100, …}
Reply PostLoad(ApiServer& server, json body) {
  bool running = true;
  if (body.contains("running")) {
    if (!body["running"].is_boolean()) return Refuse("load: running is true or false");
    running = body["running"].get<bool>();
    body.erase("running");
  }
  if (!running) {
    server.StopLoad();
    return Answer(StateJson(server.State()));
  }
  const LoadOptions present = server.load() == nullptr ? LoadOptions{} : server.load()->options();
  const Result<LoadOptions> options = ParseLoadOptions(body, present);
  if (!options) return Refuse(options.error().message);
  server.StartLoad(*options);
  return Answer(StateJson(server.State()));
}

// POST tape {"changes": 300000, "api": "v1"} records, {"rate": 0} plays.
Reply PostTape(ApiServer& server, const json& body) {
  if (body.contains("changes")) {
    const Api api = body.value("api", "v1") == "v1" ? Api::kCoreV1 : Api::kEventsV1;
    if (!server.RecordTape(body["changes"].get<std::size_t>(), api)) return Refuse("tape: longer than --history");
  }
  if (body.contains("rate")) server.PlayTape(body["rate"].get<double>());
  return Answer(StateJson(server.State()));
}

Reply PostCompact(ApiServer& server, const json& body) {
  const json revision = body.value("revision", json());
  server.store().Compact(revision.is_number_unsigned() ? revision.get<std::uint64_t>() : server.store().Revision());
  return Answer(StateJson(server.State()));
}

Reply PostDrop(ApiServer& server, const json& body) {
  const std::string mode = body.value("mode", "end");
  constexpr std::array<std::pair<std::string_view, DropMode>, 4> kModes = {{{"end", DropMode::kEnd},
                                                                            {"close", DropMode::kClose},
                                                                            {"reset", DropMode::kReset},
                                                                            {"silence", DropMode::kSilence}}};
  for (const auto& [name, value] : kModes) {
    if (name != mode) continue;
    server.hub().Drop(value);
    return Answer(StateJson(server.State()));
  }
  return Refuse("drop: mode is end, close, reset or silence, not " + mode);
}

Reply Faults(ApiServer& server, const Request& request, const json& body) {
  if (request.method == "DELETE") server.faults().Clear();
  if (request.method == "POST") {
    for (const json& one : body.is_array() ? body : json::array({body})) {
      Result<Fault> fault = ParseFault(one);
      if (!fault) return Refuse(fault.error().message);
      server.faults().Add(std::move(*fault));
    }
  }
  json list = json::array();
  for (const Fault& fault : server.faults().faults()) list.push_back(ToJson(fault));
  return Answer(list);
}

std::vector<AccessRule> ReadRules(const json& list) {
  std::vector<AccessRule> rules;
  for (const json& rule : list) {
    rules.push_back({rule.value("user", "*"), rule.value("verb", "*"), rule.value("group", "*"),
                     rule.value("resource", "*"), rule.value("namespace", "*"), rule.value("path", "")});
  }
  return rules;
}

// POST access {"tokens": {"secret": "user"}, "denied": [{"verb": "watch", "namespace": "shop"}], "allowed": […]}
Reply PostAccess(ApiServer& server, const json& body) {
  if (body.contains("tokens")) server.access().SetTokens(body["tokens"].get<std::map<std::string, std::string>>());
  if (body.contains("denied")) server.access().SetDenied(ReadRules(body["denied"]));
  if (body.contains("allowed")) {
    const json& rules = body["allowed"];
    server.access().SetAllowed(rules.is_null() ? std::nullopt : std::make_optional(ReadRules(rules)));
  }
  return Answer(StateJson(server.State()));
}

Reply Post(ApiServer& server, const Request& request, std::string_view what, const json& body) {
  if (what == "load") return PostLoad(server, body);
  if (what == "tape") return PostTape(server, body);
  if (what == "compact") return PostCompact(server, body);
  if (what == "watches/drop") return PostDrop(server, body);
  if (what == "access") return PostAccess(server, body);
  if (what == "mark") return Answer({{"revision", server.Mark()}});
  if (what == "watches/inject") {
    server.hub().Inject(request.body);
    return Answer(StateJson(server.State()));
  }
  if (what == "rewind" && body.value("revision", json()).is_number_unsigned()) {
    server.Rewind(body["revision"].get<std::uint64_t>());
    return Answer(StateJson(server.State()));
  }
  return TextReply("unknown control request\n", 404);
}

}  // namespace

Reply HandleControl(ApiServer& server, const Request& request) {
  const std::string_view what = std::string_view(request.path).substr(std::string_view("/sim/v1/").size());
  if (request.method == "GET" && what == "state") return Answer(StateJson(server.State()));
  if (request.method == "GET" && what == "truth") return GetTruth(server, request);
  json body =
      what == "watches/inject" || request.body.empty() ? json::object() : json::parse(request.body, nullptr, false);
  if (body.is_discarded()) return Refuse("the body is not JSON");
  try {
    if (what == "faults") return Faults(server, request, body);
    if (request.method == "POST" && body.is_object()) return Post(server, request, what, body);
  } catch (const json::exception& error) {
    return Refuse(error.what());
  }
  return TextReply("unknown control request\n", 404);
}

Result<LoadOptions> ParseLoadOptions(const json& object, LoadOptions options) {
  const std::array<std::pair<std::string_view, double*>, 10> shares = {
      {{"rate", &options.rate},
       {"repeats", &options.repeats},
       {"jumps", &options.jumps},
       {"series", &options.series},
       {"deletions", &options.deletions},
       {"recreations", &options.recreations},
       {"resets", &options.resets},
       {"touches", &options.touches},
       {"late_retries", &options.late_retries},
       {"delayed_recreations", &options.delayed_recreations}}};
  const std::array<std::pair<std::string_view, std::size_t*>, 5> numbers = {{{"seed", &options.seed},
                                                                             {"objects", &options.objects},
                                                                             {"limit", &options.limit},
                                                                             {"namespaces", &options.namespaces},
                                                                             {"nodes", &options.nodes}}};
  for (const auto& [key, value] : object.items()) {
    bool taken = false;
    for (const auto& [name, member] : shares) {
      if (name != key || !value.is_number() || value.get<double>() < 0) continue;
      *member = value.get<double>();
      taken = true;
    }
    for (const auto& [name, member] : numbers) {
      if (name != key || !value.is_number_unsigned()) continue;
      *member = value.get<std::size_t>();
      taken = true;
    }
    if (!taken) return Fail(ErrorKind::kInvalid, "load: " + key + " is unknown or cannot be " + value.dump());
  }
  return options;
}

json ToJson(const OccurrenceCounts& counts) {
  json list = json::array();
  for (const auto& [labels, count] : counts) {
    list.push_back({{"type", labels.type},
                    {"involved_object_namespace", labels.involved_object_namespace},
                    {"involved_object_kind", labels.involved_object_kind},
                    {"reason", labels.reason},
                    {"count", count}});
  }
  return list;
}

}  // namespace kube_events::sim
