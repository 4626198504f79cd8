// Has the kernel find out about peers that are gone, for every connection that the process makes.
#pragma once

namespace kube_events {

// Links in the function that does it, which goes before the C library's connect() in the whole process.
void ProbeSilentPeers();

}  // namespace kube_events
