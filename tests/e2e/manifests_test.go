package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"kube-events-exporter/tests/e2e/internal/access"
	"kube-events-exporter/tests/e2e/internal/exporter"
)

const manifests = "../../manifests"

// shipped returns every object of the manifests in the order of the files.
func shipped(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(manifests + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		objects = append(objects, objectsIn(t, file)...)
	}
	return objects
}

func objectsIn(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if object.GetKind() != "" {
			objects = append(objects, object)
		}
	}
}

// applier creates objects as kubectl apply does, and has the API server refuse
// unknown fields.
type applier struct {
	*bench
	client dynamic.Interface
	mapper meta.RESTMapper
}

func newApplier(b *bench) applier {
	b.Helper()
	client, err := dynamic.NewForConfig(cluster.AdminConfig())
	if err != nil {
		b.Fatal(err)
	}
	groups, err := restmapper.GetAPIGroupResources(b.Client.Discovery())
	if err != nil {
		b.Fatal(err)
	}
	return applier{bench: b, client: client, mapper: restmapper.NewDiscoveryRESTMapper(groups)}
}

func (a applier) apply(objects ...*unstructured.Unstructured) {
	a.Helper()
	for _, object := range objects {
		kind := object.GroupVersionKind()
		mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			a.Fatal(err)
		}
		resource := dynamic.ResourceInterface(a.client.Resource(mapping.Resource))
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			resource = a.client.Resource(mapping.Resource).Namespace(object.GetNamespace())
		}
		strictly := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
		if _, err := resource.Create(a.Context(), object, strictly); err != nil && !apierrors.IsAlreadyExists(err) {
			a.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
}

// TestShippedManifestsAreValidAndSuffice gives an exporter the rights of the
// namespaced manifests first, then those of the cluster-wide ones.
func TestShippedManifestsAreValidAndSuffice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := newApplier(b)
	var later []*unstructured.Unstructured
	for _, object := range shipped(t) {
		if kind := object.GetKind(); kind == "Namespace" || kind == "ServiceAccount" {
			a.apply(object)
		} else {
			later = append(later, object)
		}
	}
	account := accountOf(t, later)
	for _, object := range objectsIn(t, manifests+"/namespaced/role.yaml") {
		object.SetNamespace(b.Namespace)
		a.apply(object)
	}
	b.countsAs(account, "first", "--namespaces="+b.Namespace)
	a.apply(later...)
	b.countsAs(account, "second")
}

// countsAs shows that a service account has the rights an exporter needs.
func (b *bench) countsAs(account *access.Account, name string, args ...string) {
	b.Helper()
	b.exporter = exporter.Launch(b.T, exporter.Command{Args: append(args, b.kubeconfigOf(account))})
	// The API server honours new rules a little later.
	b.exporter.WaitHealthy(b.T, grantTimeout)
	b.Create(b.Record(name, name, 1, time.Now()))
	b.waitFor(countTimeout, func(ctx context.Context) error {
		scrape, err := b.scrape(ctx)
		if err == nil && scrape.Counts[b.pod(name)] != 1 {
			err = fmt.Errorf("%v is not counted: %v", b.pod(name), b.counts(scrape))
		}
		return err
	})
}

// accountOf is the service account that the Deployment runs as.
func accountOf(t *testing.T, objects []*unstructured.Unstructured) *access.Account {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() != "Deployment" {
			continue
		}
		name, _, err := unstructured.NestedString(object.Object, "spec", "template", "spec", "serviceAccountName")
		if err != nil {
			t.Fatal(err)
		}
		account, err := access.ExistingServiceAccount(t.Context(), cluster.Client, object.GetNamespace(), name)
		if err != nil {
			t.Fatal(err)
		}
		return account
	}
	t.Fatal("the manifests hold no Deployment")
	return nil
}
