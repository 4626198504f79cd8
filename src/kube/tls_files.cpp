#include "kube_events/kube/tls_files.h"

#include <memory>
#include <mutex>
#include <utility>

#include "kube_events/base/files.h"

namespace kube_events {
namespace {

Result<std::string> Read(const PemSource& source) {
  if (source.file.empty()) return source.pem;
  return ReadSmallFile(source.file);
}

Result<TlsSettings> ReadAll(const TlsSources& sources) {
  TlsSettings settings;
  settings.server_name = sources.server_name;
  settings.insecure_skip_verify = sources.insecure_skip_verify;
  auto ca = Read(sources.ca);
  if (!ca) return Fail(ca.error());
  settings.ca_pem = std::move(*ca);
  // Empty would mean the system's certificates, which is not what somebody wants who names a file.
  if (!sources.ca.file.empty() && settings.ca_pem.empty()) {
    return Fail(ErrorKind::kConfiguration, "the CA file " + sources.ca.file + " is empty");
  }
  auto cert = Read(sources.client_cert);
  if (!cert) return Fail(cert.error());
  settings.client_cert_pem = std::move(*cert);
  auto key = Read(sources.client_key);
  if (!key) return Fail(key.error());
  settings.client_key_pem = std::move(*key);
  return settings;
}

std::string FilesNamed(const TlsSources& sources) {
  std::string text;
  for (const PemSource* source : {&sources.ca, &sources.client_cert, &sources.client_key}) {
    if (!source->file.empty()) text += (text.empty() ? " (" : ", ") + source->file;
  }
  return text.empty() ? text : text + ")";
}

class RotatingTls {
 public:
  RotatingTls(TlsSources sources, Logger log) : sources_(std::move(sources)), log_(std::move(log)) {}

  Result<void> ReadFirst() {
    auto settings = ReadUsable();
    if (!settings) return Fail(settings.error());
    last_good_ = std::move(*settings);
    return {};
  }

  TlsSettings Current() {
    const std::lock_guard lock(mutex_);
    auto settings = ReadUsable();
    const std::string before = std::exchange(failure_, settings ? std::string() : settings.error().message);
    if (settings) {
      last_good_ = std::move(*settings);
    } else if (failure_ != before) {
      log_.Warn("TLS files cannot be used, the last good ones are kept", {{"error", settings.error().message}});
    }
    return last_good_;
  }

 private:
  Result<TlsSettings> ReadUsable() const {
    auto settings = ReadAll(sources_);
    if (!settings || *settings == last_good_) return settings;
    if (auto checked = CheckTlsSettings(*settings); !checked) {
      return Fail(ErrorKind::kConfiguration, checked.error().message + FilesNamed(sources_));
    }
    return settings;
  }

  const TlsSources sources_;
  const Logger log_;
  std::mutex mutex_;       // guards what follows
  std::string failure_;    // of the last reading; logged once
  TlsSettings last_good_;  // at first the defaults, which need no check
};

}  // namespace

Result<TlsProvider> MakeTlsFileProvider(TlsSources sources, Logger log) {
  // Shared by the copies of the provider, a std::function.
  const auto files = std::make_shared<RotatingTls>(std::move(sources), std::move(log));
  if (auto first = files->ReadFirst(); !first) return Fail(first.error());
  return TlsProvider([files] { return Result<TlsSettings>(files->Current()); });
}

}  // namespace kube_events
