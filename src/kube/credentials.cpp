#include "kube_events/kube/credentials.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/files.h"
#include "kube/text.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

constexpr std::chrono::seconds kTokenLifetime{60};
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

Result<std::string> CheckedToken(std::string_view text, const std::string& from) {
  const std::string_view token = Trimmed(text);
  if (token.empty()) return Fail(ErrorKind::kConfiguration, from + " is empty; put a bearer token there");
  if (HasControlCharacter(token)) {
    return Fail(ErrorKind::kConfiguration,
                from + " holds a line break or another control character inside; put one bearer token there");
  }
  return std::string(token);
}

HttpHeader BearerHeader(const std::string& token) { return {"Authorization", "Bearer " + token}; }

class TokenFileCredentials final : public Credentials {
 public:
  TokenFileCredentials(std::filesystem::path path, const Clock& clock, Logger log)
      : path_(std::move(path)), clock_(clock), log_(std::move(log)) {}

  Result<std::vector<HttpHeader>> Headers() override {
    const std::lock_guard lock(mutex_);
    const MonotonicTime now = clock_.Monotonic();
    const auto max_age = stale_ ? kRefreshSpacing : kTokenLifetime;
    if (!read_at_ || now - *read_at_ >= max_age) {
      read_at_ = now;
      stale_ = false;
      auto token = Read();
      const std::string before = std::exchange(failure_, token ? std::string() : token.error().message);
      if (token) {
        token_ = std::move(*token);
      } else if (token_.empty()) {
        return Fail(token.error());
      } else if (failure_ != before) {
        log_.Warn("the token cannot be read again, the last one is kept", {{"error", token.error().message}});
      }
    }
    if (token_.empty()) return Fail(ErrorKind::kConfiguration, "there is no token in " + path_.string());
    return std::vector<HttpHeader>{BearerHeader(token_)};
  }

  void Refresh() override {
    const std::lock_guard lock(mutex_);
    stale_ = true;
  }

 private:
  Result<std::string> Read() const {
    auto text = ReadSmallFile(path_);
    if (!text) return Fail(text.error());
    return CheckedToken(*text, "the token file " + path_.string());
  }

  const std::filesystem::path path_;
  const Clock& clock_;
  const Logger log_;
  std::mutex mutex_;  // guards what follows
  std::string token_;
  std::string failure_;  // of the last reading; logged once
  std::optional<MonotonicTime> read_at_;
  bool stale_ = false;  // the server refused it
};

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
  auto checked = CheckedToken(token, "the token");
  if (!checked) return Fail(checked.error());
  return std::make_unique<FixedCredentials>(std::vector<HttpHeader>{BearerHeader(*checked)});
}

Result<std::unique_ptr<Credentials>> MakeBasicCredentials(const std::string& user, const std::string& password) {
  if (HasControlCharacter(user) || HasControlCharacter(password)) {
    return Fail(ErrorKind::kConfiguration, "the username or password holds a line break or another control character");
  }
  HttpHeader header{"Authorization", "Basic " + Base64Encoded(user + ":" + password)};
  return std::make_unique<FixedCredentials>(std::vector<HttpHeader>{std::move(header)});
}

Result<std::unique_ptr<Credentials>> MakeTokenFileCredentials(std::filesystem::path path, const Clock& clock,
                                                              Logger log) {
  auto credentials = std::make_unique<TokenFileCredentials>(std::move(path), clock, std::move(log));
  if (auto headers = credentials->Headers(); !headers) return Fail(headers.error());
  return credentials;
}

std::unique_ptr<Credentials> MakeImpersonatingCredentials(std::unique_ptr<Credentials> inner,
                                                          std::vector<HttpHeader> impersonation) {
  return std::make_unique<ImpersonatingCredentials>(std::move(inner), std::move(impersonation));
}

}  // namespace kube_events
