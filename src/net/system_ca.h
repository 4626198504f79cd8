// Where the certificates are that the system trusts.
#pragma once

#include <string>

namespace kube_events {

// The path of the system's CA bundle, as it was before InitialiseNetworking changed the environment. Any thread.
std::string SystemCaBundle();

}  // namespace kube_events
