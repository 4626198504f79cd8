#include "forward/forward_answer.h"

#include <sstream>
#include <utility>

namespace kube_events {
namespace {

using nlohmann::json;

constexpr int kUnexpectedEnd = 110;  // nlohmann::json's number of this error

// Looks where a value ends, without building it: a few bytes may promise a deep nesting, on which the library would
// recurse.
class Shape final : public nlohmann::json_sax<json> {
 public:
  bool needs_more() const { return needs_more_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= AnswerReader::kMaxDepth; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ <= AnswerReader::kMaxDepth; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    needs_more_ = error.id == kUnexpectedEnd;
    return false;
  }

 private:
  int depth_ = 0;
  bool needs_more_ = false;
};

tl::unexpected<Error> Bad(std::string what) { return Fail(ErrorKind::kInvalid, std::move(what)); }

}  // namespace

Result<std::optional<json>> AnswerReader::Next() {
  if (unread_.empty()) return std::nullopt;
  std::istringstream input(unread_);
  Shape shape;
  if (!json::sax_parse(input, &shape, json::input_format_t::msgpack, false)) {
    if (!shape.needs_more()) return Bad("what is not MessagePack or is nested too deeply");
    if (unread_.size() > kMaxBytes) return Bad("more than " + std::to_string(kMaxBytes) + " bytes in one piece");
    return std::nullopt;
  }
  const auto end = static_cast<std::size_t>(input.tellg());
  json value = json::from_msgpack(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(end), true, false);
  if (value.is_discarded()) return Bad("what is not MessagePack");
  unread_.erase(0, end);
  return std::optional<json>(std::in_place, std::move(value));
}

std::optional<std::string> BytesOf(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_binary()) return std::string(value.get_binary().begin(), value.get_binary().end());
  return std::nullopt;
}

}  // namespace kube_events
