package live

import "context"

// Execution passes values between the schema of shared events and the resolver of a subscription.
// The generated Exec, which calls the resolver, passes nothing but the context, so the context
// carries it.
//
// the schema of shared events executes a subscription once to start it, and then once for each event that it
// encodes.
type Execution struct {
	// Event is the event to encode, which the resolver returns as its only event; nil when the
	// subscription starts.
	Event Content
	// Source is set by the resolver when the subscription starts; nil if the resolver refuses it.
	Source Source
}

// executionKey is the key of a context for a *Execution.
type executionKey struct{}

// WithExecution returns a context that carries s.
func WithExecution(ctx context.Context, s *Execution) context.Context {
	return context.WithValue(ctx, executionKey{}, s)
}

// eventToEncode returns a channel with the event that the schema of shared events encodes; nil if the
// subscription starts. The access to an event was checked when its subscriber received it.
func eventToEncode[E any](ctx context.Context) <-chan E {
	shared, ok := ctx.Value(executionKey{}).(*Execution)
	if !ok {
		return nil
	}
	event, ok := shared.Event.(E)
	if !ok {
		return nil
	}
	events := make(chan E, 1)
	events <- event
	close(events)
	return events
}

// eventsOf starts a subscription to the events of a source. It passes the source to
// the schema of shared events, which reads the events from it. For other callers it sends the events to the
// channel until ctx or the subscription ends.
func eventsOf[E any](ctx context.Context, source Source) <-chan E {
	events := make(chan E)
	if shared, ok := ctx.Value(executionKey{}).(*Execution); ok {
		shared.Source = source
		return events
	}
	go func() {
		defer close(events)
		for shared := source.Next(ctx); shared != nil; shared = source.Next(ctx) {
			event, _ := shared.Content.(E)
			select {
			case events <- event:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}
