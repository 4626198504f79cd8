#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "kube_events/state/checkpoint_format.h"
#include "kube_events/state/checkpoint_store.h"

namespace kube_events {
namespace {

using nlohmann::json;

// etcd keeps every version until it is compacted, and the API server every ConfigMap in memory.
constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
constexpr double kBytesPerSecond = 20.0 * 1024;
// More than fit at the 16 bytes that the smallest takes.
constexpr std::size_t kMostTotals = 16'384;
constexpr int kMostAttempts = 4;
constexpr const char* kKey = "checkpoint.json";

std::string Text(const json& object, const char* first, const char* second) {
  const auto outer = object.find(first);
  if (outer == object.end() || !outer->is_object()) return {};
  const auto inner = outer->find(second);
  return inner != outer->end() && inner->is_string() ? inner->get<std::string>() : std::string();
}

// The time for several requests together.
class TimeLeft {
 public:
  explicit TimeLeft(CallLimits limits)
      : limits_(std::move(limits)), until_(std::chrono::steady_clock::now() + limits_.timeout) {}

  CallLimits ForOneCall() const {
    CallLimits limits = limits_;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - std::chrono::steady_clock::now());
    limits.timeout = std::max(left, std::chrono::milliseconds{1});
    return limits;
  }

 private:
  CallLimits limits_;
  std::chrono::steady_clock::time_point until_;
};

bool HasContent(const json& object) {
  for (const char* member : {"data", "binaryData"}) {
    const auto found = object.find(member);
    if (found != object.end() && found->is_object() && !found->empty()) return true;
  }
  return false;
}

class ConfigMapStore final : public CheckpointStore {
 public:
  ConfigMapStore(ObjectClient& objects, std::string namespace_name, std::string name, MayWrite may_write)
      : objects_(objects),
        path_{"", "configmaps", std::move(namespace_name), std::move(name)},
        may_write_(std::move(may_write)) {}

  Result<std::optional<Checkpoint>> Load(const CallLimits& limits) override {
    auto object = objects_.Get(path_, limits);
    if (!object && object.error().kind == ErrorKind::kNotFound) return std::nullopt;
    if (!object) return Fail(object.error());
    object_ = std::move(*object);
    auto loaded = Read();
    // Not ours to replace: looked at again before every attempt.
    if (!loaded && loaded.error().kind == ErrorKind::kConfiguration) object_ = json();
    return loaded;
  }

  Result<SavedCheckpoint> Save(Checkpoint checkpoint, const CallLimits& limits) override {
    SavedCheckpoint saved;
    const TimeLeft time(limits);
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      if (const auto may = CheckMayWrite(may_write_, Name()); !may) return Fail(may.error());
      if (const auto ready = Prepare(checkpoint, time, saved); !ready) return Fail(ready.error());
      // Again, behind the reading: who may write now replaces at most what was there now.
      if (const auto may = CheckMayWrite(may_write_, Name()); !may) return Fail(may.error());
      auto written = Write(checkpoint, time, saved);
      if (written) return saved;
      if (written.error().kind == ErrorKind::kNotFound) {
        object_ = json();  // deleted: made anew
      } else if (written.error().kind == ErrorKind::kConflict) {
        conflict_ = true;
      } else {
        return Fail(written.error());
      }
    }
    return Fail({ErrorKind::kRetry, Name() + " was changed by others each time it was to be written", {}, "Conflict"});
  }

  std::string Name() const override { return "configmap " + path_.namespace_name + "/" + path_.name; }
  double MaxBytesPerSecond() const override { return kBytesPerSecond; }
  std::size_t MostTotals() const override { return kMostTotals; }

 private:
  Result<std::optional<Checkpoint>> Read() const {
    const std::string text = Text(object_, "data", kKey);
    if (text.empty()) {
      if (!HasContent(object_)) return std::nullopt;
      return Fail({ErrorKind::kConfiguration,
                   Name() + " holds other data and no " + kKey + "; name a ConfigMap that is for the exporter alone",
                   {},
                   "taken"});
    }
    auto checkpoint = DecodeCheckpoint(text);
    if (!checkpoint) return Fail(checkpoint.error());
    if (const auto ours = CheckCluster(*checkpoint, Cluster(), Name()); !ours) return Fail(ours.error());
    return std::move(*checkpoint);
  }

  ClusterIdentity Cluster() const { return {Text(object_, "metadata", "uid"), {}}; }

  // Afterwards object_ is the ConfigMap as it is, and may be replaced.
  Result<void> Prepare(const Checkpoint& checkpoint, const TimeLeft& time, SavedCheckpoint& saved) {
    if (!object_.is_null() && !conflict_) return {};
    auto object = objects_.Get(path_, time.ForOneCall());
    if (!object && object.error().kind == ErrorKind::kNotFound) {
      object = objects_.Create(path_, Empty(), time.ForOneCall());
      // Somebody else was faster.
      if (!object && object.error().kind == ErrorKind::kConflict) object = objects_.Get(path_, time.ForOneCall());
    }
    if (!object) return Fail(object.error());
    object_ = std::move(*object);
    conflict_ = false;
    const auto stored = Read();
    if (!stored && stored.error().kind == ErrorKind::kConfiguration) {
      object_ = json();
      return Fail(stored.error());
    }
    if (!stored || !*stored || (*stored)->writer == checkpoint.writer) return {};
    saved.other_writer = (*stored)->writer;
    auto may = MayReplace(checkpoint, **stored);
    if (!may) conflict_ = true;  // it has to be read again before the next attempt
    return may;
  }

  Result<void> Write(Checkpoint checkpoint, const TimeLeft& time, SavedCheckpoint& saved) {
    checkpoint.cluster = Cluster();
    EncodedCheckpoint encoded = EncodeCheckpoint(std::move(checkpoint), kMaxBytes);
    saved.bytes = encoded.text.size();
    saved.cut = encoded.cut;
    json changed = object_;
    changed["data"][kKey] = std::move(encoded.text);
    auto written = objects_.Replace(path_, changed, time.ForOneCall());
    if (!written) {
      // It may have been carried out nevertheless.
      if (written.error().kind == ErrorKind::kRetry || written.error().kind == ErrorKind::kCancelled) conflict_ = true;
      return Fail(written.error());
    }
    object_ = std::move(*written);
    return {};
  }

  json Empty() const {
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata",
             {{"name", path_.name},
              {"namespace", path_.namespace_name},
              {"labels", {{"app.kubernetes.io/managed-by", "kube-events-exporter"}}}}}};
  }

  ObjectClient& objects_;
  const ObjectPath path_;
  const MayWrite may_write_;
  json object_;            // as read or written last; null: not known
  bool conflict_ = false;  // it is not what object_ says any more, or may not be
};

}  // namespace

std::unique_ptr<CheckpointStore> MakeConfigMapStore(ObjectClient& objects, std::string namespace_name, std::string name,
                                                    MayWrite may_write) {
  return std::make_unique<ConfigMapStore>(objects, std::move(namespace_name), std::move(name), std::move(may_write));
}

}  // namespace kube_events
