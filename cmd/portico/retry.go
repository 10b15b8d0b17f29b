package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// retryDelays returns the delays between calls: a second at first, doubled up to maxRetryDelay.
func retryDelays() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: time.Second, Multiplier: 2, MaxInterval: maxRetryDelay, RandomizationFactor: backoff.DefaultRandomizationFactor,
	}
}

// retry calls work until it succeeds or returns an error that is final. Without an option that
// limits it, only the end of ctx does.
func retry(ctx context.Context, isFinal func(error) bool, work func() error, options ...backoff.RetryOption) error {
	var last error
	options = append([]backoff.RetryOption{backoff.WithBackOff(retryDelays()), backoff.WithMaxElapsedTime(0)}, options...)
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		last = work()
		if last != nil && isFinal(last) {
			return struct{}{}, backoff.Permanent(last)
		}
		return struct{}{}, last
	}, options...)
	if err != nil && ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), last)
	}
	return last
}

// untilResponse calls work again after a network error or a fault of the server, for at most
// maxStall.
func untilResponse(ctx context.Context, work func() error) error {
	isFinal := func(err error) bool { return isFinalResponse(err) || isPermanent(err) }
	return retry(ctx, isFinal, work, backoff.WithMaxElapsedTime(maxStall))
}

// retryTemporary calls work until it succeeds or gets a response that a later request would get
// again.
func retryTemporary(ctx context.Context, work func() error) error {
	return retry(ctx, func(err error) bool { return !isTemporary(err) }, work)
}

// retryWhenLimited calls work until it returns anything other than a 429. It waits as long as the
// server asks for, and at least a second: a rate limit always allows a request later.
func retryWhenLimited(ctx context.Context, work func() error) error {
	return retry(ctx, namesNoWait, func() error {
		err := work()
		refused, ok := errors.AsType[*refusedError](err)
		if !ok || refused.status != http.StatusTooManyRequests {
			return err
		}
		var wait struct {
			Seconds int `json:"retry_after_seconds"`
		}
		_ = json.Unmarshal(refused.body, &wait) // a response of a proxy need not be JSON
		return errors.Join(err, backoff.RetryAfter(max(1, wait.Seconds)))
	})
}

// repeatUntilResponse calls work again after a network error, after a fault of the server and when
// a rate limit refuses the request. An import takes hours, and one lost connection must not undo
// it. The request must be one that the server may get twice, because a response may be lost.
func repeatUntilResponse(ctx context.Context, work func() error) error {
	return retryWhenLimited(ctx, func() error { return untilResponse(ctx, work) })
}

// namesNoWait reports whether the error does not say when to try again.
func namesNoWait(err error) bool {
	_, ok := errors.AsType[*backoff.RetryAfterError](err)
	return !ok
}

// isFinalResponse reports whether an error of a call is a response that a repeated request would
// get again. A server that has no room has responded, too.
func isFinalResponse(err error) bool {
	refused, ok := errors.AsType[*refusedError](err)
	return ok && (refused.status < http.StatusInternalServerError || refused.status == http.StatusInsufficientStorage)
}

// isPermanent reports whether a call failed for a reason that a repeated call would meet again: the
// content of its response, or a file of this computer, for example because the disk is full or
// cannot be read.
func isPermanent(err error) bool {
	_, isOfContent := errors.AsType[*backoff.PermanentError](err)
	_, isOfFile := errors.AsType[*fs.PathError](err)
	return isOfContent || isOfFile
}

// isTemporary reports whether a call that failed with the error may succeed later.
func isTemporary(err error) bool {
	if refused, ok := errors.AsType[*refusedError](err); ok {
		return refused.isTemporary()
	}
	return !isPermanent(err)
}
