#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "kube_events/app/exporter.h"
#include "kube_events/base/file_descriptor.h"
#include "kube_events/base/signals.h"
#include "kube_events/net/cpprest_client.h"
#include "program.h"

namespace kube_events {
namespace {

// From SIGTERM to the end of the process; in good order it takes some milliseconds.
constexpr std::chrono::milliseconds kMaxEnding{1'900};
// More, where records are to be delivered or written to a disk first.
constexpr std::chrono::milliseconds kFlush{2'000};

constexpr std::string_view kProgram = "kube-events-exporter";

int Run(int argc, const char* const* argv) {
  Termination termination(kMaxEnding);
  InitialiseNetworking();
  const auto parsed = ParseExporterCommandLine({argv, static_cast<std::size_t>(argc)}, FromProcessEnvironment);
  if (!parsed) return Complain(kProgram, parsed.error());
  if (parsed->text) {
    std::fputs(parsed->text->c_str(), stdout);
    return 0;
  }
  const auto exporter = Exporter::Start(parsed->options, FromProcessEnvironment);
  if (!exporter) return Complain(kProgram, exporter.error());
  if (parsed->options.Forwards()) {
    termination.SetGrace(kMaxEnding + parsed->options.shutdown_timeout + kFlush);
    termination.OnHangup([raw = exporter->get()] { raw->Reopen(); });
  }
  termination.Wait();
  termination.OnHangup({});
  return (*exporter)->ExitCode();
}

}  // namespace

int RunExporter(int argc, const char* const* argv) {
  FillStandardStreams();
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
