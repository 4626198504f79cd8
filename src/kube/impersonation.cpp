#include "kube/impersonation.h"

#include "kube/text.h"
#include "kube_events/base/text.h"
#include "kube_events/net/http_headers.h"

namespace kube_events {
namespace {

tl::unexpected<Error> Bad(std::string message) { return Fail(ErrorKind::kConfiguration, std::move(message)); }

}  // namespace

Result<std::vector<HttpHeader>> ImpersonationHeaders(const KubeconfigImpersonation& impersonation) {
  std::vector<HttpHeader> headers;
  if (!impersonation.Any()) return headers;
  if (impersonation.user.empty()) return Bad("has as-uid, as-groups or as-user-extra without as; name the user in as");
  headers.push_back({"Impersonate-User", impersonation.user});
  if (!impersonation.uid.empty()) headers.push_back({"Impersonate-Uid", impersonation.uid});
  if (impersonation.groups.size() > 1) {
    return Bad("has several as-groups, of which only one can be sent; bind what is needed to one group or to the user");
  }
  for (const std::string& group : impersonation.groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, values] : impersonation.extra) {
    if (values.size() > 1) {
      return Bad("has several values for \"" + Shortened(key, 100) +
                 "\" in as-user-extra, of which only one can be sent");
    }
    const std::string name = "Impersonate-Extra-" + PercentEncoded(LowerAscii(std::string_view(key)));
    for (const std::string& value : values) headers.push_back({name, value});
  }
  if (!CheckHeaders(headers)) return Bad("impersonates with a control character in a name; remove it");
  return headers;
}

}  // namespace kube_events
