// The addresses of one host. getaddrinfo cannot be interrupted and takes half a minute where no name server answers, so
// it runs on a thread of its own that nobody waits for longer than they want: it ends by itself, keeps alive what it
// needs, and there is at most one for each object.
// Owned by a sink; its delivery thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forward/patience.h"
#include "kube_events/base/result.h"

namespace kube_events {

class NameLookup {
 public:
  // `host`: a name, or an address without brackets, which is not looked up.
  explicit NameLookup(std::string host);
  ~NameLookup();

  // At least one address in text form, in the order in which to try them. Blocks until they are there or `patience` is
  // over. A lookup that was given up is taken up by the next call. Fails with kRetry and reason "connect" or "timeout",
  // or with kCancelled.
  Result<std::vector<std::string>> Addresses(const Patience& patience);

 private:
  struct Job;
  Result<void> Begin();
  Result<std::vector<std::string>> Concluded(const Job& job) const;

  const std::string host_;
  std::shared_ptr<Job> job_;  // under way, or ended without anybody waiting; shared with its thread
};

}  // namespace kube_events
