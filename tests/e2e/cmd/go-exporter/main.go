// Command go-exporter counts Kubernetes Events as a Go developer would: with
// client-go's SharedInformer and client_golang, as their documentation shows
// them and with their defaults. scripts/bench.sh measures the exporter beside
// it. It is no product: where an Event is re-created or begins again, or after
// a gap, it counts wrong.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os/signal"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var eventsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "kube_events_total",
	Help: "Occurrences of Kubernetes Events since this process began to watch.",
}, []string{"type", "involved_object_namespace", "involved_object_kind", "reason"})

func main() {
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file")
	listen := flag.String("listen", ":8080", "address of /metrics and /healthz")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, *kubeconfig, *listen); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kubeconfig, listen string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Events().Informer()
	registration, err := informer.AddEventHandler(countingHandler())
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())

	prometheus.MustRegister(eventsTotal)
	http.Handle("/metrics", promhttp.Handler())
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		if !registration.HasSynced() {
			http.Error(w, "the first list is not complete", http.StatusServiceUnavailable)
		}
	})
	server := &http.Server{Addr: listen}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// countingHandler takes what the first list shows as the baseline, whose
// series begin at 0, and counts from there.
func countingHandler() cache.ResourceEventHandlerDetailedFuncs {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isInInitialList bool) {
			event := object.(*corev1.Event)
			if isInInitialList {
				count(event, 0)
			} else {
				count(event, occurrences(event))
			}
		},
		UpdateFunc: func(before, after any) {
			event := after.(*corev1.Event)
			if rise := occurrences(event) - occurrences(before.(*corev1.Event)); rise > 0 {
				count(event, rise)
			}
		},
	}
}

func occurrences(event *corev1.Event) int32 {
	if event.Series != nil {
		return max(1, event.Count, event.Series.Count)
	}
	return max(1, event.Count)
}

func count(event *corev1.Event, n int32) {
	object := event.InvolvedObject
	eventsTotal.WithLabelValues(event.Type, object.Namespace, object.Kind, event.Reason).Add(float64(n))
}
