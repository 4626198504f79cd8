// Events that a test writes itself, to know that everything before them was counted. Any thread.
#pragma once

#include "chaos/exporter_process.h"
#include "kube_events/base/clock.h"
#include "sim/event_object.h"
#include "sim/sim_server.h"

namespace kube_events::chaos {

// Each number once per server; `now`: of the cluster.
sim::EventObject MakeMarker(int number, WallTime now);

// Whether it was counted, and not only by the first pages of a list: so everything before it was too.
bool ShowsMarker(const Scrape& scrape, int number);

// Writes a marker, and waits up to 90 s until the exporter shows it and is healthy.
bool Settle(sim::SimServer& server, const ExporterProcess& exporter, int number);

// Markers are not part of the truth.
void RemoveMarkers(Scrape& scrape);

}  // namespace kube_events::chaos
