// The program fluent-bit-watcher as a whole: its parts, made in order and ended in reverse. Main thread.
#pragma once

namespace kube_events {

// Everything that main does: parses, starts, waits for the end of Fluent Bit, and returns the exit code of
// docs/fluent-bit-watcher.md; writes --help and --version to stdout and one line about bad flags to stderr.
int RunWatcher(int argc, const char* const* argv);

}  // namespace kube_events
