#include "kube_events/app/checkpointing.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "kube_events/counting/event_cache.h"
#include "kube_events/leader/leader_election.h"

namespace kube_events {
namespace {

// Address and CA: in-cluster the address is the same in most clusters, the CA is not.
std::string ServerIdentity(const std::string& server, const TlsProvider& tls) {
  const auto settings = tls ? tls() : Result<TlsSettings>{};
  return server + " " + std::to_string(HashUid(settings ? settings->ca_pem : "", 0));
}

// The uid of kube-system names a cluster for life. Where it may not be read, its address has to do.
Result<ClusterIdentity> Identify(ObjectClient& objects, const std::string& server, const CallLimits& limits) {
  const auto object = objects.Get({"", "namespaces", "", "kube-system"}, limits);
  if (object) {
    const auto pointer = nlohmann::json::json_pointer("/metadata/uid");
    return ClusterIdentity{object->value(pointer, std::string()), server};
  }
  const ErrorKind kind = object.error().kind;
  if (kind == ErrorKind::kRetry || kind == ErrorKind::kCancelled || kind == ErrorKind::kUnauthenticated) {
    return Fail(object.error());
  }
  return ClusterIdentity{"", server};
}

std::unique_ptr<CheckpointStore> MakeStore(const ExporterOptions& options, const CheckpointingParts& parts,
                                           ObjectClient& objects) {
  if (options.checkpoint_config_map.empty()) {
    const std::string server = ServerIdentity(parts.server, parts.tls);
    return MakeFileStore(
        options.checkpoint_file,
        [&objects, server](const CallLimits& limits) { return Identify(objects, server, limits); }, parts.may_write);
  }
  const std::string& space = options.checkpoint_config_map_namespace;
  return MakeConfigMapStore(objects, space.empty() ? parts.default_namespace : space, options.checkpoint_config_map,
                            parts.may_write);
}

}  // namespace

Checkpointing::Checkpointing(const ExporterOptions& options, const std::vector<Scope>& scopes, CheckpointingParts parts)
    : clock_(parts.clock),
      metrics_(parts.metrics),
      objects_(parts.http, parts.credentials),
      written_(clock_.Monotonic().time_since_epoch().count()),
      store_(MakeStore(options, parts, objects_)) {
  CheckpointKeeperOptions keeper;
  keeper.scopes = scopes;
  keeper.writer = NewElectionIdentity();
  keeper.interval = options.checkpoint_interval;
  keeper.may_save = std::move(parts.may_save);
  keeper.sinks = std::move(parts.sinks);
  keeper_ = std::make_unique<CheckpointKeeper>(
      std::move(keeper), CheckpointKeeperParts{*store_, parts.counter, clock_, *this, std::move(parts.log)});
}

double Checkpointing::AgeSeconds() const {
  const MonotonicTime written{MonotonicTime::duration{written_.load(std::memory_order_relaxed)}};
  return std::chrono::duration<double>(clock_.Monotonic() - written).count();
}

void Checkpointing::OnWrite(std::string_view result, const SavedCheckpoint* saved) {
  metrics_.CountCheckpointWrite(result);
  if (saved == nullptr) return;
  written_.store(clock_.Monotonic().time_since_epoch().count(), std::memory_order_relaxed);
  metrics_.SetCheckpoint(clock_.Wall(), saved->bytes, saved->cut);
}

}  // namespace kube_events
