#include "chaos/marker.h"

#include <algorithm>
#include <string>

#include "support/eventually.h"

namespace kube_events::chaos {
namespace {

constexpr char kPrefix[] = "Marker";

}  // namespace

sim::EventObject MakeMarker(int number, WallTime now) {
  sim::EventObject marker;
  marker.metadata.name = marker.reason = kPrefix + std::to_string(number);
  marker.involved_object.kind = "Pod";
  marker.involved_object.name = "marker";
  marker.type = "Normal";
  marker.count = 1;
  marker.first_time = marker.last_time = now;
  return marker;
}

bool ShowsMarker(const Scrape& scrape, int number) {
  const std::string reason = kPrefix + std::to_string(number);
  return scrape.watching && std::any_of(scrape.occurrences.begin(), scrape.occurrences.end(), [&](const auto& entry) {
           return entry.first.reason == reason && entry.second > 0;
         });
}

bool Settle(sim::SimServer& server, const ExporterProcess& exporter, int number) {
  server.Create(MakeMarker(number, SystemClock().Wall()));
  return Eventually(
      [&] {
        const auto scrape = exporter.Read();
        return scrape && ShowsMarker(*scrape, number) && exporter.Health() == 200;
      },
      std::chrono::seconds(90));
}

void RemoveMarkers(Scrape& scrape) {
  std::erase_if(scrape.occurrences, [](const auto& entry) { return entry.first.reason.starts_with(kPrefix); });
}

}  // namespace kube_events::chaos
