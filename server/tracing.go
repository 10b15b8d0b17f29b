package server

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

// tracing sends spans to a collector: one of each request, and of the operations,
// statements, requests to S3 and jobs that it causes. They tell what is done and
// how long it takes, by words of ours: no path, query, header, address or text of
// a request. Nil traces nothing.
type tracing struct{ provider *sdktrace.TracerProvider }

// flushTime bounds the sending of the last spans: a collector that is away must
// not hold up the stop.
const flushTime = 5 * time.Second

// startTracing begins to trace where OpenTelemetry's own variables ask for it
// (OpenTelemetry specification, "Environment Variable Specification"), and
// returns nil where they do not. Nobody is connected to yet.
func startTracing(ctx context.Context) (*tracing, error) {
	wanted, err := tracesWanted()
	if !wanted {
		return nil, err
	}
	// What the environment says of the service counts more than what we do.
	service, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", "portico"), attribute.String("service.version", Version())),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	return &tracing{sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(service))}, nil
}

// tracesWanted tells whether the environment asks for traces, and refuses what
// it asks for in vain.
func tracesWanted() (bool, error) {
	variable, endpoint := firstSet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
	if endpoint == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false, nil
	}
	if err := checkEndpoint(endpoint); err != nil {
		return false, fmt.Errorf("%s: %w", variable, err)
	}
	if exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter != "" && exporter != "otlp" {
		return false, errors.New("OTEL_TRACES_EXPORTER: is not otlp or none")
	}
	variable, protocol := firstSet("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("%s: is not http/protobuf, mostly at port 4318", variable)
	}
	return true, nil
}

// checkEndpoint does not quote what it refuses: it may hold a password.
func checkEndpoint(endpoint string) error {
	if !strings.HasPrefix(endpoint, "http://") && !strings.HasPrefix(endpoint, "https://") {
		return errors.New("is not an http or https address")
	}
	return nil
}

// firstSet returns the first of the variables that is set, and its value.
func firstSet(variables ...string) (name, value string) {
	for _, name := range variables {
		if value := os.Getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// tracer returns what makes spans; nil where there is no tracing.
func (t *tracing) tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("portico")
}

// close sends the last spans.
func (t *tracing) close(log *slog.Logger) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		log.Warn("traces were lost", "error", err)
	}
}

// traced makes a span of each request, in the trace that its traceparent names.
func (t *tracing) traced(next http.Handler) http.Handler {
	tracer := t.tracer()
	if tracer == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		if isProbe(r) || isEndless(r) {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		method, answer := methodLabel(r.Method), watchStatus(w)
		ctx, span := tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
		defer func() { // also for an answer that is broken off by a panic
			route := routeLabel(r.URL.Path, chi.RouteContext(ctx).RoutePattern())
			span.SetName(method + " " + route)
			span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
				attribute.Int("http.response.status_code", answer.outcome(r)), attribute.String("portico.request_id", model.RequestID(ctx)))
			if answer.outcome(r) >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		next.ServeHTTP(answer, r.WithContext(ctx))
	})
}

// isProbe tells of requests that come every few seconds and say nothing.
func isProbe(r *http.Request) bool {
	return slices.Contains([]string{"/livez", "/readyz", "/metrics"}, r.URL.Path)
}

// isEndless tells of subscriptions, whose span would come when they end, hours
// later, with all that they ever did. Their operations have spans of their own.
// Agents ask for events with every call, which ends all the same.
func isEndless(r *http.Request) bool {
	call := r.Method == http.MethodPost && strings.HasSuffix(strings.TrimRight(r.URL.Path, "/"), "/mcp")
	return isStream(r) && !call
}
