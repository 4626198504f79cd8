// Writes metrics as Prometheus text 0.0.4 or OpenMetrics 1.0, into one string.
// Functions without state; a MetricSource is owned by the composition root and must allow scrapes from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kube_events/metrics/catalog.h"
#include "prometheus/metric_family.h"

namespace kube_events {

enum class ExpositionFormat { kText, kOpenMetrics };

// The exact Content-Type of a format.
std::string_view ContentType(ExpositionFormat format);

// Something that has metrics.
class MetricSource {
 public:
  virtual ~MetricSource() = default;
  // Appends complete families. Any thread; does not block beyond a short lock.
  virtual void AppendTo(std::string& page, ExpositionFormat format) const = 0;
};

// The page of several sources, with the end mark where the format has one. No two sources may share a family.
std::string RenderPage(std::span<const MetricSource* const> sources, ExpositionFormat format);

// The HELP and TYPE lines of a family. `name` is the name of its samples: OpenMetrics' counter families lose _total.
void AppendFamilyHeader(std::string& page, ExpositionFormat format, std::string_view name, std::string_view type,
                        std::string_view help);
inline void AppendFamilyHeader(std::string& page, ExpositionFormat format, const MetricSpec& spec) {
  AppendFamilyHeader(page, format, spec.name, ToString(spec.kind), spec.help);
}

// A whole family of prometheus-cpp, its metrics sorted by their labels. Nothing where it has no metrics.
void AppendFamily(std::string& page, ExpositionFormat format, prometheus::MetricFamily family);

}  // namespace kube_events
