#include "sim/api_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace kube_events::sim {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string Decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 && HexDigit(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string_view Request::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return {};
}

bool Request::QueryHas(std::string_view name) const {
  return std::any_of(query.begin(), query.end(), [&](const auto& term) { return term.first == name; });
}

bool Request::QueryIsTrue(std::string_view name) const {
  std::string value{Query(name)};
  std::transform(value.begin(), value.end(), value.begin(), [](unsigned char c) { return std::tolower(c); });
  return QueryHas(name) && value != "false" && value != "0";
}

std::optional<std::uint64_t> Request::QueryNumber(std::string_view name) const {
  const std::string_view text = Query(name);
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

void ParseTarget(Request& request) {
  const std::string_view target = request.target;
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = Decode(target.substr(0, mark), false);
  for (const std::string_view term : Split(target.substr(std::min(mark + 1, target.size())), '&')) {
    const std::size_t equal = std::min(term.find('='), term.size());
    request.query.emplace_back(Decode(term.substr(0, equal), true),
                               Decode(term.substr(std::min(equal + 1, term.size())), true));
  }
}

Reply JsonReply(std::string body, int status) {
  Reply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

Reply TextReply(std::string body, int status) {
  Reply reply = JsonReply(std::move(body), status);
  reply.content_type = "text/plain; charset=utf-8";
  return reply;
}

Reply StatusReply(const Status& status) {
  Reply reply = JsonReply(status.ToJson() + "\n", status.code);
  if (status.retry_after_seconds > 0) {
    reply.headers.emplace_back("Retry-After", std::to_string(status.retry_after_seconds));
  }
  return reply;
}

}  // namespace kube_events::sim
