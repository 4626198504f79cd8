#include "sim/http_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/json_text.h"

namespace kube_events::sim {
namespace {

constexpr std::size_t kChunkBytes = 2048;  // the buffer of Go's net/http

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
    case 413:
      return "Request Entity Too Large";
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
  if (reply.stream != nullptr || reply.body.size() > kChunkBytes) {
    AppendHeader(out, "Transfer-Encoding", "chunked");
  } else {
    AppendHeader(out, "Content-Length", std::to_string(reply.body.size()));
  }
  return out + "\r\n";
}

void AppendBody(std::string& out, const std::string& body) {
  if (body.size() <= kChunkBytes) {
    out += body;
    return;
  }
  for (std::size_t done = 0; done < body.size(); done += kChunkBytes) {
    const std::size_t size = std::min(kChunkBytes, body.size() - done);
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16);
    out.append(digits.data(), end.ptr).append("\r\n").append(body, done, size).append("\r\n");
  }
  out += "0\r\n\r\n";
}

}  // namespace kube_events::sim
