// Lets the HTTP library connect to IPv6 addresses.
#pragma once

namespace kube_events {

// The library hands the host of a URL to getaddrinfo as it stands, with brackets around an IPv6 address, which no
// resolver knows. This program therefore has a getaddrinfo of its own, which takes them off and asks the C library. To
// call this function is what links it in; it does nothing.
void ResolveBracketedNames();

}  // namespace kube_events
