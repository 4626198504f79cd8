#include "sim/faults.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace kube_events::sim {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, FaultAction>, 10> kActions = {{{"delay", FaultAction::kDelay},
                                                                                {"status", FaultAction::kStatus},
                                                                                {"reset", FaultAction::kReset},
                                                                                {"close", FaultAction::kClose},
                                                                                {"truncate", FaultAction::kTruncate},
                                                                                {"silence", FaultAction::kSilence},
                                                                                {"end", FaultAction::kEnd},
                                                                                {"error", FaultAction::kError},
                                                                                {"frame", FaultAction::kFrame},
                                                                                {"body", FaultAction::kBody}}};

bool SetAction(Fault& fault, std::string_view word) {
  for (const auto& [name, action] : kActions) {
    if (name != word) continue;
    fault.action = action;
    return true;
  }
  return false;
}

// Takes one member over; false where it is unknown or of the wrong type.
bool SetMember(Fault& fault, const std::string& key, const json& value) {
  const std::array<std::pair<std::string_view, std::string*>, 7> texts = {{{"verb", &fault.verb},
                                                                           {"group", &fault.group},
                                                                           {"resource", &fault.resource},
                                                                           {"namespace", &fault.namespace_name},
                                                                           {"reason", &fault.reason},
                                                                           {"message", &fault.message},
                                                                           {"text", &fault.text}}};
  for (const auto& [name, member] : texts) {
    if (name != key) continue;
    if (value.is_string()) *member = value.get<std::string>();
    return value.is_string();
  }
  if (key == "action") return value.is_string() && SetAction(fault, value.get<std::string>());
  if (!value.is_number_integer()) return false;
  const auto number = value.get<std::int64_t>();
  if (key == "skip")
    fault.skip = number;
  else if (key == "times")
    fault.times = number;
  else if (key == "delay_ms")
    fault.delay_ms = number;
  else if (key == "after_frames")
    fault.after_frames = static_cast<std::size_t>(number);
  else if (key == "after_bytes")
    fault.after_bytes = static_cast<std::size_t>(number);
  else if (key == "status")
    fault.status = static_cast<int>(number);
  else if (key == "retry_after_seconds")
    fault.retry_after_seconds = static_cast<int>(number);
  else
    return false;
  return number >= 0 || key == "times";
}

bool Matches(const Fault& fault, const FaultTarget& target) {
  const auto fits = [](const std::string& wanted, std::string_view value) { return wanted.empty() || wanted == value; };
  return fits(fault.verb, target.verb) && fits(fault.group, target.group.empty() ? "core" : target.group) &&
         fits(fault.resource, target.resource) && fits(fault.namespace_name, target.namespace_name);
}

}  // namespace

Result<Fault> ParseFault(const json& object) {
  Fault fault;
  if (!object.is_object()) return Fail(ErrorKind::kInvalid, "a fault is a JSON object");
  for (const auto& [key, value] : object.items()) {
    if (!SetMember(fault, key, value)) {
      return Fail(ErrorKind::kInvalid, "fault: " + key + " is unknown or cannot be " + value.dump());
    }
  }
  return fault;
}

json ToJson(const Fault& fault) {
  json object = {{"verb", fault.verb},
                 {"group", fault.group},
                 {"resource", fault.resource},
                 {"namespace", fault.namespace_name},
                 {"skip", fault.skip},
                 {"times", fault.times},
                 {"delay_ms", fault.delay_ms},
                 {"after_frames", fault.after_frames},
                 {"after_bytes", fault.after_bytes},
                 {"status", fault.status},
                 {"reason", fault.reason},
                 {"message", fault.message},
                 {"retry_after_seconds", fault.retry_after_seconds},
                 {"text", fault.text}};
  for (const auto& [name, action] : kActions) {
    if (action == fault.action) object["action"] = name;
  }
  return object;
}

std::optional<Fault> FaultTable::Take(const FaultTarget& target) {
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (!Matches(*fault, target)) continue;
    if (fault->skip > 0) {
      --fault->skip;
      continue;
    }
    Fault taken = *fault;
    if (fault->times > 0 && --fault->times == 0) faults_.erase(fault);
    return taken;
  }
  return std::nullopt;
}

}  // namespace kube_events::sim
