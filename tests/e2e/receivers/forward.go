package main

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/fluentforwardreceiver"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// tagAttribute is where the Collector puts the tag of a record.
const tagAttribute = "fluent.tag"

// startForward listens at address and returns what ends it.
func startForward(ctx context.Context, address string, out *printer) (func(), error) {
	factory := fluentforwardreceiver.NewFactory()
	config := factory.CreateDefaultConfig().(*fluentforwardreceiver.Config)
	config.ListenAddress = address
	next, err := consumer.NewLogs(func(_ context.Context, logs plog.Logs) error { return out.print(records(logs)) })
	if err != nil {
		return nil, err
	}
	receiver, err := factory.CreateLogs(ctx, receivertest.NewNopSettings(factory.Type()), config, next)
	if err != nil {
		return nil, err
	}
	end := func() { _ = receiver.Shutdown(context.Background()) }
	return end, receiver.Start(ctx, componenttest.NewNopHost())
}

// records are those of logs, with the fields that the Collector has taken
// apart put together again.
func records(logs plog.Logs) []received {
	var all []received
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, log := range scope.LogRecords().All() {
				record := log.Attributes().AsRaw()
				tag, _ := record[tagAttribute].(string)
				delete(record, tagAttribute)
				if message := log.Body().AsString(); message != "" {
					record["message"] = message
				}
				all = append(all, received{Tag: tag, Time: log.Timestamp().AsTime(), Record: record})
			}
		}
	}
	return all
}
