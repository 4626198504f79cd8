// What clients of the HTTP server ask for: request targets, Accept headers, compression.
//   line: Accept; line: Accept-Encoding; the rest: a request target, also a text to compress
#include <array>
#include <cstdio>
#include <string>

#include "fuzz/check.h"
#include "kube_events/base/gzip.h"
#include "kube_events/base/text.h"
#include "kube_events/serve/content_negotiation.h"
#include "kube_events/serve/router.h"
#include "support/gunzip.h"

namespace {

using kube_events::ExpositionFormat;
using kube_events::NegotiateFormat;
using kube_events::WantsGzip;
using kube_events::fuzz::Check;

std::string Reversed(std::string_view list) {
  std::string reversed;
  while (!list.empty()) reversed = std::string(kube_events::TakeUntil(list, ',')) + "," + reversed;
  return reversed;
}

bool Mentions(std::string_view list, std::string_view word) {
  const std::string lower = kube_events::LowerAscii(list);
  return lower.find(word) != lower.npos || lower.find('*') != lower.npos;
}

void CheckNegotiation(std::string_view accept, std::string_view encoding) {
  const ExpositionFormat format = NegotiateFormat(accept);
  Check(NegotiateFormat(Reversed(accept)) == format, "the order of an Accept header means nothing", accept);
  Check(format == ExpositionFormat::kText || Mentions(accept, "openmetrics"), "OpenMetrics for who asks for it",
        accept);
  Check(!WantsGzip(encoding) || Mentions(encoding, "gzip"), "gzip for who asks for it", encoding);
}

std::string Escaped(char c) {
  std::array<char, 4> text{};
  std::snprintf(text.data(), text.size(), "%%%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return text.data();
}

void CheckTarget(std::string_view text) {
  const auto target = kube_events::ParseRequestTarget(text);
  if (!target) return;
  Check(target->path.starts_with('/'), "a path begins with a slash", text);
  std::string written;
  for (const char c : target->path) written += c == '/' ? "/" : Escaped(c);
  if (!target->query.empty()) written += "?" + target->query;
  const auto again = kube_events::ParseRequestTarget(written);
  Check(again && again->path == target->path && again->query == target->query, "a target reads back", written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kube_events::fuzz::Bytes bytes(data, size);
  const std::string_view accept = bytes.Until('\n');
  const std::string_view encoding = bytes.Until('\n');
  CheckNegotiation(accept, encoding);
  CheckTarget(bytes.Rest());
  const std::string text(bytes.Rest());
  Check(kube_events::Gunzip(kube_events::Gzip(text)) == text, "what was compressed reads back");
  return 0;
}
