package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
)

// defaultParts is how many parts of a large file are sent at the same time.
const defaultParts = 4

// upload uploads the content of a file and waits until the server has processed it.
func (r *remote) upload(ctx context.Context, content *os.File, name string, report reporter) (stored *uploaded, err error) {
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	var address string
	err = patiently(ctx, func() (err error) {
		address, err = r.createUpload(ctx, name, size, defaultParts)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil { // an upload that is not confirmed would take storage for a day
			err = errors.Join(err, r.abandon(ctx, address))
		}
	}()
	if err := (&transfer{remote: r, address: address, file: content, size: size, report: report}).send(ctx); err != nil {
		return nil, err
	}
	err = patiently(ctx, func() (err error) {
		stored, err = r.completeUpload(ctx, address, &progress{out: io.Discard}) // the caller counts bytes, not jobs
		return err
	})
	return stored, err
}

// abandon gives up an upload, unless it was confirmed.
func (r *remote) abandon(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	_, err := r.send(ctx, http.MethodDelete, address, tusHeader(), nil)
	if refused, ok := errors.AsType[*refusedError](err); ok && refused.status < http.StatusInternalServerError {
		return nil // it was confirmed, or is gone already
	}
	return err
}
