package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"portico/storage"
)

// storeError wraps an error of the SDK in the matching error of this package. When the context
// has ended, it returns the context's error, which the SDK hides.
func storeError(ctx context.Context, err error) error {
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
	if kind := kindOf(err, status); kind != nil {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

// kindOf returns the error of this package that matches a response; nil for none. 0 means that
// there was no response.
func kindOf(err error, status int) error {
	type coded interface {
		error
		ErrorCode() string
	}
	if refusal, ok := errors.AsType[coded](err); ok && kinds[refusal.ErrorCode()] != nil {
		return kinds[refusal.ErrorCode()]
	}
	switch status {
	case http.StatusNotFound:
		return storage.ErrNotFound
	case http.StatusInsufficientStorage:
		return storage.ErrFull
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return nil // trying again would not help
	case 0,
		http.StatusUnauthorized, http.StatusForbidden,
		http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return storage.ErrUnavailable
	}
	if status >= http.StatusInternalServerError {
		return storage.ErrUnavailable
	}
	return nil
}

// kinds maps the codes that are more precise than the status beside them.
var kinds = map[string]error{
	"NoSuchBucket":         storage.ErrUnavailable, // says nothing about the object
	"NoSuchUpload":         storage.ErrUnavailable, // a repeated request to complete a multipart upload
	"ExpiredToken":         storage.ErrUnavailable,
	"InvalidToken":         storage.ErrUnavailable,
	"TokenRefreshRequired": storage.ErrUnavailable,
	"QuotaExceeded":        storage.ErrFull, // of Ceph
}
