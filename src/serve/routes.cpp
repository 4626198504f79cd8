#include "kube_events/serve/routes.h"

#include <algorithm>

#include "kube_events/base/gzip.h"
#include "kube_events/serve/content_negotiation.h"

namespace kube_events {
namespace {

constexpr std::string_view kMetricsPath = "/metrics";

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

HttpReply HealthReply(const std::vector<std::string>& reasons) {
  if (reasons.empty()) return {.body = "ok\n"};
  HttpReply reply{.status = 503};
  for (std::string reason : reasons) {
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    reply.body += reason + '\n';
  }
  return reply;
}

HttpReply MetricsReply(const std::vector<const MetricSource*>& sources, const HttpQuery& query) {
  const ExpositionFormat format = NegotiateFormat(query.Header("Accept"));
  HttpReply reply{.content_type = std::string(ContentType(format)),
                  .body = RenderPage(sources, format),
                  .headers = {{"Vary", "Accept, Accept-Encoding"}}};
  if (WantsGzip(query.Header("Accept-Encoding"))) {
    reply.body = Gzip(reply.body);
    reply.headers.emplace_back("Content-Encoding", "gzip");
  }
  return reply;
}

}  // namespace

Route MetricsRoute(std::vector<const MetricSource*> sources) {
  return {"GET", std::string(kMetricsPath),
          [sources = std::move(sources)](const HttpQuery& query) { return MetricsReply(sources, query); }};
}

Route ReadyRoute(std::string path, const Health& health) {
  return {"GET", std::move(path), [&health](const HttpQuery&) { return HealthReply(health.NotReadyReasons()); }};
}

Route AliveRoute(std::string path, const Health& health) {
  return {"GET", std::move(path), [&health](const HttpQuery&) { return HealthReply(health.StuckLoops()); }};
}

std::vector<Route> HealthRoutes(const Health& health) {
  return {ReadyRoute("/healthz", health), ReadyRoute("/readyz", health), AliveRoute("/livez", health)};
}

Route IndexRoute(const IndexPage& page) {
  const std::string title = EscapeHtml(page.product);
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
                     "</title></head>\n<body><h1>" + title + "</h1>\n<p>Version " + EscapeHtml(page.version) +
                     "</p>\n<ul>\n";
  for (const std::string& path : page.paths) {
    html += "<li><a href=\"" + EscapeHtml(path) + "\">" + EscapeHtml(path) + "</a></li>\n";
  }
  html += "</ul></body></html>\n";
  return {"GET", "/", [html](const HttpQuery&) {
            return HttpReply{.content_type = "text/html; charset=utf-8",
                             .body = html,
                             .headers = {{"Content-Security-Policy", "default-src 'none'"}}};
          }};
}

}  // namespace kube_events
