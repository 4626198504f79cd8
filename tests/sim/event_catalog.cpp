#include "sim/event_catalog.h"

namespace kube_events::sim {
namespace {

constexpr CatalogRow kCatalog[] = {
    {"kubelet", false, "v1", "Pod", "Normal", "Pulling", "", "Pulling image \"%i\"", 8},
    {"kubelet", false, "v1", "Pod", "Normal", "Pulled", "",
     "Container image \"%i\" already present on machine and can be accessed by the pod", 8},
    {"kubelet", false, "v1", "Pod", "Normal", "Created", "", "Created container: %c", 8},
    {"kubelet", false, "v1", "Pod", "Normal", "Started", "", "Started container %c", 8},
    {"kubelet", false, "v1", "Pod", "Normal", "Killing", "", "Stopping container %c", 4},
    {"kubelet", false, "v1", "Pod", "Warning", "BackOff", "",
     "Back-off restarting failed container %c in pod %p_%n(%u)", 9},
    {"kubelet", false, "v1", "Pod", "Warning", "Unhealthy", "",
     "Readiness probe failed: HTTP probe failed with statuscode: 503", 7},
    {"kubelet", false, "v1", "Pod", "Warning", "Failed", "", "Error: ImagePullBackOff", 3},
    {"kubelet", false, "v1", "Pod", "Warning", "FailedMount", "",
     "MountVolume.SetUp failed for volume \"config-%d\" : configmap \"%w-config\" not found", 2},
    {"kubelet", false, "v1", "Node", "Normal", "NodeHasSufficientMemory", "",
     "Node %o status is now: NodeHasSufficientMemory", 2},
    {"kubelet", false, "v1", "Node", "Warning", "ImageGCFailed", "",
     "failed to garbage collect required amount of images. Attempted to free %d00663296 bytes", 1},
    {"node-controller", false, "v1", "Node", "Normal", "NodeNotReady", "", "Node %o status is now: NodeNotReady", 2},
    {"node-controller", false, "v1", "Node", "Normal", "RegisteredNode", "",
     "Node %o event: Registered Node %o in Controller", 1},
    {"taint-eviction-controller", false, "v1", "Pod", "Normal", "TaintManagerEviction", "",
     "Marking for deletion Pod %n/%p", 1},
    {"deployment-controller", false, "apps/v1", "Deployment", "Normal", "ScalingReplicaSet", "",
     "Scaled up replica set %r from %d to 12", 4},
    {"replicaset-controller", false, "apps/v1", "ReplicaSet", "Normal", "SuccessfulCreate", "", "Created pod: %p", 5},
    {"replicaset-controller", false, "apps/v1", "ReplicaSet", "Normal", "SuccessfulDelete", "", "Deleted pod: %p", 3},
    {"job-controller", false, "batch/v1", "Job", "Normal", "Completed", "", "Job completed", 2},
    {"job-controller", false, "batch/v1", "Job", "Warning", "BackoffLimitExceeded", "",
     "Job has reached the specified backoff limit", 1},
    {"cronjob-controller", false, "batch/v1", "CronJob", "Normal", "SuccessfulCreate", "", "Created job %w-2934%d471",
     2},
    {"horizontal-pod-autoscaler", false, "autoscaling/v2", "HorizontalPodAutoscaler", "Warning",
     "FailedGetResourceMetric", "",
     "failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics "
     "API",
     3},
    {"horizontal-pod-autoscaler", false, "autoscaling/v2", "HorizontalPodAutoscaler", "Normal", "SuccessfulRescale", "",
     "New size: %d; reason: cpu resource utilization (percentage of request) above target", 2},
    {"persistentvolume-controller", false, "v1", "PersistentVolumeClaim", "Normal", "ExternalProvisioning", "",
     "Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the "
     "system administrator",
     2},
    {"default-scheduler", true, "v1", "Pod", "Normal", "Scheduled", "Binding", "Successfully assigned %n/%p to %o", 8},
    {"default-scheduler", true, "v1", "Pod", "Warning", "FailedScheduling", "Scheduling",
     "0/9 nodes are available: %d Insufficient cpu, 3 node(s) had untolerated taint "
     "{node-role.kubernetes.io/control-plane: }. preemption: 0/9 nodes are available: 3 Preemption is not helpful for "
     "scheduling, 6 No preemption victims found for incoming pod.",
     8},
    {"default-scheduler", true, "v1", "Pod", "Normal", "Preempted", "Preempting", "Preempted by pod %u on node %o", 1},
    {"kube-proxy", true, "v1", "Node", "Normal", "Starting", "StartKubeProxy", "Starting kube-proxy on %o", 1},
    {"cert-manager-certificates-issuing", true, "cert-manager.io/v1", "Certificate", "Normal", "Issuing", "Issuing",
     "The certificate has been successfully issued", 2},
    {"karpenter", true, "v1", "Node", "Normal", "DisruptionBlocked", "Disruption",
     "Node is nominated for a pending pod (Pod: %n/%p)", 2},
};

}  // namespace

std::span<const CatalogRow> EventCatalog() { return kCatalog; }

}  // namespace kube_events::sim
