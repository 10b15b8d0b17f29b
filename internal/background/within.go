package background

import "context"

// Within calls step and returns its error, or the cause of the end of ctx if ctx ends first. Such a
// step goes on until the process ends.
func Within(ctx context.Context, step func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- step() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
