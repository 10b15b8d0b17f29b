package observe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"portico/model"
)

// Tracing sends spans to a collector: for each request, and for the operations, statements,
// requests to S3 and jobs that the request causes. Spans contain no path, query, header,
// address or text of a request. Nil means no tracing.
type Tracing struct{ provider *sdktrace.TracerProvider }

// flushTimeout limits the time to send the last spans, so that a collector that does not answer
// cannot delay the stop.
const flushTimeout = 5 * time.Second

// StartTracing starts tracing if OpenTelemetry's own variables enable it (OpenTelemetry
// specification, "Environment Variable Specification"), and returns nil otherwise. It
// does not connect to the collector yet.
func StartTracing(ctx context.Context, version string) (*Tracing, error) {
	wanted, err := tracingEnabled()
	if !wanted {
		return nil, err
	}
	// Later attributes override earlier ones, so the environment can override ours.
	service, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", "portico"), attribute.String("service.version", version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	return &Tracing{sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(service))}, nil
}

// tracingEnabled reports whether the environment enables traces. It returns an error
// for settings that the exporter does not support.
func tracingEnabled() (bool, error) {
	variable, endpoint := firstSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	if endpoint == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false, nil
	}
	if err := checkEndpoint(endpoint); err != nil {
		return false, fmt.Errorf("%s: %w", variable, err)
	}
	if exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter != "" && exporter != "otlp" {
		return false, errors.New("OTEL_TRACES_EXPORTER: must be otlp or none")
	}
	variable, protocol := firstSet("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("%s: must be http/protobuf, usually at port 4318", variable)
	}
	return true, nil
}

// checkEndpoint returns an error unless the endpoint is an http or https address. The error does
// not contain the endpoint, which may contain a password.
func checkEndpoint(endpoint string) error {
	if !strings.HasPrefix(endpoint, "http://") && !strings.HasPrefix(endpoint, "https://") {
		return errors.New("is not an http or https address")
	}
	return nil
}

// firstSet returns the first environment variable that is not empty; "" and "" if all are.
func firstSet(variables ...string) (name, value string) {
	for _, name := range variables {
		if value := os.Getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// Tracer returns the tracer of the program, or nil when tracing is off.
func (t *Tracing) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("portico")
}

// Close sends the last spans. Spans that the collector does not accept are lost.
func (t *Tracing) Close(ctx context.Context, log *slog.Logger) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		log.Warn("traces were lost", "error", err)
	}
}

// TraceRequests starts a span for each request, in the trace of its traceparent header (W3C Trace
// Context). A request of a client that sends no traceparent starts a trace of its own. A stream has
// no span, because it would arrive hours later; the operations of the stream have their own spans.
func (t *Tracing) TraceRequests(next http.Handler) http.Handler {
	tracer := t.Tracer()
	if tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		if isProbe(r) || IsStream(r) {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		method, response := methodLabel(r.Method), RecordStatus(w, r)
		ctx, span := tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
		defer func() { // deferred, so that a request that panics has a span too
			route := routeLabel(r.URL.Path, chi.RouteContext(ctx).RoutePattern())
			span.SetName(method + " " + route)
			span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
				attribute.Int("http.response.status_code", outcome(response, r)), attribute.String("portico.request_id", model.RequestID(ctx)))
			if outcome(response, r) >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		next.ServeHTTP(response, r.WithContext(ctx))
	})
}

// isProbe reports whether the request is a probe or a scrape. These arrive every few seconds and do
// not belong in traces.
func isProbe(r *http.Request) bool {
	return slices.Contains([]string{"/livez", "/readyz", "/metrics"}, r.URL.Path)
}
