package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// undoTimeout limits the deletion of what a failed import or push has created.
const undoTimeout = 2 * time.Minute

// undo deletes the created spaces and files, and returns an error that names those that remain. It
// also runs after ctx has ended, for at most undoTimeout.
//
// It tries all of them, and then again those whose deletion failed temporarily. If it repeated one
// request until it succeeds, a single space or file could use the time of all others.
func (i *importer) undo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	d := &deletions{ended: map[string]bool{}}
	for delay := time.Second; ; delay = min(2*delay, maxRetryDelay) {
		d.remaining = nil
		for _, id := range i.spaces {
			d.try(ctx, "delete the space "+id, func() error { return i.deleteSpace(ctx, id) })
		}
		for _, key := range i.files {
			d.try(ctx, "delete the file "+key, func() error { return i.remote.deleteFileOnce(ctx, key) })
		}
		if len(d.remaining) == 0 || sleep(ctx, delay) != nil {
			return errors.Join(append(d.refused, d.remaining...)...)
		}
	}
}

// deletions are the deletions of an undo.
type deletions struct {
	// ended are the deletions that need no other attempt, by their description.
	ended map[string]bool
	// refused has the errors of deletions that would fail again. remaining has the errors of the
	// current round that may pass.
	refused, remaining []error
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

// addFilesOf adds the plugins and assets of a created space to the files that undo deletes: they
// are files of the account, which outlive the space.
func (i *importer) addFilesOf(ctx context.Context, space string) error {
	pulled, err := i.remote.pull(ctx, space, false)
	if err != nil {
		return err
	}
	files, err := spaceURLs(pulled)
	errs := []error{err}
	for _, file := range files {
		_, path, ok := strings.Cut(file.URL, "/"+i.userID+"/")
		key, err := url.PathUnescape(path)
		errs = append(errs, err)
		if ok && err == nil && !slices.Contains(i.files, key) {
			i.files = append(i.files, key)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return &permanentError{err}
	}
	return nil
}

// deleteSpace deletes a space, if it exists, and adds its files to the files that undo deletes.
//
// The files outlive the space, and only the space has their keys. So it is kept until all of them
// are known.
func (i *importer) deleteSpace(ctx context.Context, id string) error {
	err := i.addFilesOf(ctx, id)
	if err != nil && !hasStatus(err, http.StatusNotFound) {
		return fmt.Errorf("it is kept, because its files are unknown: %w", err)
	}
	err = i.remote.call(ctx, http.MethodDelete, "/v1/spaces/"+id, nil, nil)
	if hasStatus(err, http.StatusNotFound) { // the answer to an earlier deletion was lost
		return nil
	}
	return err
}
