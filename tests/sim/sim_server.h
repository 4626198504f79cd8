// A simulated Kubernetes API server on loopback: Events over core/v1 and events.k8s.io/v1 from one store, with what
// makes clients stumble in reality (docs/testing.md). In-process as a fixture
//   sim::SimServer server;                       // port 0
//   server.Create(event);  client uses server.Url()
// or as the program sim-apiserver. One thread of its own serves everything; all methods may be called from any other
// thread and block until that thread has done them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kube_events/base/clock.h"
#include "sim/access.h"
#include "sim/event_object.h"
#include "sim/faults.h"
#include "sim/load_generator.h"
#include "sim/truth.h"
#include "sim/watch_stream.h"

namespace kube_events::sim {

// PEM texts.
struct SimTls {
  std::string certificate;  // with its chain
  std::string key;
  std::string client_ca = {};  // clients may (or must) show a certificate of it; its common name is the user
  bool require_client_certificate = false;
};

struct SimServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  std::optional<SimTls> tls = std::nullopt;
  std::map<std::string, std::string> tokens = {};  // bearer token → user; none: everybody is admitted
  // Whether writes into a namespace that was not created are refused, as the real server does; else every namespace is
  // taken for one that is there.
  bool strict_namespaces = false;
  std::size_t history = 50'000;  // changes that can be watched; older ones are compacted away
  std::uint64_t first_revision = 1;
  std::size_t chunk_bytes = 0;   // see ChunkWriter
  std::uint64_t seed = 1;        // of uids and generated names
  const Clock* clock = nullptr;  // of timestamps and Date; null: the system's. Must outlive the server
};

struct SimState {
  std::uint64_t revision = 0;
  std::uint64_t compacted_revision = 0;
  std::size_t objects = 0;
  std::size_t watches = 0;                        // open now
  std::uint64_t frames_sent = 0;                  // over all watches, since the start
  std::map<std::string, std::uint64_t> requests;  // by verb, answered or not
  std::uint64_t faults_added = 0;                 // hits that are to come from all faults that were ever added
  std::uint64_t faults_met = 0;                   // those that have really happened to a response
  std::uint64_t first_list_revision = 0;          // of the first list since the last Mark(): a consumer's baseline
  std::uint64_t mark = 0;                         // revision at the last Mark()
  bool load_running = false;
  std::size_t hidden = 0;          // changes on the tape that are not played yet
  std::uint64_t load_changes = 0;  // by the current or last load
};

// One write, for whoever wants to know what a watch has to show.
struct SimChange {
  std::uint64_t revision = 0;
  bool deleted = false;
  std::string uid;
  WallTime time;
};

class SimServer {
 public:
  // Listens when it returns. Throws std::runtime_error, worded for an administrator, where the address is taken or the
  // TLS texts cannot be used.
  explicit SimServer(SimServerOptions options = {});
  // Closes all connections.
  ~SimServer();

  std::uint16_t Port() const;
  // "http://127.0.0.1:40123" or https.
  const std::string& Url() const;

  // Writes without validation, so that tests can store what no real client could. They return what is stored then;
  // nothing where Create finds the name taken, or the others do not find it. An empty namespace is "default".
  std::optional<EventObject> Create(EventObject event);
  std::optional<EventObject> Update(EventObject event);
  std::optional<EventObject> Delete(const std::string& namespace_name, const std::string& name);
  std::optional<EventObject> Get(const std::string& namespace_name, const std::string& name);
  // Stores an object whose JSON is `fields` behind `"metadata":{name, namespace, uid, resourceVersion}`, in both APIs:
  // `"involvedObject":17,"count":"many"`. It counts for selectors by what `event` says.
  std::optional<EventObject> CreateRaw(EventObject event, const std::string& fields);

  SimState State();
  // Waits until so many watches are open; false after `deadline`.
  bool WaitForWatches(std::size_t count, std::chrono::milliseconds deadline = std::chrono::seconds{10});

  // Load. Starting makes a new generator (and preloads its objects) unless `options` name the seed, objects,
  // namespaces and nodes of the present one; stopping keeps it.
  void PrepareLoad(const LoadOptions& options);  // only creates the objects
  void StartLoad(const LoadOptions& options);
  void StopLoad();

  // A tape: `changes` of the load are written and rendered for `api` now but shown by PlayTape only, at `rate` per
  // second or (0) all at once, so that benchmarks measure the client. Nothing else should write meanwhile. False where
  // the history cannot hold them.
  bool RecordTape(std::size_t changes, Api api = Api::kCoreV1);
  void PlayTape(double rate);

  // The truth: occurrences since `revision` (0: ever). Nothing where that is too long ago.
  std::optional<OccurrenceCounts> TruthSince(std::uint64_t revision);
  // What was written after `revision`, in order. Nothing where some of it is compacted away.
  std::optional<std::vector<SimChange>> ChangesSince(std::uint64_t revision);
  // Remembers the current revision and returns it; the next list is the first one again.
  std::uint64_t Mark();

  // Misbehaviour.
  void AddFault(Fault fault);
  void ClearFaults();
  void Compact(std::optional<std::uint64_t> revision = std::nullopt);  // nothing: the current one
  void DropWatches(DropMode mode);
  void InjectFrame(const std::string& frame);
  void CloseConnections();
  void Rewind(std::uint64_t revision);  // etcd restored from a backup of then; open watches are reset
  void SetTls(const SimTls& tls);       // of a server that has TLS, for new connections
  void SetTokens(std::map<std::string, std::string> tokens);
  // See AccessControl.
  void SetAllowed(std::optional<std::vector<AccessRule>> rules);
  void SetDenied(std::vector<AccessRule> rules);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube_events::sim
