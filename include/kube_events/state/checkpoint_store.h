// Where a checkpoint is kept: a ConfigMap or a file. Owned by the composition root; one thread at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube_events/base/result.h"
#include "kube_events/kube/object_client.h"
#include "kube_events/state/checkpoint.h"

namespace kube_events {

struct SavedCheckpoint {
  std::size_t bytes = 0;
  bool cut = false;          // totals were left out
  std::string other_writer;  // who else has written here since our last one; empty: nobody
};

// Asked right before the place is changed, on the thread that saves: whether this process still may. A leader that has
// lost its Lease must not. Empty: always.
using MayWrite = std::function<bool()>;

class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;
  // What is there; nothing where there is no checkpoint yet. Fails with kInvalid where it must not be used: reason
  // "foreign" (another cluster's), "broken", "future"; with kConfiguration where the place is somebody else's; and with
  // what reading fails with. Blocks, at most for the limits' time.
  virtual Result<std::optional<Checkpoint>> Load(const CallLimits& limits) = 0;
  // Replaces what is there, unless another process has written a newer position since our last call: kConflict; or it
  // may not write any more: kCancelled. Sets the cluster. Blocks as Load does.
  virtual Result<SavedCheckpoint> Save(Checkpoint checkpoint, const CallLimits& limits) = 0;
  // For logs: `configmap monitoring/exporter`, `file /var/lib/…`.
  virtual std::string Name() const = 0;
  // Bytes per second that writes may come to in the long run.
  virtual double MaxBytesPerSecond() const = 0;
  // More totals than this do not fit anyway.
  virtual std::size_t MostTotals() const = 0;
};

// A ConfigMap of its own, made where there is none. Its uid names the cluster: a copy in another one has another uid.
// At most 256 KiB, of the MiB that a ConfigMap may have. `objects` must outlive the store.
std::unique_ptr<CheckpointStore> MakeConfigMapStore(ObjectClient& objects, std::string namespace_name, std::string name,
                                                    MayWrite may_write = {});

// A file, replaced as a whole (rename) and flushed to the disk. What was there and cannot be used is kept as PATH.old.
// `identify`: which cluster this is; asked by Load until it does not fail.
using IdentifyCluster = std::function<Result<ClusterIdentity>(const CallLimits& limits)>;
std::unique_ptr<CheckpointStore> MakeFileStore(std::filesystem::path path, IdentifyCluster identify,
                                               MayWrite may_write = {});

// kCancelled where `may_write` forbids it, with a message that names `where`: as Name().
Result<void> CheckMayWrite(const MayWrite& may_write, std::string_view where);

// kInvalid with reason "foreign" where the checkpoint is of another cluster. `where`: as Name().
Result<void> CheckCluster(const Checkpoint& checkpoint, const ClusterIdentity& cluster, std::string_view where);

}  // namespace kube_events
