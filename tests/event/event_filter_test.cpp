#include "kube_events/event/event_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kube_events {
namespace {

using Entries = std::vector<std::string>;

EventFilter Make(const EventFilterOptions& options) {
  Result<EventFilter> filter = EventFilter::Create(options);
  EXPECT_TRUE(filter.has_value()) << filter.error().message;
  return filter ? *filter : EventFilter{};
}

std::string ErrorOf(const EventFilterOptions& options) {
  const Result<EventFilter> filter = EventFilter::Create(options);
  EXPECT_FALSE(filter.has_value());
  if (filter) return "";
  EXPECT_EQ(filter.error().kind, ErrorKind::kConfiguration);
  return filter.error().message;
}

Event PodEvent() {
  Event event;
  event.type = "Warning";
  event.reason = "BackOff";
  event.involved = {.api_version = "v1", .kind = "Pod", .namespace_name = "shop", .name = "web"};
  event.reporting_controller = "kubelet";
  return event;
}

struct ListCase {
  const char* flag;
  Entries EventFilterOptions::*list;
  const char* value;  // what PodEvent has
};
const ListCase kLists[] = {
    {"--event-types", &EventFilterOptions::event_types, "Warning"},
    {"--involved-object-api-groups", &EventFilterOptions::involved_object_api_groups, "core"},
    {"--involved-object-namespaces", &EventFilterOptions::involved_object_namespaces, "shop"},
    {"--involved-object-kinds", &EventFilterOptions::involved_object_kinds, "Pod"},
    {"--reasons", &EventFilterOptions::reasons, "BackOff"},
    {"--reporting-controllers", &EventFilterOptions::reporting_controllers, "kubelet"},
};

EventFilter WithList(const ListCase& list, const Entries& entries) {
  EventFilterOptions options;
  options.*(list.list) = entries;
  return Make(options);
}

TEST(EventFilter, WithoutListsEverythingPasses) {
  EXPECT_TRUE(EventFilter{}.Passes(Event{}));
  EXPECT_TRUE(Make({}).Passes(PodEvent()));
}

TEST(EventFilter, AllowsLetOnlyTheirValuesPass) {
  for (const ListCase& list : kLists) {
    EXPECT_TRUE(WithList(list, {list.value}).Passes(PodEvent())) << list.flag;
    EXPECT_TRUE(WithList(list, {"zzz", list.value, "aaa"}).Passes(PodEvent())) << list.flag;
    EXPECT_FALSE(WithList(list, {"other"}).Passes(PodEvent())) << list.flag;
  }
}

TEST(EventFilter, DeniesKeepOnlyTheirValuesOut) {
  for (const ListCase& list : kLists) {
    EXPECT_FALSE(WithList(list, {std::string("!") + list.value}).Passes(PodEvent())) << list.flag;
    EXPECT_TRUE(WithList(list, {"!other"}).Passes(PodEvent())) << list.flag;
  }
}

TEST(EventFilter, ADenyOutweighsAnAllow) {
  for (const ListCase& list : kLists) {
    EXPECT_FALSE(WithList(list, {list.value, std::string("!") + list.value}).Passes(PodEvent())) << list.flag;
    EXPECT_TRUE(WithList(list, {list.value, "!other"}).Passes(PodEvent())) << list.flag;
    EXPECT_FALSE(WithList(list, {"another", "!other"}).Passes(PodEvent())) << list.flag;
  }
}

TEST(EventFilter, EveryListHasToLetAnEventPass) {
  EventFilterOptions options;
  for (const ListCase& list : kLists) options.*(list.list) = {list.value};
  EXPECT_TRUE(Make(options).Passes(PodEvent()));
  for (const ListCase& list : kLists) {
    EventFilterOptions narrower = options;
    narrower.*(list.list) = {"other"};
    EXPECT_FALSE(Make(narrower).Passes(PodEvent())) << list.flag;
  }
}

TEST(EventFilter, ValuesAreComparedAsAWhole) {
  EXPECT_FALSE(WithList(kLists[4], {"Back"}).Passes(PodEvent()));
  EXPECT_FALSE(WithList(kLists[4], {"backoff"}).Passes(PodEvent()));
}

TEST(EventFilter, BlanksAroundEntriesAreIgnored) {
  EXPECT_TRUE(WithList(kLists[4], {" BackOff "}).Passes(PodEvent()));
  EXPECT_FALSE(WithList(kLists[4], {" ! BackOff\t"}).Passes(PodEvent()));
}

TEST(EventFilter, CoreAndTheEmptyGroupAreTheCoreGroup) {
  Event deployment = PodEvent();
  deployment.involved.api_version = "apps/v1";
  for (const Entries& entries : {Entries{"core"}, Entries{""}}) {
    const EventFilter filter = WithList(kLists[1], entries);
    EXPECT_TRUE(filter.Passes(PodEvent()));
    EXPECT_FALSE(filter.Passes(deployment));
  }
  EXPECT_TRUE(WithList(kLists[1], {"apps"}).Passes(deployment));
  EXPECT_TRUE(WithList(kLists[1], {"!core"}).Passes(deployment));
}

TEST(EventFilter, AnEmptyNamespaceIsTheClusterScope) {
  Event node = PodEvent();
  node.namespace_name = "default";
  node.involved = {.api_version = "v1", .kind = "Node", .namespace_name = "", .name = "node-1"};
  EXPECT_TRUE(WithList(kLists[2], {""}).Passes(node));
  EXPECT_FALSE(WithList(kLists[2], {""}).Passes(PodEvent()));
  EXPECT_TRUE(WithList(kLists[2], {"", "shop"}).Passes(PodEvent()));
  EXPECT_FALSE(WithList(kLists[2], {"!"}).Passes(node));
  EXPECT_TRUE(WithList(kLists[2], {"!"}).Passes(PodEvent()));
  EXPECT_FALSE(WithList(kLists[2], {"default"}).Passes(node));
}

TEST(EventFilter, TheControllerFallsBackToTheSourceComponent) {
  Event event = PodEvent();
  event.reporting_controller = "";
  event.source_component = "kubelet";
  EXPECT_TRUE(WithList(kLists[5], {"kubelet"}).Passes(event));
}

TEST(EventFilter, BrokenEntriesAreNamedWithTheirFlag) {
  EXPECT_EQ(ErrorOf({.involved_object_api_groups = {"apps/v1"}}),
            "--involved-object-api-groups: entry \"apps/v1\": write the group without a version: apps");
  EXPECT_EQ(ErrorOf({.reasons = {"BackOff", ""}}), "--reasons: entry \"\": an empty entry matches nothing; remove it");
  EXPECT_EQ(ErrorOf({.event_types = {"!!Normal"}}),
            "--event-types: entry \"!!Normal\": only one ! may stand before a value");
  for (const EventFilterOptions& options :
       {EventFilterOptions{.event_types = {"!"}}, EventFilterOptions{.involved_object_kinds = {" "}},
        EventFilterOptions{.involved_object_api_groups = {"v1"}},
        EventFilterOptions{.involved_object_api_groups = {"Apps"}},
        EventFilterOptions{.involved_object_namespaces = {"Shop"}},
        EventFilterOptions{.involved_object_namespaces = {"a b"}},
        EventFilterOptions{.involved_object_namespaces = {"a.b"}},
        EventFilterOptions{.involved_object_namespaces = {"-shop"}},
        EventFilterOptions{.involved_object_api_groups = {"apps..k8s.io"}}, EventFilterOptions{.reasons = {"a\nb"}},
        EventFilterOptions{.reporting_controllers = {""}}}) {
    EXPECT_NE(ErrorOf(options).find("--"), std::string::npos);
  }
}

}  // namespace
}  // namespace kube_events
