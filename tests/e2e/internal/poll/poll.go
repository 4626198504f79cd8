// Package poll waits for conditions. Tests never sleep to let something
// happen: they name the condition and the time it may take.
package poll

import (
	"context"
	"fmt"
	"time"
)

const interval = 50 * time.Millisecond

// Until calls check until it returns nil. When the deadline passes, or ctx
// ends, it returns the last error of check, which says what was missing.
func Until(ctx context.Context, deadline time.Duration, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		// A check cut short by the deadline says less than the one before.
		if last == nil || ctx.Err() == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not within %v: %w", deadline, last)
		case <-ticker.C:
		}
	}
}
