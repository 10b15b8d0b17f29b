package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cenkalti/backoff/v5"
)

// undo deletes the created spaces and files, and returns an error that names those that remain. It
// also runs after ctx has ended.
func (i *importer) undo(ctx context.Context) error {
	return deleteInRounds(ctx, func(ctx context.Context, d *deletions) {
		for _, id := range i.spaces {
			d.try(ctx, "delete the space "+id, func() error { return i.deleteSpace(ctx, id) })
		}
		for _, key := range i.files {
			d.try(ctx, "delete the file "+key, func() error { return i.remote.deleteFileOnce(ctx, key) })
		}
	})
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
		return backoff.Permanent(err)
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
	if hasStatus(err, http.StatusNotFound) { // the response to an earlier deletion was lost
		return nil
	}
	return err
}
