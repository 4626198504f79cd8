#include "kube_events/app/exporter.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <utility>

#include "exporter_settings.h"
#include "kube_events/app/checkpointing.h"
#include "kube_events/app/exporter_monitor.h"
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
#include "start_warnings.h"

namespace kube_events {
namespace {

// A loop that has not come round for so long is stuck; each comes round every few seconds when idle.
constexpr std::chrono::seconds kMaxLoopSilence{60};
// From SIGTERM to the end of the process; in good order it takes some milliseconds.
constexpr std::chrono::milliseconds kMaxEnding{1'900};
// Of that, for the last checkpoint.
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
        monitor(metrics, health, clock) {
    metrics.SetSources({.cached_events = [this] { return static_cast<double>(counter.Stats().live); },
                        .tombstones = [this] { return static_cast<double>(counter.Stats().tombstones); },
                        .evicted_events = [this] { return static_cast<double>(counter.Stats().evicted); },
                        .series = [this] { return static_cast<double>(counters.Series()); },
                        .series_overflow = [this] { return static_cast<double>(counters.Overflowed()); },
                        .leader = [this] { return !leadership || leadership->Leads() ? 1.0 : 0.0; },
                        .checkpoint_age = [this] { return checkpointing ? checkpointing->AgeSeconds() : 0.0; }});
  }

  Result<void> FindServer(const ExporterOptions& options, const Environment& environment);
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
  std::shared_ptr<void> network_pulse;           // keeps the network thread's heart beating
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
  if (options.leader_elect) {
    leadership = std::make_unique<Leadership>(
        options, access->default_namespace,
        LeadershipParts{*http, *credentials, clock, health, metrics, counter, counters, logging.For("leader"),
                        [this, options] { Watch(options); }, [this](const std::string& why) { OnFailure(why); }});
  }
  if (options.KeepsCheckpoint()) {
    checkpointing = std::make_unique<Checkpointing>(
        options, scopes,
        CheckpointingParts{*http, *credentials, access->tls, access->server, access->default_namespace, clock, counter,
                           metrics, logging.For("checkpoint"), [this] { return MaySave(); },
                           [this] { return !leadership || leadership->Leads(); }});
  }
  return {};
}

Result<void> Exporter::Parts::Serve(const ExporterOptions& options) {
  const bool own_port = options.exporter_port.has_value();
  std::vector<const MetricSource*> sources{leadership ? &leadership->counters() : &counters};
  if (!own_port) sources.push_back(&metrics);
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
    own.router.Add(MetricsRoute({&metrics}));
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
  wanted.session.list_page_size = options.list_page_size;
  wanted.session.watch_interval = options.watch_interval;
  wanted.session.seed = std::random_device{}();
  Heartbeat& heartbeat = health.AddLoop("informer", kMaxLoopSilence);
  ChangeConsumer& consumer = leadership ? static_cast<ChangeConsumer&>(leadership->consumer()) : counter;
  InformerParts parts{*client, clock, consumer, monitor, heartbeat, logging.For("informer")};
  parts.on_failure = [this](const std::string& why) { OnFailure(why); };
  if (checkpointing) {
    parts.positions = &checkpointing->keeper();
    parts.resume = [this, &heartbeat](const std::stop_token& stop) {
      return checkpointing->keeper().Load(stop, heartbeat);
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

std::uint16_t Exporter::Port() const { return parts_->server->Port(0); }

namespace {

int Complain(const Error& error) {
  std::fprintf(stderr, "kube-events-exporter: %s\n", error.message.c_str());
  return error.kind == ErrorKind::kConfiguration ? 2 : 1;
}

int Run(int argc, const char* const* argv) {
  Termination termination(kMaxEnding);
  InitialiseNetworking();
  const auto parsed = ParseExporterCommandLine({argv, static_cast<std::size_t>(argc)}, FromProcessEnvironment);
  if (!parsed) return Complain(parsed.error());
  if (parsed->text) {
    std::fputs(parsed->text->c_str(), stdout);
    return 0;
  }
  const auto exporter = Exporter::Start(parsed->options, FromProcessEnvironment);
  if (!exporter) return Complain(exporter.error());
  termination.Wait();
  return (*exporter)->ExitCode();
}

}  // namespace

int RunExporter(int argc, const char* const* argv) {
  int code = 1;
  try {
    code = Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kube-events-exporter: cannot run: %s\n", error.what());
  }
  // Everything of ours has ended. The destructors of static objects would make cpprestsdk wait for a name lookup that
  // is under way, which takes as long as the name server likes.
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace kube_events
