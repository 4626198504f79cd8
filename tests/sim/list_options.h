// The query parameters of lists and watches: what they ask for, what contradicts itself, and the page that comes back.
// Pure functions, any thread. The rules are those of k8s.io/apiserver, found out by asking a kube-apiserver 1.36.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/api_request.h"
#include "sim/resource_request.h"
#include "sim/status.h"

namespace kube_events::sim {

// The revisions whose state can be read.
struct RevisionRange {
  std::uint64_t current = 0;
  std::uint64_t compacted = 0;
};

struct ListOptions {
  std::string prefix;          // of keys: "" or "namespace/"
  std::string start;           // the first key that may be returned; empty: this is the first page
  std::uint64_t revision = 0;  // the state to show
  std::size_t limit = 0;       // 0: all
  // Objects from `start` on; nothing where they have to be counted at `revision`, which is the current one then.
  std::optional<std::size_t> total;
};

// The refusal of parameters that are malformed or contradict each other; nothing where they can be carried out.
std::optional<Status> RefuseListParameters(const Request& request);
std::optional<Status> RefuseWatchParameters(const Request& request);

// What an accepted list is about; refuses bad continue tokens, and versions that are too old, too new or no version.
OrStatus<ListOptions> ReadListOptions(const Request& request, const ResourceRequest& resource, RevisionRange range);

// The resourceVersion of a watch, 0 where there is none; refuses what is no version.
OrStatus<std::uint64_t> ReadWatchVersion(const Request& request);

// How a page ended.
struct PageEnd {
  bool more = false;
  std::size_t items = 0;  // on the page
  std::string last_key;   // of the last of them
  std::size_t total = 0;  // from the start of the page on
  bool selected = false;  // by a selector: then nobody knows how many remain
};

// `{"kind":"EventList","apiVersion":"v1","metadata":{…},"items":[`
std::string ListHead(const ListOptions& options, const ResourceRequest& resource, const PageEnd& end);

}  // namespace kube_events::sim
