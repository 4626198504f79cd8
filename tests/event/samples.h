// Events as recorders write them and API servers send them.
#pragma once

namespace kube_events::testing {

// client-go tools/record through core/v1.
inline constexpr const char* kRecorderEvent = R"({
  "kind": "Event", "apiVersion": "v1",
  "metadata": {
    "name": "web-7d4b9.17f1c2a3b4d5e6f7", "namespace": "shop", "uid": "0f8fad5b-d9cb-469f-a165-70867728950e",
    "resourceVersion": "48211", "creationTimestamp": "2026-01-02T03:04:05Z",
    "managedFields": [{"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": "2026-01-02T03:09:05Z",
      "fieldsType": "FieldsV1", "fieldsV1": {"f:count": {}, "f:involvedObject": {}, "f:source": {"f:component": {}}}}]
  },
  "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web-7d4b9", "apiVersion": "v1",
    "uid": "7c9e6679-7425-40de-944b-e07fc1f90ae7", "resourceVersion": "48100", "fieldPath": "spec.containers{web}"},
  "reason": "BackOff", "message": "Back-off restarting failed container \"web\"\nin pod web-7d4b9",
  "source": {"component": "kubelet", "host": "node-1"},
  "firstTimestamp": "2026-01-02T03:04:05Z", "lastTimestamp": "2026-01-02T03:09:05Z", "count": 12, "type": "Warning",
  "eventTime": null, "reportingComponent": "", "reportingInstance": ""
})";

// client-go tools/events through events.k8s.io/v1, with a series.
inline constexpr const char* kSeriesEvent = R"({
  "kind": "Event", "apiVersion": "events.k8s.io/v1",
  "metadata": {"name": "worker.17f1c2a3b4d5e6f8", "namespace": "default", "uid": "16fd2706-8baf-433b-82eb-8c7fada847da",
    "resourceVersion": "48300", "creationTimestamp": "2026-01-02T03:04:06Z"},
  "eventTime": "2026-01-02T03:04:05.678901Z", "series": {"count": 40, "lastObservedTime": "2026-01-02T03:34:05.678901Z"},
  "reportingController": "default-scheduler", "reportingInstance": "default-scheduler-cp-1", "action": "Scheduling",
  "reason": "FailedScheduling", "regarding": {"kind": "Deployment", "name": "worker", "apiVersion": "apps/v1"},
  "note": "0/3 nodes are available", "type": "Normal", "deprecatedSource": {},
  "deprecatedFirstTimestamp": null, "deprecatedLastTimestamp": null
})";

// A node's Event, which lives in namespace default without being about anything there; older writers leave out most.
inline constexpr const char* kNodeEvent = R"({
  "kind": "Event", "apiVersion": "events.k8s.io/v1",
  "metadata": {"name": "node-1.17f1c2a3b4d5e6f9", "namespace": "default", "resourceVersion": "48301"},
  "eventTime": null, "reason": "NodeNotReady", "regarding": {"kind": "Node", "name": "node-1"},
  "type": "Normal", "deprecatedSource": {"component": "node-controller"},
  "deprecatedFirstTimestamp": "2026-01-02T03:04:05Z", "deprecatedLastTimestamp": "2026-01-02T03:05:05Z",
  "deprecatedCount": 2
})";

}  // namespace kube_events::testing
