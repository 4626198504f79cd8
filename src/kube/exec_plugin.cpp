#include "kube/exec_plugin.h"

#include <absl/time/time.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "kube/text.h"
#include "kube_events/base/text.h"

namespace kube_events {
namespace {

using nlohmann::json;

constexpr std::string_view kGroup = "client.authentication.k8s.io/";
constexpr std::chrono::seconds kSpacing{1};
constexpr std::size_t kMaxQuoted = 300;

tl::unexpected<Error> Invalid(std::string message) { return Fail(ErrorKind::kInvalid, std::move(message)); }

// A text of an object; nothing where it is missing, empty where it is something else.
std::optional<std::string> TextOf(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->is_string() ? found->get<std::string>() : std::string();
}

Result<OptionalTime> ParseExpiry(const json& status) {
  const auto text = TextOf(status, "expirationTimestamp");
  if (!text) return OptionalTime{};
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, *text, &time, nullptr)) {
    return Invalid("status.expirationTimestamp is no RFC 3339 time");
  }
  return OptionalTime{WallTime{std::chrono::microseconds{absl::ToUnixMicros(time)}}};
}

Result<ExecCredential> ParseStatus(const json& status) {
  ExecCredential credential;
  credential.token = Trimmed(TextOf(status, "token").value_or(""));
  credential.cert_pem = TextOf(status, "clientCertificateData").value_or("");
  credential.key_pem = TextOf(status, "clientKeyData").value_or("");
  if (credential.cert_pem.empty() != credential.key_pem.empty()) {
    return Invalid("status has one of clientCertificateData and clientKeyData; it must have both or none");
  }
  if (credential.token.empty() && credential.cert_pem.empty()) {
    return Invalid("status has neither a token nor a client certificate");
  }
  if (HasControlCharacter(credential.token)) return Invalid("status.token holds a control character");
  auto expires = ParseExpiry(status);
  if (!expires) return Fail(expires.error());
  credential.expires = *expires;
  return credential;
}

// What KUBERNETES_EXEC_INFO tells the plugin; a daemon has nobody to talk to.
json ExecInfo(const KubeconfigExec& exec, const KubeconfigCluster& cluster, const std::string& ca_pem) {
  json spec{{"interactive", false}};
  if (exec.provide_cluster_info) {
    json told{{"server", cluster.server}};
    if (!cluster.tls_server_name.empty()) told["tls-server-name"] = cluster.tls_server_name;
    if (cluster.insecure_skip_verify) told["insecure-skip-tls-verify"] = true;
    if (!ca_pem.empty()) told["certificate-authority-data"] = Base64Encoded(ca_pem);
    if (!cluster.proxy_url.empty()) told["proxy-url"] = cluster.proxy_url;
    if (!cluster.exec_config.empty()) told["config"] = json::parse(cluster.exec_config);
    spec["cluster"] = std::move(told);
  }
  return {{"apiVersion", exec.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}};
}

// Sets NAME=value, which goes before what the list has.
void SetVariable(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
}

}  // namespace

Result<ExecCredential> ParseExecCredential(std::string_view text, std::string_view api_version) {
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_object()) return Invalid("what it printed is no JSON object");
  if (TextOf(answer, "kind") != "ExecCredential") return Invalid("what it printed is no ExecCredential");
  if (TextOf(answer, "apiVersion") != api_version) {
    return Invalid("it printed an ExecCredential of another apiVersion than " + std::string(api_version) +
                   ", which the kubeconfig asks for");
  }
  const auto status = answer.find("status");
  if (status == answer.end() || !status->is_object()) return Invalid("the ExecCredential has no status");
  return ParseStatus(*status);
}

Result<Command> MakeExecCommand(const KubeconfigExec& exec, const KubeconfigCluster& cluster, const std::string& ca_pem,
                                std::vector<std::string> environment) {
  const auto bad = [](const std::string& message) { return Fail(ErrorKind::kConfiguration, message); };
  if (exec.command.empty()) return bad("has an exec without a command; name the program");
  if (exec.api_version != "client.authentication.k8s.io/v1" &&
      exec.api_version != "client.authentication.k8s.io/v1beta1") {
    return bad("has an exec with the apiVersion \"" + Shortened(exec.api_version, 100) + "\"; it must be " +
               std::string(kGroup) + "v1 or " + std::string(kGroup) + "v1beta1");
  }
  if (exec.interactive_mode == "Always") {
    return bad(
        "has an exec that asks questions (interactiveMode: Always), which nobody would answer here; use a plugin "
        "that works with interactiveMode: Never");
  }
  Command command;
  command.program = exec.command;
  command.arguments = exec.arguments;
  command.environment = std::move(environment);
  for (const auto& [name, value] : exec.environment) {
    if (name.empty() || name.find('=') != std::string::npos) {
      return bad("has an exec with a variable that has no usable name; env is a list of name and value");
    }
    SetVariable(command.environment, name, value);
  }
  SetVariable(command.environment, "KUBERNETES_EXEC_INFO", ExecInfo(exec, cluster, ca_pem).dump());
  return command;
}

class ExecPlugin::Worker {
 public:
  Worker(Command command, KubeconfigExec exec, const Clock& clock, Logger log)
      : command_(std::move(command)),
        exec_(std::move(exec)),
        clock_(clock),
        log_(std::move(log)),
        thread_([this](const std::stop_token& stop) { Run(stop); }) {}

  Result<ExecCredential> Get() {
    const std::lock_guard lock(mutex_);
    const WallTime now = clock_.Wall();
    const bool usable = credential_ && !refused_ && (!credential_->expires || now < *credential_->expires);
    if (!usable || (renew_at_ && now >= *renew_at_)) Want();
    if (usable) return *credential_;
    if (failure_) return Fail(ErrorKind::kRetry, *failure_);
    return Fail(ErrorKind::kRetry, "the exec plugin " + command_.program + " is being asked for credentials");
  }

  void Refresh() {
    const std::lock_guard lock(mutex_);
    refused_ = true;
  }

 private:
  // Called with the lock.
  void Want() {
    const MonotonicTime now = clock_.Monotonic();
    if (wanted_ || (ran_at_ && now - *ran_at_ < kSpacing)) return;
    wanted_ = true;
    wake_.notify_one();
  }

  void Run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return wanted_; })) {
      lock.unlock();
      auto credential = AskOrFail(stop);
      lock.lock();
      if (stop.stop_requested()) return;
      wanted_ = false;
      ran_at_ = clock_.Monotonic();
      Take(std::move(credential));
    }
  }

  // What is thrown, such as for want of memory, is one more failure: it must not end the process.
  Result<ExecCredential> AskOrFail(const std::stop_token& stop) const {
    try {
      return Ask(stop);
    } catch (const std::exception& error) {
      return Fail(ErrorKind::kRetry, std::string("asking it failed: ") + error.what());
    }
  }

  // Called without the lock.
  Result<ExecCredential> Ask(const std::stop_token& stop) const {
    auto result = RunCommand(command_, stop);
    if (!result) return Fail(result.error());
    if (result->exit_code != 0) {
      const std::string words = Shortened(Trimmed(result->last_words), kMaxQuoted);
      return Invalid("it ended with exit code " + std::to_string(result->exit_code) +
                     (words.empty() ? "" : ", saying: " + words));
    }
    auto credential = ParseExecCredential(result->output, exec_.api_version);
    const WallTime now = clock_.Wall();
    if (credential && credential->expires && *credential->expires <= now) {
      return Invalid("the credentials it printed have expired already; check the clocks");
    }
    return credential;
  }

  // Called with the lock.
  void Take(Result<ExecCredential> credential) {
    if (credential) {
      credential_ = std::move(*credential);
      refused_ = false;
      failure_.reset();
      const WallTime now = clock_.Wall();
      renew_at_.reset();
      if (credential_->expires) renew_at_ = now + (*credential_->expires - now) * 4 / 5;
      return;
    }
    std::string failure = "the exec plugin " + command_.program + " gave no credentials: " + credential.error().message;
    if (!exec_.install_hint.empty())
      failure += "; hint of the kubeconfig: " + Shortened(exec_.install_hint, kMaxQuoted);
    if (failure_ != failure) log_.Warn(failure);
    failure_ = std::move(failure);
  }

  const Command command_;
  const KubeconfigExec exec_;
  const Clock& clock_;
  const Logger log_;
  std::mutex mutex_;  // guards what follows, up to the thread
  std::condition_variable_any wake_;
  bool wanted_ = true;
  std::optional<MonotonicTime> ran_at_;
  std::optional<ExecCredential> credential_;
  OptionalTime renew_at_;
  bool refused_ = false;
  std::optional<std::string> failure_;  // of the last run
  std::jthread thread_;
};

ExecPlugin::ExecPlugin(Command command, KubeconfigExec exec, const Clock& clock, Logger log)
    : worker_(std::make_unique<Worker>(std::move(command), std::move(exec), clock, std::move(log))) {}
ExecPlugin::~ExecPlugin() = default;

Result<ExecCredential> ExecPlugin::Get() { return worker_->Get(); }
void ExecPlugin::Refresh() { worker_->Refresh(); }

namespace {

class ExecCredentials final : public Credentials {
 public:
  explicit ExecCredentials(std::shared_ptr<ExecPlugin> plugin) : plugin_(std::move(plugin)) {}

  Result<std::vector<HttpHeader>> Headers() override {
    const auto credential = plugin_->Get();
    if (!credential) return Fail(credential.error());
    if (credential->token.empty()) return std::vector<HttpHeader>{};
    return std::vector<HttpHeader>{{"Authorization", "Bearer " + credential->token}};
  }
  void Refresh() override { plugin_->Refresh(); }

 private:
  const std::shared_ptr<ExecPlugin> plugin_;  // shared with the TlsProvider, which needs its certificate
};

}  // namespace

std::unique_ptr<Credentials> MakeExecCredentials(std::shared_ptr<ExecPlugin> plugin) {
  return std::make_unique<ExecCredentials>(std::move(plugin));
}

}  // namespace kube_events
