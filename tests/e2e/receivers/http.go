package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	_ "github.com/redpanda-data/benthos/v4/public/components/io"
	_ "github.com/redpanda-data/benthos/v4/public/components/pure"
	"github.com/redpanda-data/benthos/v4/public/service"
)

// startHTTP takes JSON arrays at http://address/events.
func startHTTP(ctx context.Context, address string, out *printer) error {
	builder := service.NewStreamBuilder()
	input := fmt.Sprintf("http_server: {address: %q, path: /events, allowed_verbs: [POST]}", address)
	for _, err := range []error{
		builder.SetLoggerYAML("level: OFF"),
		builder.AddInputYAML(input),
		builder.AddProcessorYAML("unarchive: {format: json_array}"),
		builder.AddBatchConsumerFunc(func(_ context.Context, batch service.MessageBatch) error { return printBatch(batch, out) }),
	} {
		if err != nil {
			return err
		}
	}
	stream, err := builder.Build()
	if err != nil {
		return err
	}
	go func() {
		if err := stream.Run(ctx); err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, "receivers: http:", err)
			os.Exit(1)
		}
	}()
	return awaitListener(ctx, address)
}

func printBatch(batch service.MessageBatch, out *printer) error {
	var all []received
	for _, message := range batch {
		if err := message.GetError(); err != nil {
			return err
		}
		value, err := message.AsStructured()
		if err != nil {
			return err
		}
		record, is := value.(map[string]any)
		if !is {
			return fmt.Errorf("%T is no record", value)
		}
		all = append(all, received{Record: record})
	}
	return out.print(all)
}

// awaitListener returns once somebody listens at address.
func awaitListener(ctx context.Context, address string) error {
	for {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			return connection.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
