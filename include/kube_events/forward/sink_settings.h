// What an administrator says of one sink, by --forward URL or in the file of --forward-config. Plain values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube_events/base/result.h"
#include "kube_events/event/event_filter.h"

namespace kube_events {

enum class SinkKind { kStdout, kFile, kHttp, kForward };
enum class RecordFormat { kRaw, kFlat };
enum class OverflowPolicy { kPause, kDropOldest };

// Which states of an Event are handed on.
struct UpdatePolicy {
  enum class Kind { kAll, kFirst, kThrottle };
  Kind kind = Kind::kAll;
  std::chrono::milliseconds every{0};  // of kThrottle: an update of one Event at most this often

  bool operator==(const UpdatePolicy&) const = default;
};

struct FileSettings {
  std::filesystem::path path;
  std::uint64_t max_bytes = std::uint64_t{100} << 20;  // of one file, before it is rotated; 0: never
  int max_files = 5;                                   // rotated ones that are kept: PATH.1 … PATH.N
};

// TLS of http and forward sinks; the files are read again when they change.
struct SinkTlsSettings {
  std::filesystem::path ca_file;  // empty: the system's
  std::filesystem::path cert_file;
  std::filesystem::path key_file;
  std::string server_name;
  bool insecure_skip_verify = false;
};

struct HttpSinkSettings {
  std::string url;  // without user and password; with path and query as the receiver gets them
  bool gzip = false;
  std::vector<std::pair<std::string, std::string>> headers;  // names differ; the values may be secrets
  std::filesystem::path bearer_token_file;
  std::string basic_user;
  std::filesystem::path basic_password_file;
  SinkTlsSettings tls;
};

struct ForwardSinkSettings {
  struct Server {
    std::string host;
    std::uint16_t port = 24224;
  };
  std::vector<Server> servers;  // the first that answers is used; the others take over
  bool use_tls = false;
  SinkTlsSettings tls;
  std::string tag = "kube.events";  // {namespace}, {type}, {reason}, {kind} stand for those of the Event
  std::filesystem::path shared_key_file;
  std::string username;
  std::filesystem::path password_file;
};

struct SinkSettings {
  std::string id;  // in metrics, logs and the checkpoint: its name, or else the URL without options
  SinkKind kind = SinkKind::kStdout;
  RecordFormat format = RecordFormat::kRaw;

  EventFilterOptions filter;  // beside that of the exporter
  std::vector<std::string> watch_types{"ADDED", "MODIFIED"};
  UpdatePolicy updates;
  bool existing = false;  // hand on what a cold list brings

  std::size_t batch_records = 500;                  // 1 or more
  std::size_t batch_bytes = std::size_t{1} << 20;   // of objects as sent by the API server
  std::chrono::milliseconds batch_wait{200};        // how long a batch that is not full may wait for more
  std::chrono::milliseconds timeout{30'000};        // for one batch
  std::size_t queue_records = 10'000;               // in memory
  std::size_t queue_bytes = std::size_t{16} << 20;  // in memory
  OverflowPolicy overflow = OverflowPolicy::kPause;
  std::filesystem::path dead_letter_file;  // empty: what a receiver rejects for ever is dropped

  FileSettings file;
  HttpSinkSettings http;
  ForwardSinkSettings forward;
};

// What the flags say for every sink; a sink's own options override it.
struct SinkDefaults {
  std::vector<std::string> watch_types{"ADDED", "MODIFIED"};
  UpdatePolicy updates;
  bool existing = false;
  OverflowPolicy overflow = OverflowPolicy::kPause;
};

// A URL of --forward: stdout:, file:///path, http(s)://host/path, forward://host[:port][,host[:port]…] and
// forward+tls://…, with options as query parameters, percent-encoded; docs/forwarding.md lists them. Every parameter is
// an option of ours: what an http receiver itself wants as its query goes, encoded once more, into the option `query`.
// Fails with kConfiguration: what is wrong, and what to write. Secrets belong into files, so a URL with a user or a
// password is refused, and a message never shows a URL that has one.
Result<SinkSettings> ParseSinkUrl(std::string_view url, const SinkDefaults& defaults);

// The YAML of --forward-config: a list `sinks`, each with `name`, `url`, options under the same names, and `filter`
// with those that choose Events. The url of an http sink is taken as it is, with its query; those of others have none.
// `where`: for messages, the name of the file. Fails with kConfiguration, also where CheckDistinctSinks does.
Result<std::vector<SinkSettings>> ParseForwardConfig(std::string_view yaml, std::string_view where,
                                                     const SinkDefaults& defaults);

// Fails with kConfiguration where two of all sinks have the same id, under which their positions are kept, both write
// standard output, or write the same file: also where the rotation of one makes or deletes it, or it holds dead
// letters. Looks up symbolic links on the disk.
Result<void> CheckDistinctSinks(const std::vector<SinkSettings>& sinks);

// Fails with kConfiguration where the file or the dead-letter file of a sink is a device, a folder or anything else
// that is no regular file, or lies in a folder that does not exist. Looks at the disk and changes nothing there.
Result<void> CheckSinkFiles(const std::vector<SinkSettings>& sinks);

// "all", "first", "throttle:30s". Fails with kConfiguration.
Result<UpdatePolicy> ParseUpdatePolicy(std::string_view text);
// "pause", "drop-oldest". Fails with kConfiguration.
Result<OverflowPolicy> ParseOverflowPolicy(std::string_view text);
// Any of "ADDED", "MODIFIED" and "DELETED", at least one, each once. Fails with kConfiguration.
Result<std::vector<std::string>> ParseWatchTypes(const std::vector<std::string>& types);

}  // namespace kube_events
