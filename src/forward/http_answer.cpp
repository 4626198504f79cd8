#include "forward/http_answer.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "kube_events/base/text.h"

namespace kube_events {
namespace {

constexpr std::size_t kShownBytes = 200;  // of the body, in a message

// A rule for the statuses from `first` to `last`; the first that fits is used.
struct Rule {
  int first;
  int last;
  ErrorKind kind;
  std::string_view reason;  // empty: the status
  std::string_view advice;
};

constexpr Rule kRules[] = {
    {300, 399, ErrorKind::kRetry, "redirect", "redirects are not followed; write the URL that it leads to"},
    {400, 400, ErrorKind::kInvalid, "rejected", "it does not take these records; its log may say why"},
    {401, 401, ErrorKind::kUnauthenticated, "",
     "it does not accept the credentials, which are read again from their files; check bearer-token-file, or "
     "basic-user and basic-password-file"},
    {403, 403, ErrorKind::kForbidden, "", "it does not allow these credentials to write here; allow it there"},
    {404, 404, ErrorKind::kNotFound, "", "it has nothing at the path of the URL; check the path"},
    {405, 405, ErrorKind::kRetry, "", "it takes no POST at the path of the URL; check the path"},
    {408, 408, ErrorKind::kRetry, "", "it did not get the whole request in time; check the network"},
    {413, 413, ErrorKind::kInvalid, "too_large",
     "it does not take requests of this size; lower batch-bytes or raise its limit"},
    {415, 415, ErrorKind::kRetry, "",
     "it does not take the format; JSON and gzip, where that is on, are what is sent: check the path, and gzip"},
    {422, 422, ErrorKind::kInvalid, "rejected", "it does not take these records; its log may say why"},
    {425, 425, ErrorKind::kRetry, "", "it is not ready yet"},
    {429, 429, ErrorKind::kRetry, "", "it asks for fewer requests"},
    {400, 499, ErrorKind::kRetry, "",
     "it does not like the request itself; check the URL and the options header and query"},
    {500, 599, ErrorKind::kRetry, "", "it cannot take Events at the moment; its log may say why"},
};

const Rule& RuleFor(int status) {
  static constexpr Rule kOther{0, 0, ErrorKind::kRetry, "", "this is no status that HTTP knows; check the URL"};
  const auto* found = std::find_if(std::begin(kRules), std::end(kRules),
                                   [status](const Rule& rule) { return rule.first <= status && status <= rule.last; });
  return found == std::end(kRules) ? kOther : *found;
}

}  // namespace

Result<void> JudgeHttpAnswer(const HttpResponse& answer, std::string_view receiver) {
  const int status = answer.head.status;
  if (status / 100 == 2) return {};
  const Rule& rule = RuleFor(status);
  Error error;
  error.kind = rule.kind;
  error.message =
      std::string(receiver) + " answered with HTTP status " + std::to_string(status) + ": " + std::string(rule.advice);
  const std::string said = Shortened(Trimmed(answer.body), kShownBytes);
  if (!said.empty()) error.message += ". It said: " + said;
  error.reason = rule.reason.empty() ? std::to_string(status) : std::string(rule.reason);
  if (answer.head.retry_after) {
    error.retry_after = std::min<std::chrono::milliseconds>(*answer.head.retry_after, kMaxReceiverPause);
  }
  return Fail(std::move(error));
}

// The words of Go's net/http, of nginx and of Apache's mod_ssl.
bool WantsTls(const HttpResponse& answer) {
  constexpr std::string_view kComplaints[] = {"HTTP request to an HTTPS server",
                                              "plain HTTP request was sent to HTTPS port",
                                              "speaking plain HTTP to an SSL-enabled server port"};
  return answer.head.status == 400 &&
         std::any_of(std::begin(kComplaints), std::end(kComplaints), [&answer](std::string_view complaint) {
           return std::string_view(answer.body).find(complaint) != std::string_view::npos;
         });
}

}  // namespace kube_events
