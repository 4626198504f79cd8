#include "sim/synthetic_cluster.h"

#include <array>
#include <chrono>
#include <string_view>

#include "sim/event_catalog.h"
#include "sim/managed_fields.h"

namespace kube_events::sim {
namespace {

constexpr std::array<std::string_view, 12> kNamespaces = {
    "shop",          "payments", "search", "kube-system", "monitoring",   "ingress-nginx",
    "data-platform", "ml-batch", "auth",   "ci-runners",  "cert-manager", "observability"};
constexpr std::array<std::string_view, 8> kWorkloads = {"frontend", "checkout-api", "worker",    "cache",
                                                        "indexer",  "gateway",      "reporting", "sync-agent"};

std::string NamespaceName(std::size_t index) {
  if (index < kNamespaces.size()) return std::string(kNamespaces[index]);
  std::string number = std::to_string(index);
  return "team-" + std::string(number.size() < 5 ? 5 - number.size() : 0, '0') + number;
}

}  // namespace

// What one Event is about.
struct SyntheticCluster::Subject {
  const Workload* workload = nullptr;
  std::string pod;
  std::string node;
  std::string name;            // of the involved object
  std::string namespace_name;  // "" for nodes
  std::string uid;
};

SyntheticCluster::SyntheticCluster(const ClusterOptions& options) : random_(options.seed), salt_(random_()) {
  for (std::size_t i = 0; i < options.namespaces; ++i) {
    for (const std::string_view name : kWorkloads) {
      workloads_.push_back({NamespaceName(i), std::string(name),
                            "registry.example.com/" + NamespaceName(i) + "/" + std::string(name) + ":v1." +
                                std::to_string(Draw(40)) + "." + std::to_string(Draw(9)),
                            Hex(10)});
    }
  }
  for (std::size_t i = 0; i < options.nodes; ++i) {
    nodes_.push_back("ip-10-0-" + std::to_string(i / 250) + "-" + std::to_string(i % 250 + 4) +
                     ".eu-central-1.compute.internal");
  }
  for (std::size_t row = 0; row < EventCatalog().size(); ++row) {
    rows_.insert(rows_.end(), static_cast<std::size_t>(EventCatalog()[row].weight), row);
  }
}

std::string SyntheticCluster::Hex(int digits) {
  std::string text;
  for (int i = 0; i < digits; ++i) text += "0123456789abcdef"[Draw(16)];
  return text;
}

// The same object has the same uid in all its Events.
std::string SyntheticCluster::Uid(const std::string& of) const {
  std::uint64_t hash = salt_;
  for (const char c : of) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  std::string uid = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
  for (char& c : uid) {
    if (c != 'x') continue;
    hash = hash * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    c = "0123456789abcdef"[hash >> 60U];
  }
  return uid;
}

SyntheticCluster::Subject SyntheticCluster::MakeSubject(const char* kind) {
  Subject subject;
  subject.workload = &workloads_[Draw(workloads_.size())];
  subject.node = nodes_[Draw(nodes_.size())];
  const std::string replica_set = subject.workload->name + "-" + subject.workload->hash;
  subject.pod = replica_set + "-" + Hex(5);
  const std::string_view word = kind;
  subject.namespace_name = word == "Node" ? "" : subject.workload->namespace_name;
  subject.name = word == "Node"         ? subject.node
                 : word == "Pod"        ? subject.pod
                 : word == "ReplicaSet" ? replica_set
                                        : subject.workload->name;
  subject.uid = word == "Node" ? subject.node : Uid(subject.namespace_name + "/" + subject.name);
  return subject;
}

std::string SyntheticCluster::Fill(const char* pattern, const Subject& subject) {
  std::string text;
  for (const char* c = pattern; *c != '\0'; ++c) {
    if (*c != '%') {
      text += *c;
      continue;
    }
    switch (*++c) {
      case 'p':
        text += subject.pod;
        break;
      case 'r':
        text += subject.workload->name + "-" + subject.workload->hash;
        break;
      case 'n':
        text += subject.workload->namespace_name;
        break;
      case 'o':
        text += subject.node;
        break;
      case 'i':
        text += subject.workload->image;
        break;
      case 'u':
        text += subject.uid;
        break;
      case 'd':
        text += std::to_string(Draw(9) + 1);
        break;
      default:
        text += subject.workload->name;
    }
  }
  return text;
}

EventObject SyntheticCluster::NewEvent(WallTime now) {
  const CatalogRow& row = EventCatalog()[rows_[Draw(rows_.size())]];
  const Subject subject = MakeSubject(row.kind);
  EventObject event;
  event.metadata.name = subject.name + "." + Hex(16);
  event.metadata.namespace_name = subject.namespace_name.empty() ? "default" : subject.namespace_name;
  event.involved_object = {row.kind,    subject.namespace_name, subject.name,
                           subject.uid, row.api_version,        std::to_string(1'000'000 + Draw(9'000'000)),
                           ""};
  event.reason = row.reason;
  event.type = row.type;
  event.message = Fill(row.message, subject);
  event.reporting_controller = row.component;
  const bool on_node = std::string_view(row.component) == "kubelet";
  if (on_node && std::string_view(row.kind) == "Pod") {
    event.involved_object.field_path = "spec.containers{" + subject.workload->name + "}";
  }
  if (row.events_v1) {
    event.event_time = now;
    event.action = row.action;
    event.reporting_instance = std::string(row.component) + "-ip-10-0-0-" + std::to_string(Draw(3) + 4);
  } else {
    event.first_time = WallTime{std::chrono::floor<std::chrono::seconds>(now)};
    event.last_time = event.first_time;
    event.count = 1;
    event.source_component = row.component;
    if (on_node) event.source_host = subject.node;
    event.reporting_instance = event.source_host;
  }
  event.metadata.managed_fields = RecorderManagedFields(row.component, row.events_v1, now);
  return event;
}

}  // namespace kube_events::sim
