// Package poll waits for conditions. Tests never sleep to let something
// happen: they name the condition and the time it may take.
package poll

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const interval = 50 * time.Millisecond

// Final marks an error that will not go away: Until returns it at once.
type Final struct{ Err error }

func (f Final) Error() string { return f.Err.Error() }

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
		if final := (Final{}); errors.As(err, &final) {
			return err
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
