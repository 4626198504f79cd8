#include "kube_events/app/exporter.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "exporter_settings.h"
#include "kube_events/app/checkpointing.h"
#include "kube_events/app/exporter_monitor.h"
#include "kube_events/app/forwarding.h"
#include "kube_events/app/leadership.h"
#include "kube_events/app/occurrence_recorder.h"
#include "kube_events/app/version.h"
#include "kube_events/base/health.h"
#include "kube_events/base/logging.h"
#include "kube_events/base/signals.h"
#include "kube_events/counting/occurrence_counter.h"
#include "kube_events/informer/informer.h"
#include "kube_events/kube/access.h"
#include "kube_events/net/cpprest_client.h"
#include "kube_events/serve/metrics_request_observer.h"
#include "kube_events/serve/routes.h"
#include "program.h"
#include "start_warnings.h"

namespace kube_events {
namespace {

// At the end, for the last checkpoint.
constexpr std::chrono::milliseconds kLastCheckpoint{800};

}  // namespace

// In the order in which they are made; ended in reverse, so that nothing is used after its end.
struct Exporter::Parts {
  Parts(const ExporterOptions& options, Logging log_setup, EventFilter filter)
      : logging(std::move(log_setup)),
        log(logging.For("exporter")),
        scopes(Scopes(options)),
        metrics(MetricsOptions(Names(scopes))),
        counters(options.max_series),
        recorder(std::move(filter), counters, metrics),
        counter(CounterOptions(options, scopes), recorder),
        monitor(metrics, health, clock),
        shutdown_timeout(options.shutdown_timeout) {
    metrics.SetSources({.cached_events = [this] { return static_cast<double>(counter.Stats().live); },
                        .tombstones = [this] { return static_cast<double>(counter.Stats().tombstones); },
                        .evicted_events = [this] { return static_cast<double>(counter.Stats().evicted); },
                        .series = [this] { return static_cast<double>(counters.Series()); },
                        .series_overflow = [this] { return static_cast<double>(counters.Overflowed()); },
                        .leader = [this] { return !leadership || leadership->Leads() ? 1.0 : 0.0; },
                        .checkpoint_age = [this] { return checkpointing ? checkpointing->AgeSeconds() : 0.0; }});
  }

  Result<void> FindServer(const ExporterOptions& options, const Environment& environment);
  Result<void> Consume(const ExporterOptions& options, const ClusterAccess& access, const Environment& environment);
  Result<void> Serve(const ExporterOptions& options);
  void Watch(const ExporterOptions& options);
  void StopWatching();
  bool MaySave() { return !leadership || (leadership->Leads() && !leadership->consumer().lapsed()); }
  void OnFailure(const std::string& reason);

  Logging logging;
  Logger log;
  SystemClock clock;
  Health health{clock};
  std::vector<Scope> scopes;
  SelfMetrics metrics;
  EventCounters counters;
  OccurrenceRecorder recorder;
  OccurrenceCounter counter;
  ExporterMonitor monitor;
  MetricsRequestObserver request_observer{metrics};
  std::string server_found;
  std::vector<std::string> warnings;
  std::unique_ptr<Credentials> credentials;
  std::unique_ptr<HttpClient> http;
  std::unique_ptr<KubeClient> client;
  std::shared_ptr<void> network_pulse;  // keeps the network thread's heart beating
  const std::chrono::milliseconds shutdown_timeout;
  std::unique_ptr<Forwarding> forwarding;        // none without --forward
  std::unique_ptr<Leadership> leadership;        // none without --leader-elect
  std::unique_ptr<Checkpointing> checkpointing;  // none without --checkpoint
  std::unique_ptr<HttpServer> server;
  std::mutex watch_mutex;  // guards the next two: the election's thread may begin to watch while the process ends
  bool ending = false;
  std::unique_ptr<Informer> informer;
  std::atomic<bool> failed{false};
};

Result<void> Exporter::Parts::FindServer(const ExporterOptions& options, const Environment& environment) {
  AccessOptions wanted;
  wanted.apiserver = options.apiserver;
  wanted.kubeconfig = options.kubeconfig;
  wanted.context = options.context;
  wanted.environment = environment;
  wanted.plugin_environment = EnvironmentOfChildren();
  wanted.log = logging.For("access");
  auto access = ResolveAccess(wanted, clock);
  if (!access) return Fail(access.error());
  auto made = MakeCpprestClient(access->server, access->tls, access->proxy);
  if (!made) return Fail(made.error());
  server_found = "using " + access->description;
  warnings = StartWarnings(options, EnvironmentOfChildren());
  warnings.insert(warnings.end(), access->warnings.begin(), access->warnings.end());
  credentials = std::move(access->credentials);
  http = std::move(*made);
  client = std::make_unique<KubeClient>(*http, *credentials);
  network_pulse = BeatOnNetworkThread(health.AddLoop("network", kMaxLoopSilence));
  return Consume(options, *access, environment);
}

// Who gets the changes, from the last to the first.
Result<void> Exporter::Parts::Consume(const ExporterOptions& options, const ClusterAccess& access,
                                      const Environment& environment) {
  ChangeConsumer* consumer = &counter;
  if (options.Forwards()) {
    auto started =
        Forwarding::Start(options, scopes, *EventFilter::Create(FilterOptions(options)),
                          {*client, clock, health, counter, logging.For("forward"), Session(options), environment});
    if (!started) return Fail(started.error());
    forwarding = std::move(*started);
    consumer = &forwarding->consumer();
  }
  if (options.leader_elect) {
    leadership = std::make_unique<Leadership>(
        options, access.default_namespace,
        LeadershipParts{*http, *credentials, clock, health, metrics, *consumer, counters, logging.For("leader"),
                        [this, options] { Watch(options); }, [this](const std::string& why) { OnFailure(why); }});
  }
  if (options.KeepsCheckpoint()) {
    CheckpointingParts wanted{*http,
                              *credentials,
                              access.tls,
                              access.server,
                              access.default_namespace,
                              clock,
                              counter,
                              metrics,
                              logging.For("checkpoint"),
                              [this] { return MaySave(); },
                              [this] { return !leadership || leadership->Leads(); }};
    if (forwarding) wanted.sinks = [this] { return forwarding->forwarder().SafePositions(); };
    checkpointing = std::make_unique<Checkpointing>(options, scopes, std::move(wanted));
  }
  return {};
}

Result<void> Exporter::Parts::Serve(const ExporterOptions& options) {
  const bool own_port = options.exporter_port.has_value();
  std::vector<const MetricSource*> sources{leadership ? &leadership->counters() : &counters};
  std::vector<const MetricSource*> own_sources{&metrics};
  if (forwarding) own_sources.push_back(&forwarding->metrics());
  if (!own_port) sources.insert(sources.end(), own_sources.begin(), own_sources.end());
  const std::string version(ThisBuild().version);

  std::vector<HttpListener> listeners(1);
  listeners[0].host = options.host;
  listeners[0].port = options.port;
  listeners[0].router.Add(MetricsRoute(sources));
  listeners[0].router.Add(HealthRoutes(health));
  listeners[0].router.Add(IndexRoute({"kube-events-exporter", version, {"/metrics", "/healthz", "/readyz", "/livez"}}));
  if (own_port) {
    HttpListener own;
    own.host = options.exporter_host.empty() ? options.host : options.exporter_host;
    own.port = *options.exporter_port;
    own.host_flag = "--exporter-host";
    own.port_flag = "--exporter-port";
    own.router.Add(MetricsRoute(own_sources));
    own.router.Add(HealthRoutes(health));
    own.router.Add(IndexRoute({"kube-events-exporter (about itself)", version, {"/metrics", "/healthz", "/livez"}}));
    listeners.push_back(std::move(own));
  }

  HttpServerOptions server_options;
  server_options.heartbeat = &health.AddLoop("http", kMaxLoopSilence);
  server_options.observer = &request_observer;
  server_options.logger = logging.For("http");
  auto started = HttpServer::Start(std::move(listeners), server_options);
  if (!started) return Fail(started.error());
  server = std::move(*started);
  // Not before: a start that fails is told in one line.
  const BuildInfo build = ThisBuild();
  log.Info("kube-events-exporter", {{"version", build.version}, {"revision", build.revision}});
  log.Info(server_found);
  for (const std::string& warning : warnings) log.Warn(warning);
  log.Info("serving", {{"port", server->Port(0)}});
  if (own_port) log.Info("serving the exporter's own metrics", {{"port", server->Port(1)}});
  return {};
}

void Exporter::Parts::Watch(const ExporterOptions& options) {
  const std::lock_guard lock(watch_mutex);
  if (ending) return;
  // From here on the process is not ready before every scope is.
  for (const Scope& scope : scopes) {
    monitor.OnScopeState(scope, {.trouble = "scope " + scope.Name() + ": the first list of Events has not begun"});
  }
  InformerOptions wanted;
  wanted.scopes = scopes;
  wanted.session = Session(options);
  Heartbeat& heartbeat = health.AddLoop("informer", kMaxLoopSilence);
  ChangeConsumer* consumer = &counter;
  if (forwarding) consumer = &forwarding->consumer();
  if (leadership) consumer = &leadership->consumer();
  InformerParts parts{*client, clock, *consumer, monitor, heartbeat, logging.For("informer")};
  parts.on_failure = [this](const std::string& why) { OnFailure(why); };
  if (checkpointing) {
    parts.positions = &checkpointing->keeper();
    parts.resume = [this, &heartbeat](const std::stop_token& stop) {
      auto positions = checkpointing->keeper().Load(stop, heartbeat);
      if (forwarding) forwarding->forwarder().Resume(positions, checkpointing->keeper().loaded_sinks());
      return positions;
    };
  }
  informer = std::make_unique<Informer>(std::move(wanted), std::move(parts));
}

void Exporter::Parts::StopWatching() {
  std::unique_ptr<Informer> ended;
  {
    const std::lock_guard lock(watch_mutex);
    ending = true;
    ended = std::move(informer);
  }
}

// Better to end and be restarted than to look alive and count nothing.
void Exporter::Parts::OnFailure(const std::string& reason) {
  log.Error(reason);
  health.SetNotReady("process", reason);
  failed = true;
  RequestTermination();
}

Exporter::Exporter(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Exporter::~Exporter() {
  parts_->health.SetShuttingDown();
  parts_->log.Info("stopping");
  parts_->StopWatching();
  if (parts_->forwarding) parts_->forwarding->forwarder().Finish(parts_->shutdown_timeout);
  // Before the Lease is released: the next leader goes on from it.
  if (parts_->checkpointing) parts_->checkpointing->keeper().Finish(kLastCheckpoint);
  if (parts_->leadership) parts_->leadership->End();
  parts_->server.reset();
}

Result<std::unique_ptr<Exporter>> Exporter::Start(const ExporterOptions& options, const Environment& environment) {
  auto logging = Logging::Create(options.log_level, options.log_format);
  if (!logging) return Fail(ErrorKind::kConfiguration, "--log-level: " + logging.error().message);
  auto filter = EventFilter::Create(FilterOptions(options));
  if (!filter) return Fail(filter.error());

  auto parts = std::make_unique<Parts>(options, std::move(*logging), std::move(*filter));
  if (const auto found = parts->FindServer(options, environment); !found) return Fail(found.error());
  if (const auto serving = parts->Serve(options); !serving) return Fail(serving.error());
  if (parts->leadership) {
    parts->leadership->Begin();
  } else {
    parts->Watch(options);
  }
  return std::unique_ptr<Exporter>(new Exporter(std::move(parts)));
}

int Exporter::ExitCode() const { return parts_->failed ? 1 : 0; }

void Exporter::Reopen() {
  if (parts_->forwarding) parts_->forwarding->forwarder().Reopen();
}

std::uint16_t Exporter::Port() const { return parts_->server->Port(0); }

}  // namespace kube_events
