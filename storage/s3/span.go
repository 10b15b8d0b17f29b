package s3

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// tracedClient creates a span for each request to S3 that belongs to a trace, repeated
// requests included. A span ends with the headers of the response, and never contains the
// name of an object.
type tracedClient struct {
	aws.HTTPClient

	tracer trace.Tracer
}

// Do implements aws.HTTPClient.
func (c tracedClient) Do(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if !trace.SpanFromContext(ctx).IsRecording() {
		return c.HTTPClient.Do(r)
	}
	operation := middleware.GetOperationName(ctx) // as in S3's reference: PutObject
	_, span := c.tracer.Start(ctx, "S3 "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("rpc.system", "aws-api"), attribute.String("rpc.service", "S3"), attribute.String("rpc.method", operation),
		attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname()),
	))
	defer span.End()
	response, err := c.HTTPClient.Do(r)
	if err != nil {
		span.SetStatus(codes.Error, "") // the error's text has the address
		return response, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
	return response, nil
}
