#include "kube_events/base/files.h"

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>

namespace kube_events {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;

tl::unexpected<Error> Bad(const std::filesystem::path& path, const std::string& why) {
  return Fail(ErrorKind::kConfiguration, "cannot read " + path.string() + ": " + why);
}

}  // namespace

Result<std::string> ReadSmallFile(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Bad(path, "it is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return Bad(path, std::generic_category().message(errno));
  std::string content(kMaxBytes + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (file.bad()) return Bad(path, "the read failed");
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() > kMaxBytes) return Bad(path, "it is larger than 1 MiB, so it cannot be what is expected");
  return content;
}

}  // namespace kube_events
