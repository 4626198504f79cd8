// An InformerMonitor for tests that look at something else. No thread rules.
#pragma once

#include "kube_events/informer/informer_monitor.h"

namespace kube_events {

class SilentMonitor final : public InformerMonitor {
 public:
  void OnScopeState(const Scope&, const ScopeState&) override {}
  void OnRequest(std::string_view, RequestOutcome, const Error*) override {}
  void OnRelist(std::string_view) override {}
  void OnGap(const Scope&, std::chrono::milliseconds) override {}
  void OnFrame(const FrameType*, WallTime) override {}
};

}  // namespace kube_events
