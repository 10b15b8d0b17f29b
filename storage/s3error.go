package storage

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// s3Error wraps an error of the SDK in the matching error of this package. When the context
// has ended, it returns the context's error, which the SDK hides.
func s3Error(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return nil
	}
	status := 0 // no response
	if response, ok := errors.AsType[*awshttp.ResponseError](err); ok {
		status = response.HTTPStatusCode()
	}
	if kind := s3Kind(err, status); kind != nil {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

// s3Kind returns the error of this package that matches a response; nil for none. 0 means that
// there was no response.
func s3Kind(err error, status int) error {
	type coded interface {
		error
		ErrorCode() string
	}
	if refusal, ok := errors.AsType[coded](err); ok && s3Codes[refusal.ErrorCode()] != nil {
		return s3Codes[refusal.ErrorCode()]
	}
	switch status {
	case http.StatusNotFound:
		return ErrNotFound
	case http.StatusInsufficientStorage:
		return ErrFull
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return nil // trying again would not help
	case 0,
		http.StatusUnauthorized, http.StatusForbidden,
		http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return ErrUnavailable
	}
	if status >= http.StatusInternalServerError {
		return ErrUnavailable
	}
	return nil
}

// s3Codes maps the codes that are more precise than the status beside them.
var s3Codes = map[string]error{
	"NoSuchBucket":         ErrUnavailable, // says nothing about the object
	"NoSuchUpload":         ErrUnavailable, // a repeated request to complete a multipart upload
	"ExpiredToken":         ErrUnavailable,
	"InvalidToken":         ErrUnavailable,
	"TokenRefreshRequired": ErrUnavailable,
	"QuotaExceeded":        ErrFull, // of Ceph
}
