package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// retryDelays returns the delays between calls: a second at first, doubled up to MaxRetryDelay.
func retryDelays() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: time.Second, Multiplier: 2, MaxInterval: MaxRetryDelay, RandomizationFactor: backoff.DefaultRandomizationFactor,
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

// UntilResponse calls work again after a network error or a fault of the server, for at most
// MaxStall.
func UntilResponse(ctx context.Context, work func() error) error {
	isFinal := func(err error) bool { return IsFinalResponse(err) || isPermanent(err) }
	return retry(ctx, isFinal, work, backoff.WithMaxElapsedTime(MaxStall))
}

// retryTemporary calls work until it succeeds or gets a response that a later request would get
// again.
func retryTemporary(ctx context.Context, work func() error) error {
	return retry(ctx, func(err error) bool { return !isTemporary(err) }, work)
}

// RetryWhenLimited calls work until it returns anything other than a 429. It waits as long as the
// server asks for, and at least a second: a rate limit always allows a request later.
func RetryWhenLimited(ctx context.Context, work func() error) error {
	return retry(ctx, namesNoWait, func() error {
		err := work()
		refused, ok := errors.AsType[*RefusedError](err)
		if !ok || refused.Status != http.StatusTooManyRequests {
			return err
		}
		var wait struct {
			Seconds int `json:"retry_after_seconds"`
		}
		_ = json.Unmarshal(refused.Body, &wait) // a response of a proxy need not be JSON
		return errors.Join(err, backoff.RetryAfter(max(1, wait.Seconds)))
	})
}

// RepeatUntilResponse calls work again after a network error, after a fault of the server and when
// a rate limit refuses the request. An import takes hours, and one lost connection must not undo
// it. The request must be one that the server may get twice, because a response may be lost.
func RepeatUntilResponse(ctx context.Context, work func() error) error {
	return RetryWhenLimited(ctx, func() error { return UntilResponse(ctx, work) })
}

// namesNoWait reports whether the error does not say when to try again.
func namesNoWait(err error) bool {
	_, ok := errors.AsType[*backoff.RetryAfterError](err)
	return !ok
}

// IsFinalResponse reports whether an error of a call is a response that a repeated request would
// get again. A server that has no room has responded, too.
func IsFinalResponse(err error) bool {
	refused, ok := errors.AsType[*RefusedError](err)
	return ok && (refused.Status < http.StatusInternalServerError || refused.Status == http.StatusInsufficientStorage)
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
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.isTemporary()
	}
	return !isPermanent(err)
}

// undoTimeout limits the deletion of what a failed import or push has created.
const undoTimeout = 2 * time.Minute

// Deletions are the deletions of what a failed import or push has created.
type Deletions struct {
	// ended are the deletions that need no other attempt, by their description.
	ended map[string]bool
	// refused has the errors of deletions that would fail again. remaining has the errors of the
	// current round that may pass.
	refused, remaining []error
}

// DeleteInRounds calls round, which tries all deletions, until none of them could succeed later.
// It returns an error that names those that failed. It also runs after ctx has ended, for at most
// undoTimeout.
//
// A round sends one request for each deletion. If it repeated a request until it succeeds, a single
// space or file could use the time of all others.
func DeleteInRounds(ctx context.Context, round func(context.Context, *Deletions)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	d := &Deletions{ended: map[string]bool{}}
	_ = retryTemporary(ctx, func() error {
		d.remaining = nil
		round(ctx, d)
		return errors.Join(d.remaining...)
	})
	return errors.Join(append(d.refused, d.remaining...)...)
}

// Try carries out a deletion unless it has ended.
func (d *Deletions) Try(ctx context.Context, description string, work func() error) {
	if d.ended[description] {
		return
	}
	err := RetryWhenLimited(ctx, work)
	if err != nil {
		err = fmt.Errorf("%s: %w", description, err)
	}
	if err != nil && isTemporary(err) {
		d.remaining = append(d.remaining, err)
		return
	}
	if err != nil {
		d.refused = append(d.refused, err)
	}
	d.ended[description] = true
}
