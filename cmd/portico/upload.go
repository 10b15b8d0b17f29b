package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// uploadCommand is "portico upload".
type uploadCommand struct {
	Path     string `arg:"" help:"The file to upload." type:"existingfile"`
	Space    string `help:"Place the file in this space." placeholder:"ID"`
	Server   string `help:"Address of the server." env:"PORTICO_URL" default:"http://127.0.0.1:8080"`
	Key      string `help:"API key of the account." env:"PORTICO_KEY" required:""`
	Continue string `help:"Continue an upload that was interrupted: the address that it printed." placeholder:"URL"`
	JSON     bool   `help:"Print JSON lines: progress, then the result or the error."`
}

// uploaded is the result of an upload.
type uploaded struct {
	ResourceKey string `json:"resource_key"`
	URL         string `json:"url"`
	EntityID    string `json:"entity_id,omitempty"`
}

// The waits of an upload whose connection is broken.
const (
	// giveUpAfter is how long an upload may make no progress.
	giveUpAfter = 5 * time.Minute
	maxWait     = 15 * time.Second
	pollEvery   = time.Second
)

// Run uploads the file. It continues by itself after a broken connection or a restart of the
// server.
func (c *uploadCommand) Run(ctx context.Context, in *invocation) error {
	return jsonError(in, c.JSON, c.upload(ctx, in))
}

func (c *uploadCommand) upload(ctx context.Context, in *invocation) error {
	file, err := os.Open(c.Path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	info, err := file.Stat()
	if err != nil {
		return err
	}
	p := (&spatialFlags{JSON: c.JSON}).newProgress(in)
	remote := &remote{server: c.Server, key: c.Key}
	address := c.Continue
	if address == "" {
		if address, err = remote.createUpload(ctx, filepath.Base(c.Path), info.Size()); err != nil {
			return err
		}
	}
	result, err := c.publish(ctx, remote, &transfer{remote: remote, address: address, file: file, size: info.Size(), progress: p})
	p.bar.clear()
	if err != nil {
		return fmt.Errorf("%w\nTo continue, add --continue %s", err, address)
	}
	return p.printResult(result, func(out io.Writer) error {
		_, err := fmt.Fprintln(out, result.URL)
		return err
	})
}

// publish sends the bytes, confirms them, and places the file in the space.
func (c *uploadCommand) publish(ctx context.Context, remote *remote, t *transfer) (*uploaded, error) {
	if err := t.send(ctx); err != nil {
		return nil, err
	}
	result, err := remote.completeUpload(ctx, t.address, t.progress)
	if err != nil || c.Space == "" {
		return result, err
	}
	var placed struct {
		EntityID string `json:"entity_id"`
	}
	err = remote.call(ctx, http.MethodPost, "/v1/spaces/"+c.Space+"/entities", map[string]string{"resource_key": result.ResourceKey}, &placed)
	result.EntityID = placed.EntityID
	return result, err
}

// transfer sends the bytes of one upload.
type transfer struct {
	remote   *remote
	address  string
	file     *os.File
	size     int64
	progress *progress
}

// send sends what the server does not have yet, until it has all.
func (t *transfer) send(ctx context.Context) error {
	last, since, wait := int64(-1), time.Now(), time.Second
	for {
		offset, err := t.sendOnce(ctx)
		if offset == t.size && err == nil {
			return nil
		}
		if offset > last {
			last, since, wait = offset, time.Now(), time.Second
		}
		if refused, ok := errors.AsType[*refusedError](err); ok && !refused.isTemporary() || ctx.Err() != nil || time.Since(since) > giveUpAfter {
			return errors.Join(ctx.Err(), err)
		}
		t.progress.report(t.percent(max(0, last)), "waiting for the server")
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, maxWait)
	}
}

func (t *transfer) percent(sent int64) float64 { return 100 * float64(sent) / float64(t.size) }

// sendOnce asks for the offset, sends the rest, and returns how many bytes the server is
// known to have.
func (t *transfer) sendOnce(ctx context.Context) (int64, error) {
	answer, err := t.remote.send(ctx, http.MethodHead, t.address, tusHeader(), nil)
	if err != nil {
		return -1, err
	}
	offset, err := strconv.ParseInt(answer.Get("Upload-Offset"), 10, 64)
	switch length := answer.Get("Upload-Length"); {
	case err != nil:
		return -1, fmt.Errorf("read the offset: %w", err)
	case length != strconv.FormatInt(t.size, 10):
		return -1, &refusedError{status: http.StatusPreconditionFailed, message: fmt.Sprintf("the upload is of a file of %s bytes: continue it with the same file", length)}
	case offset == t.size:
		return offset, nil
	}
	header := tusHeader()
	header.Set("Upload-Offset", strconv.FormatInt(offset, 10))
	header.Set("Content-Type", "application/offset+octet-stream")
	body := &sentReader{SectionReader: io.NewSectionReader(t.file, offset, t.size-offset), transfer: t, sent: offset}
	answer, err = t.remote.send(ctx, http.MethodPatch, t.address, header, body)
	if err != nil {
		return offset, err
	}
	return strconv.ParseInt(answer.Get("Upload-Offset"), 10, 64)
}

func tusHeader() http.Header { return http.Header{"Tus-Resumable": {"1.0.0"}} }

// sentReader reports what is read of a body.
type sentReader struct {
	*io.SectionReader
	transfer *transfer
	sent     int64
}

// Read implements io.Reader.
func (r *sentReader) Read(p []byte) (int, error) {
	n, err := r.SectionReader.Read(p)
	r.sent += int64(n)
	if percent := r.transfer.percent(r.sent); n > 0 {
		r.transfer.progress.report(percent, fmt.Sprintf("sent %d of %d MB", r.sent/1e6, r.transfer.size/1e6))
	}
	return n, err
}
