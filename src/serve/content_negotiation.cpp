#include "kube_events/serve/content_negotiation.h"

#include <charconv>
#include <optional>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

std::string_view Unquote(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

// A weight of 0 to 1; 1 where it cannot be read, as for a client that sent none.
double ParseWeight(const std::string& text) {
  double weight = 1;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, weight, std::chars_format::fixed);
  return parsed.ec == std::errc() && parsed.ptr == end && weight >= 0 && weight <= 1 ? weight : 1;
}

// One element of a header's list: "application/openmetrics-text;version=1.0.0;q=0.75".
struct Element {
  std::string name;
  std::string version;  // of the parameter, if any
  double weight = 1;
};

Element ParseElement(std::string_view text) {
  Element element{.name = LowerAscii(Trimmed(TakeUntil(text, ';'))), .version = {}};
  while (!text.empty()) {
    std::string_view parameter = Trimmed(TakeUntil(text, ';'));
    const std::string key = LowerAscii(Trimmed(TakeUntil(parameter, '=')));
    if (key == "q") element.weight = ParseWeight(std::string(parameter));
    if (key == "version") element.version = Unquote(parameter);
  }
  return element;
}

// The weight of one offer: of the elements that match it, the most specific one counts.
struct Preference {
  double weight = 0;
  int specificity = 0;  // 0: not mentioned; 1: */*; 2: type/*; 3: by name

  void Consider(int candidate_specificity, double candidate_weight) {
    if (candidate_specificity == 0 || candidate_specificity < specificity) return;
    if (candidate_specificity > specificity || candidate_weight > weight) weight = candidate_weight;
    specificity = candidate_specificity;
  }
};

int Specificity(const Element& element, std::string_view type, std::string_view name, std::string_view version) {
  if (element.name == "*/*") return 1;
  if (element.name == std::string(type) + "/*") return 2;
  return element.name == name && (element.version.empty() || element.version == version) ? 3 : 0;
}

}  // namespace

ExpositionFormat NegotiateFormat(std::string_view accept) {
  Preference text;
  Preference open_metrics;
  while (!accept.empty()) {
    const Element element = ParseElement(TakeUntil(accept, ','));
    text.Consider(Specificity(element, "text", "text/plain", "0.0.4"), element.weight);
    open_metrics.Consider(Specificity(element, "application", "application/openmetrics-text", "1.0.0"), element.weight);
  }
  const bool wanted_more = open_metrics.weight > text.weight;
  const bool named_at_tie = open_metrics.weight > 0 && open_metrics.weight == text.weight &&
                            open_metrics.specificity == 3 && text.specificity < 3;
  return wanted_more || named_at_tie ? ExpositionFormat::kOpenMetrics : ExpositionFormat::kText;
}

bool WantsGzip(std::string_view accept_encoding) {
  std::optional<double> gzip;
  std::optional<double> any;
  double identity = 0;
  while (!accept_encoding.empty()) {
    const Element element = ParseElement(TakeUntil(accept_encoding, ','));
    if (element.name == "gzip" || element.name == "x-gzip") gzip = element.weight;
    if (element.name == "*") any = element.weight;
    if (element.name == "identity") identity = element.weight;
  }
  const double weight = gzip ? *gzip : any.value_or(0);
  return weight > 0 && weight >= identity;
}

}  // namespace kube_events
