#include "sim/http_text.h"

#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Unknown";
  }
}

void AppendHeader(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string HttpHead(const Reply& reply, WallTime date, bool keep_alive) {
  std::string out = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  out.append(Reason(reply.status)).append("\r\n");
  AppendHeader(out, "Audit-Id", "00000000-0000-4000-8000-000000000000");
  AppendHeader(out, "Cache-Control", "no-cache, private");
  AppendHeader(out, "Content-Type", reply.content_type);
  AppendHeader(out, "Date", HttpDate(date));
  for (const auto& [name, value] : reply.headers) AppendHeader(out, name, value);
  if (!keep_alive) AppendHeader(out, "Connection", "close");
  if (reply.stream != nullptr) {
    AppendHeader(out, "Transfer-Encoding", "chunked");
  } else {
    AppendHeader(out, "Content-Length", std::to_string(reply.body.size()));
  }
  return out + "\r\n";
}

}  // namespace kube_events::sim
