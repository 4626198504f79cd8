package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// TestComponentsAreValidAndRestricted builds what kubectl apply -k builds, has
// the API server judge every object, and the admission of Pod Security the Pod.
func TestComponentsAreValidAndRestricted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := newApplier(b)
	for _, components := range [][]string{
		nil,
		{"checkpoint"},
		{"high-availability"},
		{"forwarding"},
		{"checkpoint", "forwarding"},
		{"checkpoint", "high-availability"},
	} {
		t.Run(strings.Join(append([]string{"base"}, components...), "+"), func(t *testing.T) {
			objects := built(t, components...)
			for _, object := range objects {
				if kind := object.GetKind(); kind == "Namespace" || kind == "ServiceAccount" {
					a.apply(object)
				}
			}
			for _, object := range objects {
				a.wouldApply(t, object)
			}
			a.wouldApply(t, podOf(t, objects))
		})
	}
}

// TestForwardingComponentHandsOn runs an exporter with the flags and the file
// that the component gives it.
func TestForwardingComponentHandsOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	place := strings.NewReplacer(
		"/etc/kube-events-exporter", filepath.Join(manifests, "forwarding"),
		"/var/lib/kube-events-exporter", t.TempDir())
	args := []string{"--namespaces=" + b.Namespace}
	for _, arg := range argsOf(t, built(t, "forwarding")) {
		if strings.HasPrefix(arg, "--forward") {
			args = append(args, place.Replace(arg))
		}
	}
	if len(args) != 3 {
		t.Fatalf("the component sets other flags than expected: %v", args)
	}
	b.startExporter(args...)
	b.Create(b.Record("handed-on", "HandedOn", 1, time.Now()))
	b.waitFor(countTimeout, func(context.Context) error {
		output := b.exporter.Process().LogTail(60)
		if !strings.Contains(output, `"reason":"HandedOn"`) {
			return fmt.Errorf("not on stdout: %s", output)
		}
		return nil
	})
}

// built is what kustomize makes of the shipped manifests with some components.
func built(t *testing.T, components ...string) []*unstructured.Unstructured {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "manifests"), os.DirFS(manifests)); err != nil {
		t.Fatal(err)
	}
	text := "resources: [manifests]\n"
	if len(components) > 0 {
		text += "components: [manifests/" + strings.Join(components, ", manifests/") + "]\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	for _, resource := range result.Resources() {
		content, err := resource.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(content); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// wouldApply has the API server check an object as if it were created.
func (a applier) wouldApply(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	kind := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		t.Fatal(err)
	}
	options := metav1.CreateOptions{
		FieldValidation: metav1.FieldValidationStrict,
		DryRun:          []string{metav1.DryRunAll},
	}
	resource := a.client.Resource(mapping.Resource)
	if object.GetNamespace() == "" {
		_, err = resource.Create(t.Context(), object, options)
	} else {
		_, err = resource.Namespace(object.GetNamespace()).Create(t.Context(), object, options)
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

func deploymentOf(t *testing.T, objects []*unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == "Deployment" {
			return object
		}
	}
	t.Fatal("the manifests hold no Deployment")
	return nil
}

// podOf is a Pod as the Deployment makes it.
func podOf(t *testing.T, objects []*unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	deployment := deploymentOf(t, objects)
	template, found, err := unstructured.NestedMap(deployment.Object, "spec", "template")
	if err != nil || !found {
		t.Fatal("the Deployment has no template: ", err)
	}
	pod := &unstructured.Unstructured{Object: template}
	pod.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	pod.SetName(deployment.GetName())
	pod.SetNamespace(deployment.GetNamespace())
	return pod
}

// argsOf are the flags that the exporter gets in the Pod.
func argsOf(t *testing.T, objects []*unstructured.Unstructured) []string {
	t.Helper()
	containers, _, err := unstructured.NestedSlice(deploymentOf(t, objects).Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) != 1 {
		t.Fatalf("the Deployment has %d containers, %v", len(containers), err)
	}
	args, _, err := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
	if err != nil {
		t.Fatal(err)
	}
	return args
}
