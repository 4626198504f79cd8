#include "kube_events/app/watcher.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>

#include "kube_events/app/version.h"
#include "kube_events/app/watcher_options.h"
#include "kube_events/base/file_descriptor.h"
#include "kube_events/serve/http_server.h"
#include "kube_events/serve/routes.h"
#include "kube_events/supervisor/supervisor.h"
#include "program.h"

namespace kube_events {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "fluent-bit-watcher";

// Where fluent-operator mounts the Secret and keeps the main files of its image.
constexpr const char* kOperatorYaml = "/fluent-bit/config/fluent-bit.yaml";
constexpr const char* kMainYaml = "/fluent-bit/etc/fluent-bit.yaml";
constexpr const char* kMainClassic = "/fluent-bit/etc/fluent-bit.conf";

fs::path FindConfig(const std::string& given) {
  std::error_code ignored;
  if (!given.empty()) return fs::absolute(given, ignored).lexically_normal();
  return fs::exists(kOperatorYaml, ignored) ? kMainYaml : kMainClassic;
}

std::string Absolute(const std::string& path) {
  std::error_code ignored;
  return path.empty() ? path : fs::absolute(path, ignored).lexically_normal().string();
}

SupervisorOptions Translate(const WatcherOptions& options) {
  SupervisorOptions supervisor;
  // A name without a slash is looked up in PATH; another one must not depend on the folder that the child runs in.
  supervisor.binary = options.binary.find('/') == std::string::npos ? options.binary : Absolute(options.binary);
  supervisor.config = [given = options.config] { return FindConfig(given); };
  supervisor.external_plugin = Absolute(options.external_plugin);
  supervisor.parsers = Absolute(options.parsers);
  supervisor.extra_arguments = options.child_arguments;
  for (const std::string& path : options.watch_paths) supervisor.watch_paths.emplace_back(Absolute(path));
  supervisor.environment = FromProcessEnvironment;
  supervisor.poll = options.poll;
  supervisor.poll_interval = options.poll_interval;
  supervisor.debounce = options.debounce;
  supervisor.rehash_interval = options.rehash_interval;
  supervisor.config_wait = options.config_wait;
  supervisor.kill_timeout = options.kill_timeout;
  supervisor.reload.method = options.reload_method;
  supervisor.reload.reload.reload_timeout = options.reload_timeout;
  supervisor.reload.reload.exit_on_timeout = options.exit_on_reload_timeout;
  return supervisor;
}

WatcherMetricsOptions MetricsOptions() {
  const BuildInfo build = ThisBuild();
  return {.version = std::string(build.version),
          .revision = std::string(build.revision),
          .compiler = std::string(build.compiler)};
}

// In the order in which they are made; ended in reverse.
class Watcher {
 public:
  Watcher(const WatcherOptions& options, Logging logging)
      : logging_(std::move(logging)),
        log_(logging_.For("watcher")),
        supervisor_(Translate(options),
                    {clock_, metrics_, health_, health_.AddLoop("supervisor", kMaxLoopSilence), logging_}) {}

  Result<void> Serve(const WatcherOptions& options) {
    if (!options.port) return {};
    HttpListener listener{.host = options.host, .port = *options.port};
    listener.router.Add(MetricsRoute({&metrics_}));
    // Not /readyz for both: a configuration that was refused is no reason to restart a Fluent Bit that works.
    listener.router.Add(AliveRoute("/healthz", health_));
    listener.router.Add(AliveRoute("/livez", health_));
    listener.router.Add(ReadyRoute("/readyz", health_));
    listener.router.Add(
        IndexRoute({kProgram, std::string(ThisBuild().version), {"/metrics", "/healthz", "/livez", "/readyz"}}));
    HttpServerOptions server;
    server.heartbeat = &health_.AddLoop("http", kMaxLoopSilence);
    server.logger = logging_.For("http");
    std::vector<HttpListener> listeners;
    listeners.push_back(std::move(listener));
    auto started = HttpServer::Start(std::move(listeners), std::move(server));
    if (!started) return Fail(started.error());
    server_ = std::move(*started);
    return {};
  }

  int Run(const WatcherOptions& options) {
    const BuildInfo build = ThisBuild();
    log_.Info(kProgram, {{"version", build.version}, {"revision", build.revision}});
    if (server_) log_.Info("serving", {{"port", server_->Port()}});
    for (const std::string& notice : options.notices) log_.Warn(notice);
    return supervisor_.Run();
  }

 private:
  SystemClock clock_;
  Health health_{clock_};
  WatcherMetrics metrics_{MetricsOptions()};
  Logging logging_;
  Logger log_;
  Supervisor supervisor_;
  std::unique_ptr<HttpServer> server_;
};

int Run(int argc, const char* const* argv) {
  BlockSupervisorSignals();
  const auto parsed = ParseWatcherCommandLine({argv, static_cast<std::size_t>(argc)}, FromProcessEnvironment);
  if (!parsed) return Complain(kProgram, parsed.error());
  if (parsed->text) {
    std::fputs(parsed->text->c_str(), stdout);
    return 0;
  }
  const WatcherOptions& options = parsed->options;
  auto logging = Logging::Create(options.log_level, options.log_format);
  if (!logging) return Complain(kProgram, {ErrorKind::kConfiguration, "--log-level: " + logging.error().message});
  Watcher watcher(options, std::move(*logging));
  if (const auto serving = watcher.Serve(options); !serving) return Complain(kProgram, serving.error());
  return watcher.Run(options);
}

}  // namespace

int RunWatcher(int argc, const char* const* argv) {
  FillStandardStreams();
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    return Complain(kProgram, {ErrorKind::kInvalid, std::string("cannot run: ") + error.what()});
  }
}

}  // namespace kube_events
