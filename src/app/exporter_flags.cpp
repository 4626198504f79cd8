#include <algorithm>
#include <limits>

#include "kube_events/app/exporter_options.h"
#include "kube_events/base/flag_values.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

using namespace flag_values;

constexpr std::string_view kAccess = "Access to the API server";
constexpr std::string_view kServe = "HTTP server";
constexpr std::string_view kSelect = "What is listed and watched";
constexpr std::string_view kFilter = "What is counted";
constexpr std::string_view kTune = "Tuning";
constexpr std::string_view kRestart = "Over restarts";
constexpr std::string_view kLeader = "Several replicas";
constexpr std::string_view kForward = "Handing Events on";
constexpr std::string_view kLog = "Logging";

Result<void> Api(ExporterOptions& options, Values values) {
  for (const EventApi api : {EventApi::kCoreV1, EventApi::kEventsV1}) {
    if (values.back() == ToString(api)) {
      options.event_api = api;
      return {};
    }
  }
  return BadValue("\"" + values.back() + "\" is unknown; write v1 or events.k8s.io/v1");
}

Result<void> Namespaces(ExporterOptions& options, Values values) {
  options.namespaces.clear();
  for (const std::string& name : SplitList(values)) {
    if (name.empty()) return BadValue("a namespace is empty; leave the flag out to watch all namespaces");
    if (!IsDnsLabel(name)) {
      return BadValue("\"" + name +
                      "\" is no namespace: at most 63 lower-case letters, digits and dashes, no dash at either end");
    }
    // Given twice, it would be counted twice.
    if (std::find(options.namespaces.begin(), options.namespaces.end(), name) == options.namespaces.end()) {
      options.namespaces.push_back(name);
    }
  }
  return {};
}

bool IsNameOf(const std::string& text, std::string_view more) {
  constexpr std::string_view kLettersAndDigits = "abcdefghijklmnopqrstuvwxyz0123456789";
  return !text.empty() && kLettersAndDigits.find(text.front()) != kLettersAndDigits.npos &&
         kLettersAndDigits.find(text.back()) != kLettersAndDigits.npos &&
         text.find_first_not_of(std::string(kLettersAndDigits) + std::string(more)) == text.npos;
}

// [NAMESPACE/]NAME
Result<void> ObjectName(const std::string& text, std::string_view what, std::string& space, std::string& name) {
  const std::size_t slash = text.find('/');
  space = slash == text.npos ? "" : text.substr(0, slash);
  name = slash == text.npos ? text : text.substr(slash + 1);
  if ((slash != text.npos && (!IsNameOf(space, "-") || space.size() > 63)) || !IsNameOf(name, "-.") ||
      name.size() > 253) {
    return BadValue("\"" + text + "\" is no " + std::string(what) +
                    "; write NAMESPACE/NAME or NAME, in lower-case letters, digits and dashes");
  }
  return {};
}

Result<void> Lease(ExporterOptions& options, Values values) {
  return ObjectName(values.back(), "Lease", options.leader_elect_lease_namespace, options.leader_elect_lease_name);
}

// The value "none" takes back what a variable said.
Result<void> Checkpoint(ExporterOptions& options, Values values) {
  constexpr std::string_view kConfigMap = "configmap:", kFile = "file:";
  const std::string& text = values.back();
  options.checkpoint_config_map.clear();
  options.checkpoint_file.clear();
  if (text == "none") return {};
  if (text.starts_with(kConfigMap)) {
    return ObjectName(text.substr(kConfigMap.size()), "ConfigMap", options.checkpoint_config_map_namespace,
                      options.checkpoint_config_map);
  }
  if (!text.starts_with(kFile) || text.size() == kFile.size()) {
    return BadValue("\"" + text + "\" is no place; write configmap:NAMESPACE/NAME, configmap:NAME, file:PATH or none");
  }
  options.checkpoint_file = text.substr(kFile.size());
  return {};
}

// URLs may hold commas, so each value is one.
Result<void> Forward(ExporterOptions& options, Values values) {
  options.forward.clear();
  for (const std::string& url : values) {
    if (!url.empty() && url != "none") options.forward.push_back(url);
  }
  return {};
}

Result<void> WatchTypes(ExporterOptions& options, Values values) {
  options.forward_defaults.watch_types = SplitList(values);
  for (const std::string& type : options.forward_defaults.watch_types) {
    if (type != "ADDED" && type != "MODIFIED" && type != "DELETED") {
      return BadValue("\"" + type + "\" is unknown; write a list of ADDED, MODIFIED and DELETED");
    }
  }
  return {};
}

Result<void> Updates(ExporterOptions& options, Values values) {
  return Store(options.forward_defaults.updates, ParseUpdatePolicy(values.back()));
}

Result<void> Overflow(ExporterOptions& options, Values values) {
  return Store(options.forward_defaults.overflow, ParseOverflowPolicy(values.back()));
}

Result<void> Existing(ExporterOptions& options, Values values) {
  return Store(options.forward_defaults.existing, ParseBool(values.back()));
}

using O = ExporterOptions;
constexpr std::uint64_t kMaxPort = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t kSecondMs = 1000;
constexpr std::int64_t kDayMs = std::int64_t{24} * 3600 * kSecondMs;

constexpr FlagSpec kFlags[] = {
    {"apiserver", "URL", "", kAccess, "address of the API server; overrides the one found otherwise",
     Text<&O::apiserver>},
    {"kubeconfig", "PATH", "$KUBECONFIG", kAccess, "kubeconfig file; takes precedence over in-cluster discovery",
     Text<&O::kubeconfig>},
    {"context", "NAME", "current-context", kAccess, "context of the kubeconfig to use", Text<&O::context>},

    {"host", "ADDRESS", "all interfaces", kServe, "address to serve /metrics, /healthz, /readyz and /livez on",
     Text<&O::host>},
    {"port", "PORT", "8080", kServe, "port to serve them on; 0 picks a free one, which the log names",
     Number<&O::port, 0, kMaxPort>},
    {"exporter-host", "ADDRESS", "as --host", kServe, "address for the exporter's own metrics, with --exporter-port",
     Text<&O::exporter_host>},
    {"exporter-port", "PORT", "same server", kServe, "port to serve the exporter's own metrics on, instead of --port",
     OptionalPort<&O::exporter_port>},

    {"event-api", "API", "v1", kSelect, "v1 or events.k8s.io/v1: the same Events, under another RBAC rule", Api},
    {"namespaces", "LIST", "all", kSelect, "list and watch only these namespaces, so that namespaced Roles suffice",
     Namespaces},
    {"label-selector", "SELECTOR", "", kSelect, "passed to the API server", Text<&O::label_selector>},
    {"field-selector", "SELECTOR", "", kSelect, "passed to the API server", Text<&O::field_selector>},

    {"event-types", "LIST", "all", kFilter, "count only Events of these types; a leading ! denies",
     List<&O::event_types>},
    {"involved-object-api-groups", "LIST", "all", kFilter,
     "count only Events about objects of these API groups; core names the core group, a leading ! denies",
     List<&O::involved_object_api_groups>},
    {"involved-object-namespaces", "LIST", "all", kFilter,
     "count only Events about objects in these namespaces; an empty element is the cluster scope, a leading ! denies",
     List<&O::involved_object_namespaces>},
    {"involved-object-kinds", "LIST", "all", kFilter, "count only Events about these kinds; a leading ! denies",
     List<&O::involved_object_kinds>},
    {"reasons", "LIST", "all", kFilter, "count only Events with these reasons; a leading ! denies", List<&O::reasons>},
    {"reporting-controllers", "LIST", "all", kFilter,
     "count only Events of these controllers (or source components); a leading ! denies",
     List<&O::reporting_controllers>},

    {"list-page-size", "N", "500", kTune, "Events per page of a list", Number<&O::list_page_size, 1, 10'000>},
    {"watch-interval", "DURATION", "5m", kTune, "a watch is recreated after this long, less up to 10 % of jitter",
     DurationIn<&O::watch_interval, kSecondMs, kDayMs>},
    {"sync-period", "DURATION", "0s", kTune,
     "for this long the first rise of a series that was there before us joins the baseline",
     DurationIn<&O::sync_period, 0, kDayMs>},
    {"max-cached-events", "N", "2000000", kTune,
     "live Events to remember; beyond, the least recently seen keep only a compact trace",
     Number<&O::max_cached_events, 1, 1'000'000'000>},
    {"max-series", "N", "10000", kTune,
     "label sets of kube_events_total; what is beyond is counted in one series with reason=\"__overflow__\"",
     Number<&O::max_series, 1, 10'000'000>},

    {"checkpoint", "PLACE", "none", kRestart,
     "where positions and totals survive a restart: configmap:[NAMESPACE/]NAME or file:PATH", Checkpoint},
    {"checkpoint-interval", "DURATION", "10s", kRestart,
     "at most one write of it in this time; it is longer for large ones",
     DurationIn<&O::checkpoint_interval, kSecondMs, kDayMs / 24>},

    {"leader-elect", "", "false", kLeader,
     "of several replicas only the one that holds a Lease counts; the others wait", Switch<&O::leader_elect>},
    {"leader-elect-lease", "[NAMESPACE/]NAME", "kube-events-exporter", kLeader,
     "the Lease; its namespace is by default that of the Pod", Lease},
    {"leader-elect-lease-duration", "DURATION", "15s", kLeader,
     "a Lease that was not renewed for so long is taken by another replica",
     DurationIn<&O::leader_elect_lease_duration, kSecondMs, kDayMs>},
    {"leader-elect-renew-deadline", "DURATION", "10s", kLeader,
     "a leader that could not renew the Lease for so long ends; less than the lease duration",
     DurationIn<&O::leader_elect_renew_deadline, 1, kDayMs>},
    {"leader-elect-retry-period", "DURATION", "2s", kLeader, "between two renewals, and between two looks at the Lease",
     DurationIn<&O::leader_elect_retry_period, 1, kDayMs>},

    {"forward", "URL", "none", kForward,
     "hand every Event on to stdout:, file:///PATH, http(s)://… or forward://HOST:PORT; repeat it for more", Forward},
    {"forward-config", "PATH", "", kForward, "a YAML file with more sinks, each with filters and options of its own",
     Text<&O::forward_config>},
    {"forward-watch-types", "LIST", "ADDED,MODIFIED", kForward, "what is handed on; DELETED is possible too",
     WatchTypes},
    {"forward-updates", "POLICY", "all", kForward,
     "all, first (only new Events) or throttle:DURATION (an update of one Event at most this often)", Updates},
    {"forward-existing", "", "false", kForward, "also hand on the Events that are there at a cold start", Existing},
    {"forward-overflow", "POLICY", "pause", kForward,
     "when queue and spool are full: pause (go on later from the same position) or drop-oldest", Overflow},
    {"forward-spool", "PATH", "", kForward, "folder where records wait on disk for a receiver that is away",
     Text<&O::forward_spool>},
    {"forward-spool-max-bytes", "N", "1073741824", kForward, "size of the spool of each sink",
     Number<&O::forward_spool_max_bytes, 1 << 20, std::uint64_t{1} << 44>},
    {"cluster-name", "NAME", "", kForward, "added to every record", Text<&O::cluster_name>},
    {"shutdown-timeout", "DURATION", "5s", kForward, "for delivering what is queued when the process is to end",
     DurationIn<&O::shutdown_timeout, 0, kDayMs / 24>},

    {"log-level", "LEVELS", "info", kLog, "debug, info, warn, error or off, also per component: info,informer=debug",
     Text<&O::log_level>},
    {"log-format", "FORMAT", "text", kLog, "text, json or logfmt; one line each, on stderr", Format<&O::log_format>},
};

}  // namespace

std::span<const FlagSpec> ExporterFlags() { return kFlags; }

}  // namespace kube_events
