// The seam between what is delivered and where to. Implemented once per kind of receiver, owned by a SinkWorker and
// used on its delivery thread only.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <stop_token>

#include "kube_events/base/result.h"
#include "kube_events/forward/record.h"

namespace kube_events {

struct SendLimits {
  std::chrono::milliseconds timeout{10'000};  // for the whole batch, above 0
  std::stop_token stop = {};                  // ends it at once with kCancelled; some of it may have arrived
};

// The longest that a receiver's retry_after is obeyed.
inline constexpr std::chrono::minutes kMaxReceiverPause{10};

class Sink {
 public:
  virtual ~Sink() = default;
  // Hands the batch on, in order, and returns when all of it is safe: acknowledged, or written (and flushed to the
  // disk, where it is a file). Blocks until then. Fails as a whole, after which all or some of it may be sent again:
  //   kRetry, kUnauthenticated, kForbidden, kNotFound: the same batch again after a pause; retry_after is a floor, of
  //             which at most kMaxReceiverPause counts
  //   kInvalid: this batch will never be taken. Of more than one record, it is then cut in halves; a single one is put
  //             into the dead-letter file. `reason` is a label value: "too_large", "rejected"
  //   kCancelled: `stop`
  // The message says what, where and what to do, without secrets.
  virtual Result<void> Send(std::span<const RecordPtr> batch, const SendLimits& limits) = 0;
  // SIGHUP: files are opened anew before the next batch.
  virtual void Reopen() {}
};

}  // namespace kube_events
