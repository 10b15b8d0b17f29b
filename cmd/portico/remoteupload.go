package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"portico/internal/background"
	"portico/model"
)

// defaultParts is how many parts of a large file are sent concurrently.
const defaultParts = 4

// upload uploads the content of a file and waits until the server has processed it. It is for files
// that another command needs: unlike portico upload, it cannot be continued by a later run, so it
// deletes the upload after an error, even if it was confirmed.
//
// The file must not change meanwhile: its size is read once, and the server expects this many
// bytes.
func (r *remote) upload(ctx context.Context, content *os.File, name string, report reporter) (stored *uploadResult, err error) {
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	address, err := r.reserveUpload(ctx, name, size)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil { // otherwise the upload would use storage until it expires after a day
			err = errors.Join(err, r.discardUpload(ctx, address))
		}
	}()
	if err := (&transfer{remote: r, address: address, file: content, size: size, report: report}).send(ctx); err != nil {
		return nil, err
	}
	err = retryWhenLimited(ctx, func() (err error) {
		stored, err = r.completeUpload(ctx, address, &progress{out: io.Discard}) // the caller counts bytes, not jobs
		return err
	})
	return stored, err
}

// reserveUpload creates a resumable upload and returns its address. It repeats a request whose
// response was lost. An upload whose address is lost reserves storage for a day, which is better
// than a failed import.
func (r *remote) reserveUpload(ctx context.Context, name string, size int64) (address string, err error) {
	wasLost := false
	err = repeatUntilResponse(ctx, func() (err error) {
		address, err = r.createUpload(ctx, name, size, defaultParts)
		wasLost = wasLost || err != nil && !isFinalResponse(err)
		return err
	})
	if refused, ok := errors.AsType[*refusedError](err); ok && wasLost && refused.message == model.QuotaExceeded {
		err = fmt.Errorf("%w\nThe response to an earlier request was lost. That request may have reserved the storage: try again after a day", err)
	}
	return address, err
}

// minParallelSize is the minimum size of a file that is sent in concurrent parts, in bytes.
const minParallelSize = 64 << 20

// createUpload creates a resumable upload and returns its address. The server divides the upload
// of a large file into this many parts.
func (r *remote) createUpload(ctx context.Context, name string, size int64, parts int) (string, error) {
	var created struct{ Params struct{ URL string } }
	body := map[string]any{"file_name": name, "file_size": size, "content_type": "application/octet-stream", "resumable": true}
	if size >= minParallelSize {
		body["parts"] = parts
	}
	err := r.call(ctx, http.MethodPost, "/v1/files/upload", body, &created)
	return created.Params.URL, err
}

// completeUpload confirms the upload. If the server processes it in a job, completeUpload polls the
// job until it ends. A failed job is an error with the text of the job. The end of the command does
// not end the job.
//
// A confirmation is repeated when its response is lost: the server may have stored the file, whose
// key only the response names. It responds to a repeated confirmation as to the first one.
//
// The response has an address if the file is stored as it is, and otherwise the address of a job to
// poll.
func (r *remote) completeUpload(ctx context.Context, address string, p *progress) (*uploadResult, error) {
	var confirmed confirmation
	err := untilResponse(ctx, func() (err error) {
		confirmed, err = r.confirm(ctx, address)
		return err
	})
	for err == nil && confirmed.JobID != "" {
		var job uploadJob
		err = untilResponse(ctx, func() error { return r.call(ctx, http.MethodGet, confirmed.PollURL, nil, &job) })
		switch {
		case err != nil:
			return nil, err
		case job.Result != nil:
			return job.Result, nil
		case job.Error != "":
			return nil, fmt.Errorf("the server could not process the file: %s", job.Error)
		}
		p.report(job.Progress, job.Message)
		background.Pause(ctx, pollInterval)
		err = ctx.Err()
	}
	return &confirmed.uploadResult, err
}

// confirmation is the response to the confirmation of an upload: a file, or a job that makes it.
type confirmation struct {
	uploadResult
	JobID   string `json:"job_id"`
	PollURL string `json:"poll_url"`
}

// uploadJob is the job that processes an upload. A job that runs has neither a result nor an error.
type uploadJob struct {
	Message, Error string
	Progress       float64
	Result         *uploadResult
}

// confirm confirms an upload, once.
func (r *remote) confirm(ctx context.Context, address string) (confirmed confirmation, err error) {
	err = r.call(ctx, http.MethodPost, "/v1/files/upload-complete", map[string]any{
		"status": "success", "extra_info": map[string]string{"file_url": address},
	}, &confirmed)
	return confirmed, err
}
