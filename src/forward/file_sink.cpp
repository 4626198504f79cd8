#include <atomic>
#include <system_error>
#include <utility>

#include "kube_events/base/trouble_log.h"
#include "kube_events/forward/record_format.h"
#include "kube_events/forward/sinks.h"
#include "line_buffer.h"
#include "line_file.h"

namespace kube_events {
namespace {

class FileSink final : public Sink {
 public:
  FileSink(const SinkSettings& settings, SinkParts parts)
      : id_(settings.id),
        lines_({settings.format, std::move(parts.cluster_name)}),
        file_({settings.file.path, settings.file.max_bytes, settings.file.max_files, 0640}),
        trouble_(std::move(parts.log), parts.clock) {}

  Result<void> Send(std::span<const RecordPtr> batch, const SendLimits& limits) override {
    if (limits.stop.stop_requested()) return Fail(ErrorKind::kCancelled, "writing to a file was stopped");
    if (reopen_.exchange(false)) file_.Close();
    auto written = file_.Append(lines_.Write(batch));
    if (!file_.rotation_problem().empty()) trouble_.Note(file_.rotation_problem(), {{"sink", id_}});
    return written;
  }

  void Reopen() override { reopen_ = true; }

 private:
  const std::string id_;
  LineBuffer lines_;
  LineFile file_;
  TroubleLog trouble_;
  std::atomic<bool> reopen_{false};
};

tl::unexpected<Error> Unfit(const SinkSettings& settings, const std::string& why) {
  return Fail(ErrorKind::kConfiguration, "sink " + settings.id + ": " + why);
}

}  // namespace

Result<std::unique_ptr<Sink>> MakeFileSink(const SinkSettings& settings, SinkParts parts) {
  const FileSettings& file = settings.file;
  if (!file.path.has_filename()) return Unfit(settings, "no file is named; write file:///folder/name");
  std::error_code ignored;
  if (std::filesystem::is_directory(file.path, ignored)) {
    return Unfit(settings, file.path.string() + " is a folder; name a file in it");
  }
  if (file.max_files < 0) return Unfit(settings, "the number of rotated files is 0 or more");
  return std::make_unique<FileSink>(settings, std::move(parts));
}

}  // namespace kube_events
