package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// undoTimeout limits the deletion of what a failed import or push has created.
const undoTimeout = 2 * time.Minute

// deletions are the deletions of what a failed import or push has created.
type deletions struct {
	// ended are the deletions that need no other attempt, by their description.
	ended map[string]bool
	// refused has the errors of deletions that would fail again. remaining has the errors of the
	// current round that may pass.
	refused, remaining []error
}

// deleteInRounds calls round, which tries all deletions, until none of them could succeed later.
// It returns an error that names those that failed. It also runs after ctx has ended, for at most
// undoTimeout.
//
// A round sends one request for each deletion. If it repeated a request until it succeeds, a single
// space or file could use the time of all others.
func deleteInRounds(ctx context.Context, round func(context.Context, *deletions)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	d := &deletions{ended: map[string]bool{}}
	_ = retryTemporary(ctx, func() error {
		d.remaining = nil
		round(ctx, d)
		return errors.Join(d.remaining...)
	})
	return errors.Join(append(d.refused, d.remaining...)...)
}

// try carries out a deletion unless it has ended.
func (d *deletions) try(ctx context.Context, description string, work func() error) {
	if d.ended[description] {
		return
	}
	err := retryWhenLimited(ctx, work)
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
