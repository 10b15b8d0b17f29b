package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"

	"portico/internal/background"
	"portico/model"
)

// defaultParts is how many parts of a large file are sent concurrently.
const defaultParts = 4

// Upload uploads the content of a file and waits until the server has processed it. It is for files
// that another command needs: unlike portico upload, it cannot be continued by a later run, so it
// deletes the upload after an error, even if it was confirmed.
//
// The file must not change meanwhile: its size is read once, and the server expects this many
// bytes.
func (c *Client) Upload(ctx context.Context, content *os.File, name string, report Reporter) (stored *StoredFile, err error) {
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	address, err := c.reserveUpload(ctx, name, size)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil { // otherwise the upload would use storage until it expires after a day
			err = errors.Join(err, c.discardUpload(ctx, address))
		}
	}()
	if err := c.SendFile(ctx, address, content, size, report); err != nil {
		return nil, err
	}
	err = RetryWhenLimited(ctx, func() (err error) {
		stored, err = c.CompleteUpload(ctx, address, func(float64, string) {}) // the caller counts bytes, not jobs
		return err
	})
	return stored, err
}

// reserveUpload creates a resumable upload and returns its address. It repeats a request whose
// response was lost. An upload whose address is lost reserves storage for a day, which is better
// than a failed import.
func (c *Client) reserveUpload(ctx context.Context, name string, size int64) (address string, err error) {
	wasLost := false
	err = RepeatUntilResponse(ctx, func() (err error) {
		address, err = c.CreateUpload(ctx, name, size, defaultParts)
		wasLost = wasLost || err != nil && !IsFinalResponse(err)
		return err
	})
	if refused, ok := errors.AsType[*RefusedError](err); ok && wasLost && refused.Message == model.QuotaExceeded {
		err = fmt.Errorf("%w\nThe response to an earlier request was lost. That request may have reserved the storage: try again after a day", err)
	}
	return address, err
}

// SendFile sends the bytes of a file that the upload at the address does not have yet. It continues
// after broken connections and while the server restarts, and returns when the server has all bytes.
func (c *Client) SendFile(ctx context.Context, address string, file *os.File, size int64, report Reporter) error {
	return (&transfer{remote: c, address: address, file: file, size: size, report: report}).send(ctx)
}

// minParallelSize is the minimum size of a file that is sent in concurrent parts, in bytes.
const minParallelSize = 64 << 20

// CreateUpload creates a resumable upload and returns its address. The server divides the upload
// of a large file into this many parts.
func (c *Client) CreateUpload(ctx context.Context, name string, size int64, parts int) (string, error) {
	var created struct{ Params struct{ URL string } }
	body := map[string]any{"file_name": name, "file_size": size, "content_type": "application/octet-stream", "resumable": true}
	if size >= minParallelSize {
		body["parts"] = parts
	}
	err := c.Call(ctx, http.MethodPost, "/v1/files/upload", body, &created)
	return created.Params.URL, err
}

// CompleteUpload confirms the upload. If the server processes it in a job, CompleteUpload polls the
// job until it ends. A failed job is an error with the text of the job. The end of the command does
// not end the job.
//
// A confirmation is repeated when its response is lost: the server may have stored the file, whose
// key only the response names. It responds to a repeated confirmation as to the first one.
//
// The response has an address if the file is stored as it is, and otherwise the address of a job to
// poll.
func (c *Client) CompleteUpload(ctx context.Context, address string, report func(percent float64, message string)) (*StoredFile, error) {
	var confirmed confirmation
	err := UntilResponse(ctx, func() (err error) {
		confirmed, err = c.confirm(ctx, address)
		return err
	})
	for err == nil && confirmed.JobID != "" {
		var job uploadJob
		err = UntilResponse(ctx, func() error { return c.Call(ctx, http.MethodGet, confirmed.PollURL, nil, &job) })
		switch {
		case err != nil:
			return nil, err
		case job.Result != nil:
			return job.Result, nil
		case job.Error != "":
			return nil, fmt.Errorf("the server could not process the file: %s", job.Error)
		}
		report(job.Progress, job.Message)
		background.Pause(ctx, pollInterval)
		err = ctx.Err()
	}
	return &confirmed.StoredFile, err
}

// StoredFile is a file that the server has stored. EntityID is empty if the file was put into no
// space.
type StoredFile struct {
	ResourceKey string `json:"resource_key"`
	URL         string `json:"url"`
	EntityID    string `json:"entity_id,omitempty"`
}

// confirmation is the response to the confirmation of an upload: a file, or a job that makes it.
type confirmation struct {
	StoredFile
	JobID   string `json:"job_id"`
	PollURL string `json:"poll_url"`
}

// uploadJob is the job that processes an upload. A job that runs has neither a result nor an error.
type uploadJob struct {
	Message, Error string
	Progress       float64
	Result         *StoredFile
}

// confirm confirms an upload, once.
func (c *Client) confirm(ctx context.Context, address string) (confirmed confirmation, err error) {
	err = c.Call(ctx, http.MethodPost, "/v1/files/upload-complete", map[string]any{
		"status": "success", "extra_info": map[string]string{"file_url": address},
	}, &confirmed)
	return confirmed, err
}

// Place adds an entity that shows the file to a space, and returns its id.
//
// The id follows from the file, so that a repeated request changes nothing: the response to the
// first one may be lost, also until a later run with --continue (docs/rest.md, Entities).
func (c *Client) Place(ctx context.Context, space, resourceKey string) (entityID string, err error) {
	sum := sha256.Sum256([]byte(resourceKey))
	entityID = "user-model-" + hex.EncodeToString(sum[:8])
	entity := map[string]string{"resource_key": resourceKey, "entity_id": entityID}
	return entityID, UntilResponse(ctx, func() error {
		return c.Call(ctx, http.MethodPost, pathOfEntities(space), entity, nil)
	})
}

// discardUpload deletes an upload, or what its confirmation has made of it: a response that was
// lost may have confirmed it. Otherwise the account would keep a file that nothing refers to.
//
// It also runs after ctx has ended, for at most undoTimeout.
func (c *Client) discardUpload(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	err := retryTemporary(ctx, func() error {
		_, err := c.Send(ctx, http.MethodDelete, address, tusHeader(), nil)
		return err
	})
	// Bad Request says that the upload was confirmed, and Not Found that its job has failed.
	if HasStatus(err, http.StatusBadRequest, http.StatusNotFound) {
		err = c.discardConfirmed(ctx, address)
	}
	if err != nil {
		return fmt.Errorf("delete the upload %s: %w", address, err)
	}
	return nil
}

// discardConfirmed deletes the file of a confirmed upload, or cancels the job that makes it. The
// server responds to a repeated confirmation as to the first one.
func (c *Client) discardConfirmed(ctx context.Context, address string) error {
	var made confirmation
	err := retryTemporary(ctx, func() (err error) {
		made, err = c.confirm(ctx, address)
		return err
	})
	switch {
	case HasStatus(err, http.StatusNotFound):
		return nil // the upload was deleted, or its job has failed
	case err != nil:
		return err
	case made.JobID != "":
		return c.discardJob(ctx, made)
	}
	return c.deleteFileUntilGone(ctx, made.ResourceKey)
}

// discardJob cancels the job of an upload, or deletes its file if the job has ended.
func (c *Client) discardJob(ctx context.Context, made confirmation) error {
	refused := retryTemporary(ctx, func() error {
		return c.CallGraphQL(ctx, `mutation ($id: ID!) { cancelJob(input: {jobId: $id}) { job { id } } }`, map[string]any{"id": made.JobID}, nil)
	})
	if refused == nil {
		return nil
	}
	var job uploadJob
	err := retryTemporary(ctx, func() error { return c.Call(ctx, http.MethodGet, made.PollURL, nil, &job) })
	switch {
	case err != nil:
		return err
	case job.Result != nil:
		return c.deleteFileUntilGone(ctx, job.Result.ResourceKey)
	case job.Error != "":
		return nil // a failed job has no file
	}
	return refused
}

// deleteFileUntilGone deletes a file of the account, if it exists.
func (c *Client) deleteFileUntilGone(ctx context.Context, key string) error {
	return retryTemporary(ctx, func() error { return c.DeleteFile(ctx, key) })
}

// DeleteFile deletes a file of the account by one request, if the file exists.
func (c *Client) DeleteFile(ctx context.Context, key string) error {
	err := c.Call(ctx, http.MethodDelete, "/v1/files?"+url.Values{"resource_key": {key}}.Encode(), nil, &struct{}{})
	if HasStatus(err, http.StatusNotFound) { // the response to an earlier deletion was lost
		return nil
	}
	return err
}

// HasStatus reports whether the error is a response with one of these statuses.
func HasStatus(err error, statuses ...int) bool {
	refused, ok := errors.AsType[*RefusedError](err)
	return ok && slices.Contains(statuses, refused.Status)
}
