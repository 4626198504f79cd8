#include "forward/name_lookup.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "kube_events/base/duration.h"
#include "kube_events/net/server_url.h"

namespace kube_events {

struct NameLookup::Job {
  explicit Job(std::string name) : host(std::move(name)) {}

  void Run() noexcept;
  int LookUp(std::vector<std::string>& found) const;

  const std::string host;
  std::mutex mutex;  // guards what follows
  std::condition_variable_any ended;
  std::optional<int> status;  // of getaddrinfo, once it has ended
  std::vector<std::string> addresses;
};

namespace {

Error Failure(std::string reason, std::string message) {
  return {.kind = ErrorKind::kRetry, .message = std::move(message), .reason = std::move(reason)};
}

constexpr std::string_view kAdvice = "; check the address and the DNS of this machine or pod";

}  // namespace

int NameLookup::Job::LookUp(std::vector<std::string>& found) const {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  const int result = ::getaddrinfo(host.c_str(), nullptr, &hints, &first);
  if (result != 0) return result;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(first, ::freeaddrinfo);
  for (const addrinfo* at = first; at != nullptr; at = at->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    const int named = ::getnameinfo(at->ai_addr, at->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    if (named == 0) found.emplace_back(text.data());
  }
  return found.empty() ? EAI_NONAME : 0;
}

void NameLookup::Job::Run() noexcept {
  std::vector<std::string> found;
  int result = EAI_MEMORY;
  try {
    result = LookUp(found);
  } catch (const std::exception&) {
    found.clear();
  }
  {
    const std::lock_guard lock(mutex);
    addresses = std::move(found);
    status = result;
  }
  ended.notify_all();
}

NameLookup::NameLookup(std::string host) : host_(std::move(host)) {}
NameLookup::~NameLookup() = default;

Result<void> NameLookup::Begin() {
  job_ = std::make_shared<Job>(host_);
  try {
    std::thread([job = job_] { job->Run(); }).detach();
  } catch (const std::system_error& error) {
    job_.reset();
    return Fail(Failure("connect", "cannot look up the host " + host_ + ": no thread could be started (" +
                                       error.code().message() + "); raise the limit of processes"));
  }
  return {};
}

Result<std::vector<std::string>> NameLookup::Concluded(const Job& job) const {
  if (*job.status == 0) return job.addresses;
  return Fail(Failure(
      "connect", "cannot resolve the host " + host_ + " (" + ::gai_strerror(*job.status) + ")" + std::string(kAdvice)));
}

Result<std::vector<std::string>> NameLookup::Addresses(const Patience& patience) {
  if (IsIpAddress(host_)) return std::vector<std::string>{host_};
  if (!job_) {
    if (auto begun = Begin(); !begun) return Fail(begun.error());
  }
  const std::shared_ptr<Job> job = job_;
  std::unique_lock lock(job->mutex);
  if (job->ended.wait_until(lock, patience.stop, patience.deadline, [&] { return job->status.has_value(); })) {
    job_.reset();
    return Concluded(*job);
  }
  if (patience.stop.stop_requested()) return Fail(ErrorKind::kCancelled, "looking up " + host_ + " was ended");
  return Fail(Failure("timeout", "the name server did not answer within " + FormatDuration(patience.allowed) +
                                     " when asked for the host " + host_ + std::string(kAdvice)));
}

}  // namespace kube_events
