// One level of names and values, in the order in which they were given, as JSON or MessagePack. Owned by a
// RecordWriter, which uses it again for each record; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kube_events/base/clock.h"

namespace kube_events {

class FlatFields {
 public:
  void Clear() { fields_.clear(); }
  // Texts must stay where they are until the record is written. Left out where empty.
  void Text(std::string_view name, std::string_view text);
  void Number(std::string_view name, std::int64_t number);
  // Left out where unset.
  void Time(std::string_view name, OptionalTime time);

  void AppendJson(std::string& to) const;
  // Texts have to be UTF-8.
  void AppendMessagePack(std::string& to) const;

 private:
  struct Field {
    std::string_view name;  // ASCII without quotes
    std::variant<std::string_view, std::int64_t, WallTime> value;
  };
  std::vector<Field> fields_;
};

}  // namespace kube_events
