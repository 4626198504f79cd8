// The exporter as a whole: its parts, made in order and ended in reverse.
// Owned by main; used on the main thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kube_events/app/exporter_options.h"
#include "kube_events/base/result.h"

namespace kube_events {

class Exporter {
 public:
  // Finds the API server, starts to serve HTTP, then to list and watch. Fails with kConfiguration where flags, files
  // or environment are wrong (exit code 2) and with kRetry where a port is taken or not permitted (exit code 1). Waits
  // for no API server: that is what /healthz tells.
  static Result<std::unique_ptr<Exporter>> Start(const ExporterOptions& options, const Environment& environment);

  // 0, or 1 where a thread has failed; then the process was asked to end too.
  int ExitCode() const;

  // Unready first, then stops to watch, delivers what is queued, writes the last checkpoint, and stops to serve; at
  // most 2 s, and --shutdown-timeout more with --forward.
  ~Exporter();

  // SIGHUP: files that are written are opened anew. Any thread, does not block.
  void Reopen();

  // Where /metrics is served.
  std::uint16_t Port() const;

 private:
  struct Parts;
  explicit Exporter(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Everything that main does: parses, starts, waits, ends, and exits with the code of docs/cli.md; writes --help and
// --version to stdout and one line about a bad start to stderr.
[[noreturn]] int RunExporter(int argc, const char* const* argv);

}  // namespace kube_events
