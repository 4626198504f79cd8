// JSON lines to a file descriptor that somebody else reads as slowly as they like: what stdout is. Owned by a
// SinkWorker.
#pragma once

#include <memory>

#include "kube_events/base/result.h"
#include "kube_events/forward/record_format.h"
#include "kube_events/forward/sink.h"

namespace kube_events {

// `fd`: open for writing; stays the caller's. Its flags, which it may share with other processes, are left alone. What
// was written is never written again when the same batch is sent once more, and a line that was begun is always ended
// before another one. Fails with kConfiguration where `fd` is not open for writing.
Result<std::unique_ptr<Sink>> MakeDescriptorSink(int fd, RecordFormatOptions options);

}  // namespace kube_events
