#include "chaos/receipts.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

namespace kube_events::chaos {
namespace {

using nlohmann::json;

// A gap is told in times of the API server that the exporter estimates from answers, and something may have been
// written a while before it came by.
constexpr std::chrono::seconds kSlack{5};
constexpr std::size_t kExamples = 5;

// "2026-01-31T12:00:00.000000Z".
OptionalTime ReadTime(const std::string& text) {
  std::tm parts{};
  int micros = 0;
  if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d.%6dZ", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour,
                  &parts.tm_min, &parts.tm_sec, &micros) != 7) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return WallTime{std::chrono::seconds{::timegm(&parts)} + std::chrono::microseconds{micros}};
}

std::optional<Received> FromJson(const json& record) {
  Received received;
  if (record.at("type") == "GAP") {
    received.gap = true;
    received.gap_reason = record.value("gap_reason", "");
    received.gap_from = ReadTime(record.value("gap_from", ""));
    const OptionalTime until = ReadTime(record.at("gap_until"));
    if (!until) return std::nullopt;
    received.gap_until = *until;
    return received;
  }
  const json& metadata = record.at("object").at("metadata");
  received.uid = metadata.at("uid");
  const std::string version = metadata.at("resourceVersion");
  if (record.at("id") != received.uid + "/" + version) return std::nullopt;
  received.version = std::stoull(version);
  return received;
}

std::optional<Received> TryFromJson(const json& record) {
  try {
    return FromJson(record);
  } catch (const std::exception&) {  // of another type, or no number
    return std::nullopt;
  }
}

}  // namespace

std::optional<Received> ReadRecord(const std::string& text) { return TryFromJson(json::parse(text, nullptr, false)); }

std::optional<std::vector<Received>> ReadRecords(const std::string& text, int process) {
  const json array = json::parse(text, nullptr, false);
  if (!array.is_array()) return std::nullopt;
  std::vector<Received> records;
  for (const json& element : array) {
    auto record = TryFromJson(element);
    if (!record) return std::nullopt;
    record->process = process;
    records.push_back(std::move(*record));
  }
  return records;
}

void Receipts::Take(const Received& record) {
  const std::size_t number = ++delivered_[record.process];
  if (record.gap) {
    ++gaps_[{record.gap_reason, record.gap_from, record.gap_until}];
    return;
  }
  const auto [found, is_new] = first_.try_emplace({record.uid, record.version}, Arrival{record.process, number});
  if (!is_new) return TakeAgain(record, found->second);
  std::uint64_t& newest = newest_[record.uid];
  if (record.version < newest) Fault(record, "came after its version " + std::to_string(newest));
  newest = std::max(newest, record.version);
}

void Receipts::TakeAgain(const Received& record, Arrival& last) {
  const bool explained = MayComeAgain(record, last);
  if (explained) {
    ++again_;
  } else if (IsOfAListBegunAnew(record, last)) {
    ++again_from_one_process_;
  } else {
    Fault(record, "came from process " + std::to_string(last.process) + " and again from " +
                      std::to_string(record.process) + ", which no kill in between explains");
  }
  last = {record.process, delivered_[record.process]};
}

// By a kill before it came again: it was handed on then, or stood in the spool, and no checkpoint knew. Or by any end
// in the middle of a list, which moves the position only when it is complete, or of a batch.
bool Receipts::MayComeAgain(const Received& record, const Arrival& last) const {
  const int first = has_spool_ ? 1 : last.process;
  for (int process = first; process < record.process; ++process) {
    const ProcessEnd& end = ends_.at(static_cast<std::size_t>(process - 1));
    const bool unknown = end.safe < record.version && record.version <= end.newest;
    if ((end.killed || end.listing) && unknown) return true;
    if (process == last.process && last.number + unsettled_ > delivered_.at(process)) return true;
  }
  return false;
}

// The same process brought it again, or had already put it into the spool again.
bool Receipts::IsOfAListBegunAnew(const Received& record, const Arrival& last) const {
  if (last.process == record.process) return true;
  const ProcessEnd& end = ends_.at(static_cast<std::size_t>(last.process - 1));
  return has_spool_ && end.listing && record.version <= end.newest;
}

bool Receipts::IsInGap(WallTime time) const {
  return std::any_of(gaps_.begin(), gaps_.end(), [time](const auto& entry) {
    const Gap& gap = entry.first;
    return (!gap.from || *gap.from - kSlack <= time) && time <= gap.until + kSlack;
  });
}

Receipts::Missing Receipts::Compare(const std::vector<sim::SimChange>& history, bool drops) const {
  std::unordered_map<std::string, const sim::SimChange*> last;  // by uid
  for (const sim::SimChange& change : history) last[change.uid] = &change;
  Missing missing;
  for (const sim::SimChange& change : history) {
    if (change.deleted || Has(change.uid, change.revision)) continue;
    const bool must_come = !drops && last.at(change.uid) == &change;
    if (!must_come && IsInGap(change.time)) {
      ++missing.within_gaps;
      continue;
    }
    ++missing.outside;
    if (missing.examples.size() == kExamples) continue;
    missing.examples.push_back(change.uid + "/" + std::to_string(change.revision) +
                               (must_come ? ", the last state of an Event that exists" : ", outside of any gap"));
  }
  return missing;
}

std::size_t Receipts::gaps_with(const std::string& reason) const {
  return static_cast<std::size_t>(
      std::count_if(gaps_.begin(), gaps_.end(), [&](const auto& entry) { return entry.first.reason == reason; }));
}

void Receipts::Fault(const Received& record, const std::string& what) {
  faults_.push_back(record.uid + "/" + std::to_string(record.version) + " " + what);
}

}  // namespace kube_events::chaos
