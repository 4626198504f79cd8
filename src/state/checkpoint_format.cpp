#include "kube_events/state/checkpoint_format.h"

#include <absl/strings/escaping.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "kube_events/base/resource_version.h"
#include "totals_format.h"

namespace kube_events {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
// Of base64: what a total takes at most is a guess, what it takes indeed decides.
constexpr int kMostCuts = 8;

std::int64_t Micros(WallTime time) { return time.time_since_epoch().count(); }
WallTime FromMicros(const json& number) { return WallTime{std::chrono::microseconds{number.get<std::int64_t>()}}; }

json ScopeToJson(const CheckpointScope& saved, bool complete) {
  const OptionalTime newest = complete ? saved.newest : std::max(saved.newest, saved.newest_listed);
  json scope{{"api", ToString(saved.scope.api)},
             {"namespace", saved.scope.namespace_name},
             {"label_selector", saved.scope.label_selector},
             {"field_selector", saved.scope.field_selector},
             {"positions", {{"counted", saved.position}}},
             {"observed_until_us", Micros(saved.observed_until)},
             {"horizon_us", Micros(saved.horizon)},
             {"baseline_us", Micros(saved.baseline_time)}};
  if (newest) scope["newest_us"] = Micros(*newest);
  if (saved.newest_listed) scope["newest_listed_us"] = Micros(*saved.newest_listed);
  for (const auto& [id, position] : saved.sinks) {
    scope["sinks"][id] = {{"version", position.version}, {"observed_until_us", Micros(position.observed_until)}};
  }
  return scope;
}

CheckpointScope ScopeFromJson(const json& scope) {
  CheckpointScope saved;
  const bool events_v1 = scope.at("api").get<std::string>() == ToString(EventApi::kEventsV1);
  saved.scope.api = events_v1 ? EventApi::kEventsV1 : EventApi::kCoreV1;
  saved.scope.namespace_name = scope.at("namespace").get<std::string>();
  saved.scope.label_selector = scope.at("label_selector").get<std::string>();
  saved.scope.field_selector = scope.at("field_selector").get<std::string>();
  saved.position = scope.at("positions").at("counted").get<std::string>();
  saved.observed_until = FromMicros(scope.at("observed_until_us"));
  saved.horizon = FromMicros(scope.at("horizon_us"));
  saved.baseline_time = FromMicros(scope.at("baseline_us"));
  if (scope.contains("newest_us")) saved.newest = FromMicros(scope.at("newest_us"));
  if (scope.contains("newest_listed_us")) saved.newest_listed = FromMicros(scope.at("newest_listed_us"));
  if (scope.contains("sinks")) {
    for (const auto& [id, position] : scope.at("sinks").items()) {
      saved.sinks[id] = {position.at("version").get<std::string>(), FromMicros(position.at("observed_until_us"))};
    }
  }
  return saved;
}

std::string Checksum(std::string_view bytes) { return std::to_string(XXH3_64bits(bytes.data(), bytes.size())); }

json TotalsToJson(const Checkpoint& checkpoint) {
  const SavedCounts& totals = checkpoint.totals;
  const std::string bytes = TotalsToBytes(totals, checkpoint.saved_at);
  return {{"hash_seed", std::to_string(totals.hash_seed)},
          {"complete", totals.complete},
          {"living_among_dead", totals.living_among_dead},
          {"truncated", totals.cut},
          {"live", totals.live.size()},
          {"tombstones", totals.tombstones.size()},
          {"checksum", Checksum(bytes)},
          {"data", absl::Base64Escape(bytes)}};
}

bool TotalsFromJson(const json& totals, WallTime saved_at, SavedCounts& counts) {
  const auto seed = ParseResourceVersion(totals.at("hash_seed").get<std::string>());
  std::string bytes;
  if (!seed || !absl::Base64Unescape(totals.at("data").get<std::string>(), &bytes)) return false;
  if (Checksum(bytes) != totals.at("checksum").get<std::string>()) return false;
  counts.hash_seed = *seed;
  counts.complete = totals.at("complete").get<bool>();
  counts.living_among_dead = totals.at("living_among_dead").get<bool>();
  counts.cut = totals.at("truncated").get<bool>();
  return TotalsFromBytes(bytes, totals.at("live").get<std::size_t>(), totals.at("tombstones").get<std::size_t>(),
                         saved_at, counts);
}

json ToJson(const Checkpoint& checkpoint) {
  json scopes = json::array();
  for (const CheckpointScope& scope : checkpoint.scopes)
    scopes.push_back(ScopeToJson(scope, checkpoint.totals.complete));
  return {{"format", kFormat},
          {"cluster", {{"uid", checkpoint.cluster.uid}, {"server", checkpoint.cluster.server}}},
          {"writer", checkpoint.writer},
          {"sequence", checkpoint.sequence},
          {"saved_at_us", Micros(checkpoint.saved_at)},
          {"scopes", std::move(scopes)},
          {"totals", TotalsToJson(checkpoint)}};
}

std::optional<Checkpoint> FromJson(const json& document) {
  Checkpoint checkpoint;
  checkpoint.cluster.uid = document.at("cluster").at("uid").get<std::string>();
  checkpoint.cluster.server = document.at("cluster").at("server").get<std::string>();
  checkpoint.writer = document.at("writer").get<std::string>();
  checkpoint.sequence = document.at("sequence").get<std::uint64_t>();
  checkpoint.saved_at = FromMicros(document.at("saved_at_us"));
  for (const json& scope : document.at("scopes")) {
    checkpoint.scopes.push_back(ScopeFromJson(scope));
    if (!ParseResourceVersion(checkpoint.scopes.back().position)) return std::nullopt;
  }
  if (!TotalsFromJson(document.at("totals"), checkpoint.saved_at, checkpoint.totals)) return std::nullopt;
  return checkpoint;
}

Error Broken(const std::string& why) {
  return {ErrorKind::kInvalid, "the checkpoint is broken (" + why + ") and is not used", {}, "broken"};
}

}  // namespace

EncodedCheckpoint EncodeCheckpoint(Checkpoint checkpoint, std::size_t max_bytes) {
  std::string text = ToJson(checkpoint).dump(-1, ' ', false, json::error_handler_t::replace);
  for (int i = 0; i < kMostCuts && text.size() > max_bytes; ++i) {
    const std::size_t count = checkpoint.totals.live.size() + checkpoint.totals.tombstones.size();
    if (count == 0) break;
    const std::size_t each = std::max<std::size_t>(text.size() / count, 1);
    const std::size_t too_many = (text.size() - max_bytes) / each + count / 100 + 1;
    CutTotals(checkpoint.totals, i + 1 == kMostCuts ? 0 : count - std::min(count, too_many));
    text = ToJson(checkpoint).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return {std::move(text), checkpoint.totals.cut};
}

Result<Checkpoint> DecodeCheckpoint(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return Fail(Broken("it is no JSON object"));
  const auto format = document.find("format");
  if (format == document.end() || !format->is_number_integer()) return Fail(Broken("it has no format"));
  if (*format != kFormat) {
    return Fail({ErrorKind::kInvalid,
                 "the checkpoint has format " + format->dump() + ", and this version knows only " +
                     std::to_string(kFormat) + "; it is not used",
                 {},
                 "future"});
  }
  try {
    if (auto checkpoint = FromJson(document)) return std::move(*checkpoint);
    return Fail(Broken("its totals do not match their checksum or length, or a position is no number"));
  } catch (const json::exception& error) {
    return Fail(Broken(error.what()));
  }
}

}  // namespace kube_events
