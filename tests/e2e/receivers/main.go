// Command receivers runs receivers that others have written, so that what the
// exporter hands on is taken by more than this project's own idea of it:
//
//   - the OpenTelemetry Collector's receiver of the Fluent forward protocol,
//   - Benthos' HTTP server, which reads JSON arrays.
//
// Both acknowledge only what was printed: one line of JSON for each record.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "receivers:", err)
		os.Exit(1)
	}
}

func run() error {
	forward := flag.String("forward", "", "`HOST:PORT` of the forward protocol")
	http := flag.String("http", "", "`HOST:PORT` of HTTP; the path is /events")
	refuse := flag.Int("refuse", 0, "each receiver refuses so many batches before it takes one")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *forward != "" {
		end, err := startForward(ctx, *forward, newPrinter("forward", *refuse))
		if err != nil {
			return fmt.Errorf("forward: %w", err)
		}
		defer end()
	}
	if *http != "" {
		if err := startHTTP(ctx, *http, newPrinter("http", *refuse)); err != nil {
			return fmt.Errorf("http: %w", err)
		}
	}
	<-ctx.Done()
	return nil
}
