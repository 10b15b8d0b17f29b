package graph

import "context"

// sharedSubscription passes values between sharedEventSchema and the resolver of a subscription.
// The generated Exec, which calls the resolver, passes nothing but the context, so the context
// carries it.
//
// sharedEventSchema executes a subscription once to start it, and then once for each event that it
// encodes.
type sharedSubscription struct {
	// event is the event to encode, which the resolver returns as its only event; nil when the
	// subscription starts.
	event subscriptionEvent
	// source is set by the resolver when the subscription starts; nil if the resolver refuses it.
	source eventSource
}

// sharedSubscriptionKey is the key of a context for a *sharedSubscription.
type sharedSubscriptionKey struct{}

// withSharedSubscription returns a context that carries s.
func withSharedSubscription(ctx context.Context, s *sharedSubscription) context.Context {
	return context.WithValue(ctx, sharedSubscriptionKey{}, s)
}

// eventToEncode returns a channel with the event that sharedEventSchema encodes; nil if the
// subscription starts. The access to an event was checked when its subscriber received it.
func eventToEncode[E any](ctx context.Context) <-chan E {
	shared, ok := ctx.Value(sharedSubscriptionKey{}).(*sharedSubscription)
	if !ok {
		return nil
	}
	event, ok := shared.event.(E)
	if !ok {
		return nil
	}
	events := make(chan E, 1)
	events <- event
	close(events)
	return events
}

// eventsOf starts a subscription to the events of a source. It passes the source to
// sharedEventSchema, which reads the events from it. For other callers it sends the events to the
// channel until ctx or the subscription ends.
func eventsOf[E any](ctx context.Context, source eventSource) <-chan E {
	events := make(chan E)
	if shared, ok := ctx.Value(sharedSubscriptionKey{}).(*sharedSubscription); ok {
		shared.source = source
		return events
	}
	go func() {
		defer close(events)
		for shared := source.next(ctx); shared != nil; shared = source.next(ctx) {
			event, _ := shared.event.(E)
			select {
			case events <- event:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}
