// kubeconfig files: any text gives access or one line that says what is wrong, and no secret is ever part of that line.
#include <string>

#include "fuzz/check.h"
#include "kube/kubeconfig.h"
#include "kube/kubeconfig_access.h"

namespace {

using kube_events::ErrorKind;
using kube_events::Kubeconfig;
using kube_events::fuzz::Check;

// Part of the tokens, passwords and keys that are looked for. What else a file may hold by chance is no secret.
constexpr std::string_view kSecret = "s3cr3t";

bool HasSecret(std::string_view text) { return text.find(kSecret) != text.npos; }

// `text`: the file.
void CheckKeepsSecrets(std::string_view text, std::string_view message, const Kubeconfig& config) {
  if (text.find(kSecret) != text.rfind(kSecret)) return;  // one of them may be a name
  for (const auto& [name, user] : config.users) {
    if (!HasSecret(user.token) && !HasSecret(user.password) && !HasSecret(user.key_data)) continue;
    Check(!HasSecret(message), "a message never holds a secret", message);
  }
}

// No file that a text names may be read here, and no plugin run.
bool ReachesOutside(const Kubeconfig& config) {
  for (const auto& [name, cluster] : config.clusters) {
    if (!cluster.ca_file.empty()) return true;
  }
  for (const auto& [name, user] : config.users) {
    if (user.exec || !user.token_file.empty() || !user.cert_file.empty() || !user.key_file.empty()) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kube_events::SystemClock clock;
  const std::string_view text = kube_events::fuzz::Text(data, size);
  const auto config = kube_events::ParseKubeconfig(text, "/nonexistent/config");
  if (!config) {
    Check(config.error().kind == ErrorKind::kConfiguration, "a bad file is a configuration error");
    Check(config.error().message.find("/nonexistent/config") != std::string::npos, "the message names the file");
    return 0;
  }
  if (ReachesOutside(*config)) return 0;
  kube_events::AccessOptions options;
  options.environment = [](const std::string&) { return std::nullopt; };
  const auto access = kube_events::AccessFromKubeconfig(*config, options, clock);
  if (!access) {
    Check(access.error().kind == ErrorKind::kConfiguration, "an unusable file is a configuration error");
    CheckKeepsSecrets(text, access.error().message, *config);
    return 0;
  }
  Check(!access->server.empty() && access->tls && access->credentials, "access is complete");
  for (const std::string& warning : access->warnings) CheckKeepsSecrets(text, warning, *config);
  CheckKeepsSecrets(text, access->description, *config);
  (void)access->credentials->Headers();
  return 0;
}
