#include "kube_events/forward/dead_letter.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "kube_events/base/json_text.h"
#include "kube_events/base/timestamp.h"
#include "kube_events/forward/record_format.h"
#include "line_file.h"

namespace kube_events {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{32} << 20;

void AppendMember(std::string& line, std::string_view name, std::string_view text) {
  line.append(",\"").append(name).append("\":");
  AppendJsonString(line, text);
}

}  // namespace

struct DeadLetterFile::Impl {
  LineFile file;
  RecordWriter writer{RecordFormatOptions{}};
};

DeadLetterFile::DeadLetterFile(std::filesystem::path path)
    : impl_(new Impl{LineFile({std::move(path), kMaxBytes, kRotatedFiles, 0600})}) {}
DeadLetterFile::~DeadLetterFile() = default;

Result<void> DeadLetterFile::Check(const std::filesystem::path& path) {
  const auto unusable = [&path](const std::string& why) {
    return Fail(ErrorKind::kConfiguration, "the dead-letter file " + path.string() + " cannot be used: " + why);
  };
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    return unusable("it is no regular file; name another one");
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  const std::string problem = std::generic_category().message(errno);
  return unusable("its folder " + folder.string() + ": " + problem + "; make it, or name another one");
}

Result<void> DeadLetterFile::Append(std::string_view sink, const Error& why, const Record& record, WallTime now) {
  std::string line = R"({"time":")";
  AppendTimestamp(line, now);
  line += '"';
  AppendMember(line, "sink", sink);
  AppendMember(line, "reason", why.reason.empty() ? ToString(why.kind) : why.reason);
  AppendMember(line, "message", why.message);
  line += R"(,"record":)";
  impl_->writer.AppendJson(record, line);
  line += "}\n";
  return impl_->file.Append(line);
}

}  // namespace kube_events
