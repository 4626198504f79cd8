#include "kube_events/kube/credentials.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/text.h"
#include "kube_events/base/files.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

constexpr std::chrono::seconds kSecretLifetime{60};
constexpr std::chrono::seconds kRefreshSpacing{1};

using Headers = std::vector<HttpHeader>;

class FixedCredentials final : public Credentials {
 public:
  explicit FixedCredentials(std::vector<HttpHeader> headers) : headers_(std::move(headers)) {}
  Result<std::vector<HttpHeader>> Headers() override { return headers_; }
  void Refresh() override {}

 private:
  const std::vector<HttpHeader> headers_;
};

// How messages call a secret.
struct SecretNames {
  std::string_view name;  // of the thing and of its file
  std::string_view full;
};
constexpr SecretNames kToken{"token", "bearer token"};
constexpr SecretNames kPassword{"password", "password"};

Result<std::string> CheckedSecret(std::string_view text, const std::string& from, const SecretNames& names) {
  const std::string_view secret = Trimmed(text);
  const std::string full(names.full);
  if (secret.empty()) return Fail(ErrorKind::kConfiguration, from + " is empty; put a " + full + " there");
  if (HasControlCharacter(secret)) {
    return Fail(ErrorKind::kConfiguration,
                from + " holds a line break or another control character inside; put one " + full + " there");
  }
  return std::string(secret);
}

HttpHeader BearerHeader(const std::string& token) { return {"Authorization", "Bearer " + token}; }

HttpHeader BasicHeader(const std::string& user, const std::string& password) {
  return {"Authorization", "Basic " + Base64Encoded(user + ":" + password)};
}

// A secret in a file: a token, or with a user the password.
class FileCredentials final : public Credentials {
 public:
  FileCredentials(std::filesystem::path path, std::optional<std::string> user, const Clock& clock, Logger log)
      : path_(std::move(path)),
        user_(std::move(user)),
        names_(user_ ? kPassword : kToken),
        clock_(clock),
        log_(std::move(log)) {}

  Result<std::vector<HttpHeader>> Headers() override {
    const std::lock_guard lock(mutex_);
    const MonotonicTime now = clock_.Monotonic();
    const auto max_age = stale_ ? kRefreshSpacing : kSecretLifetime;
    if (!read_at_ || now - *read_at_ >= max_age) {
      read_at_ = now;
      stale_ = false;
      auto secret = Read();
      const std::string before = std::exchange(failure_, secret ? std::string() : secret.error().message);
      if (secret) {
        secret_ = std::move(*secret);
      } else if (secret_.empty()) {
        return Fail(secret.error());
      } else if (failure_ != before) {
        log_.Warn("the " + std::string(names_.name) + " cannot be read again, the last one is kept",
                  {{"error", secret.error().message}});
      }
    }
    if (secret_.empty()) {
      return Fail(ErrorKind::kConfiguration, "there is no " + std::string(names_.name) + " in " + path_.string());
    }
    return std::vector<HttpHeader>{user_ ? BasicHeader(*user_, secret_) : BearerHeader(secret_)};
  }

  void Refresh() override {
    const std::lock_guard lock(mutex_);
    stale_ = true;
  }

 private:
  Result<std::string> Read() const {
    auto text = ReadSmallFile(path_);
    if (!text) return Fail(text.error());
    return CheckedSecret(*text, "the " + std::string(names_.name) + " file " + path_.string(), names_);
  }

  const std::filesystem::path path_;
  const std::optional<std::string> user_;
  const SecretNames names_;
  const Clock& clock_;
  const Logger log_;
  std::mutex mutex_;  // guards what follows
  std::string secret_;
  std::string failure_;  // of the last reading; logged once
  std::optional<MonotonicTime> read_at_;
  bool stale_ = false;  // the server refused it
};

Result<std::unique_ptr<Credentials>> MakeFileCredentials(std::filesystem::path path, std::optional<std::string> user,
                                                         const Clock& clock, Logger log) {
  auto credentials = std::make_unique<FileCredentials>(std::move(path), std::move(user), clock, std::move(log));
  if (auto headers = credentials->Headers(); !headers) return Fail(headers.error());
  return credentials;
}

class ImpersonatingCredentials final : public Credentials {
 public:
  ImpersonatingCredentials(std::unique_ptr<Credentials> inner, std::vector<HttpHeader> impersonation)
      : inner_(std::move(inner)), impersonation_(std::move(impersonation)) {}

  Result<std::vector<HttpHeader>> Headers() override {
    auto headers = inner_->Headers();
    if (headers) headers->insert(headers->end(), impersonation_.begin(), impersonation_.end());
    return headers;
  }
  void Refresh() override { inner_->Refresh(); }

 private:
  const std::unique_ptr<Credentials> inner_;
  const std::vector<HttpHeader> impersonation_;
};

}  // namespace

std::unique_ptr<Credentials> MakeAnonymousCredentials() {
  return std::make_unique<FixedCredentials>(std::vector<HttpHeader>{});
}

Result<std::unique_ptr<Credentials>> MakeTokenCredentials(std::string_view token) {
  auto checked = CheckedSecret(token, "the token", kToken);
  if (!checked) return Fail(checked.error());
  return std::make_unique<FixedCredentials>(std::vector<HttpHeader>{BearerHeader(*checked)});
}

Result<std::unique_ptr<Credentials>> MakeBasicCredentials(const std::string& user, const std::string& password) {
  if (HasControlCharacter(user) || HasControlCharacter(password)) {
    return Fail(ErrorKind::kConfiguration, "the username or password holds a line break or another control character");
  }
  return std::make_unique<FixedCredentials>(std::vector<HttpHeader>{BasicHeader(user, password)});
}

Result<std::unique_ptr<Credentials>> MakeTokenFileCredentials(std::filesystem::path path, const Clock& clock,
                                                              Logger log) {
  return MakeFileCredentials(std::move(path), std::nullopt, clock, std::move(log));
}

Result<std::unique_ptr<Credentials>> MakePasswordFileCredentials(std::string user, std::filesystem::path path,
                                                                 const Clock& clock, Logger log) {
  // RFC 7617, section 2: what is before the first colon is the user.
  if (user.find(':') != std::string::npos || HasControlCharacter(user)) {
    return Fail(ErrorKind::kConfiguration, "a user of basic authentication has no colon and no control character");
  }
  return MakeFileCredentials(std::move(path), std::move(user), clock, std::move(log));
}

std::unique_ptr<Credentials> MakeImpersonatingCredentials(std::unique_ptr<Credentials> inner,
                                                          std::vector<HttpHeader> impersonation) {
  return std::make_unique<ImpersonatingCredentials>(std::move(inner), std::move(impersonation));
}

}  // namespace kube_events
