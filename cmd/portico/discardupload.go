package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// discardUpload deletes an upload, or what its confirmation has made of it: a response that was
// lost may have confirmed it. Otherwise the account would keep a file that nothing refers to.
//
// It also runs after ctx has ended, for at most undoTimeout.
func (r *remote) discardUpload(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	err := retryTemporary(ctx, func() error {
		_, err := r.send(ctx, http.MethodDelete, address, tusHeader(), nil)
		return err
	})
	// Bad Request says that the upload was confirmed, and Not Found that its job has failed.
	if hasStatus(err, http.StatusBadRequest, http.StatusNotFound) {
		err = r.discardConfirmed(ctx, address)
	}
	if err != nil {
		return fmt.Errorf("delete the upload %s: %w", address, err)
	}
	return nil
}

// discardConfirmed deletes the file of a confirmed upload, or cancels the job that makes it. The
// server responds to a repeated confirmation as to the first one.
func (r *remote) discardConfirmed(ctx context.Context, address string) error {
	var made confirmation
	err := retryTemporary(ctx, func() (err error) {
		made, err = r.confirm(ctx, address)
		return err
	})
	switch {
	case hasStatus(err, http.StatusNotFound):
		return nil // the upload was deleted, or its job has failed
	case err != nil:
		return err
	case made.JobID != "":
		return r.discardJob(ctx, made)
	}
	return r.deleteFile(ctx, made.ResourceKey)
}

// discardJob cancels the job of an upload, or deletes its file if the job has ended.
func (r *remote) discardJob(ctx context.Context, made confirmation) error {
	refused := retryTemporary(ctx, func() error {
		return r.callGraphQL(ctx, `mutation ($id: ID!) { cancelJob(input: {jobId: $id}) { job { id } } }`, map[string]any{"id": made.JobID}, nil)
	})
	if refused == nil {
		return nil
	}
	var job uploadJob
	err := retryTemporary(ctx, func() error { return r.call(ctx, http.MethodGet, made.PollURL, nil, &job) })
	switch {
	case err != nil:
		return err
	case job.Result != nil:
		return r.deleteFile(ctx, job.Result.ResourceKey)
	case job.Error != "":
		return nil // a failed job has no file
	}
	return refused
}

// deleteFile deletes a file of the account, if it exists.
func (r *remote) deleteFile(ctx context.Context, key string) error {
	return retryTemporary(ctx, func() error { return r.deleteFileOnce(ctx, key) })
}

// deleteFileOnce deletes a file of the account by one request, if the file exists.
func (r *remote) deleteFileOnce(ctx context.Context, key string) error {
	err := r.call(ctx, http.MethodDelete, "/v1/files?"+url.Values{"resource_key": {key}}.Encode(), nil, &struct{}{})
	if hasStatus(err, http.StatusNotFound) { // the response to an earlier deletion was lost
		return nil
	}
	return err
}

// hasStatus reports whether the error is a response with one of these statuses.
func hasStatus(err error, statuses ...int) bool {
	refused, ok := errors.AsType[*refusedError](err)
	return ok && slices.Contains(statuses, refused.status)
}
