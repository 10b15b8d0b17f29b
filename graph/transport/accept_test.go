package transport

import "testing"

// TestPreferred has the Accept headers of the clients there are, and the corners
// of RFC 9110 section 12.5.1.
func TestPreferred(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, accept, want string }{
		{"no header", "", mediaJSON},
		{"anything", "*/*", mediaJSON},
		{"any application type", "application/*", mediaJSON},
		{"JSON", "application/json", mediaJSON},
		{"the new type", "application/graphql-response+json", mediaResponse},
		{"Apollo", "application/graphql-response+json,application/json;q=0.9", mediaResponse},
		{"graphql-http", "application/graphql-response+json, application/json", mediaResponse},
		{"urql", "application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed", mediaResponse},
		{"urql for subscriptions", "text/event-stream, multipart/mixed", mediaEvents},
		{"a browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", mediaJSON},
		{"EventSource", "text/event-stream", mediaEvents},
		{"events or anything", "*/*, text/event-stream", mediaEvents},
		{"events less than JSON", "text/event-stream;q=0.5, application/json", mediaJSON},
		{"the order decides among equals", "application/json, application/graphql-response+json", mediaJSON},
		{"all but JSON", "application/json;q=0, */*;q=0.1", mediaResponse},
		{"parameters and case", "Application/JSON; charset=utf-8", mediaJSON},
		{"something else", "text/html", ""},
		{"nonsense", ";;,", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, want := preferred([]string{test.accept}, mediaJSON, mediaResponse, mediaEvents), test.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
