// The tag by which Fluentd and Fluent Bit route records, made from a template. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube_events/base/result.h"
#include "kube_events/forward/record_format.h"

namespace kube_events {

class TagTemplate {
 public:
  // "kube.{namespace}.{type}": {namespace}, {type}, {reason} and {kind} stand for those of the Event. Fails with
  // kConfiguration on anything else in braces, on white space, control characters and an empty text.
  static Result<TagTemplate> Parse(std::string_view text);

  // What stands for a value is one part of a tag: letters, digits, '-' and '_', everything else as '_'; "_" for an
  // empty one; at most 64 bytes.
  std::string Fill(const RecordWriter::Facts& facts) const;
  // Whether it is the same for all Events.
  bool IsFixed() const;

 private:
  struct Part {
    std::string text;
    std::string_view RecordWriter::Facts::*value = nullptr;  // behind the text; null: nothing
  };
  std::vector<Part> parts_;
};

}  // namespace kube_events
