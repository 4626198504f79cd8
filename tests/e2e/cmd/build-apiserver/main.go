// Command build-apiserver makes sure that the programs of the control plane
// are there before the tests run, outside the time limit of go test.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"kube-events-exporter/tests/e2e/internal/controlplane"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	binaries, err := controlplane.FindBinaries(ctx, "apiserver")
	if err != nil {
		fmt.Fprintln(os.Stderr, "build-apiserver:", err)
		os.Exit(1)
	}
	fmt.Println(binaries.APIServer)
	fmt.Println(binaries.Etcd)
}
