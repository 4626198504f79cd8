// Times as text. A pure function, any thread.
#pragma once

#include <string>

#include "kube_events/base/clock.h"

namespace kube_events {

// Appends a time as Kubernetes' MicroTime, e.g. "2026-01-31T12:00:00.000000Z": RFC 3339 in UTC with six digits, always.
// Times outside of the years 0 to 9999, which RFC 3339 cannot express, become the nearest that it can.
void AppendTimestamp(std::string& out, WallTime time);

}  // namespace kube_events
