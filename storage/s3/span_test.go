package s3

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// doer is an aws.HTTPClient.
type doer func() (*http.Response, error)

// Do implements aws.HTTPClient.
func (d doer) Do(*http.Request) (*http.Response, error) { return d() }

func TestTracedClient_records_the_result_without_the_address(t *testing.T) {
	t.Parallel()
	const object = "https://s3.example/bucket/a-name-of-theirs?X-Amz-Signature=abc"
	for name, test := range map[string]struct {
		response *http.Response
		err      error
		want     codes.Code
	}{
		"an answer": {&http.Response{StatusCode: http.StatusOK}, nil, codes.Unset},
		"a refusal": {&http.Response{StatusCode: http.StatusServiceUnavailable}, nil, codes.Error},
		"no answer": {nil, errors.New("Get " + object + ": connection reset"), codes.Error},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded := tracetest.NewInMemoryExporter()
			tracer := sdktrace.NewTracerProvider(sdktrace.WithSyncer(recorded)).Tracer("test")
			client := tracedClient{doer(func() (*http.Response, error) { return test.response, test.err }), tracer}
			ask := func(r *http.Request) {
				response, err := client.Do(r)
				if response != test.response || !errors.Is(err, test.err) {
					t.Errorf("got %v and %v, want what the client got", response, err)
				}
			}
			ctx, request := tracer.Start(t.Context(), "request")
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, object, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			ask(r.WithContext(t.Context())) // in no trace
			ask(r)
			spans := recorded.GetSpans()
			request.End()
			if len(spans) != 1 || spans[0].Status.Code != test.want || spans[0].Status.Description != "" {
				t.Fatalf("spans: got %v, want one with status %v and no text", spans, test.want)
			}
			for _, a := range spans[0].Attributes {
				if text := a.Value.String(); strings.Contains(text, "theirs") || strings.Contains(text, "abc") {
					t.Errorf("%s: got %q, want nothing of the object's address", a.Key, text)
				}
			}
		})
	}
}
