package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"time"

	"portico/model"
)

// downloadShare is the percentage of an upload's progress that its download takes. The
// rest is the job's.
const downloadShare = 50

// downloadRetryAfter is when to try again while all slots are taken. It is a guess: nobody
// knows when one of the other downloads ends.
const downloadRetryAfter = 10 * time.Second

// errDownloadTimeout ends a download that takes too long, as a whole or between two bytes.
var errDownloadTimeout = model.Invalidf("source_url took too long to send the file")

// urlInput names a file on the internet.
type urlInput struct {
	SourceURL string  `json:"source_url" jsonschema:"The file's public http or https address, on port 80 or 443, without user name and password. Redirects are followed. It must answer with the file itself, not with a web page about it."`
	FileName  *string `json:"file_name,omitempty" jsonschema:"The file's name, whose extension says what it is, such as scene.zip or scan.ply; by default the last part of the address."`
	// ConvertTo is empty if it is left out, which means no conversion.
	ConvertTo model.ConversionTarget `json:"convert_to,omitempty" jsonschema:"Converts a .ply, .spz, .splat, .ksplat, .sog or .html file of Gaussians before it is stored: sog makes one bundle, streamed-sog levels of detail in chunks. By default the file is stored as it is."`
}

// uploadURL downloads the file and stores it as any upload.
func (d *door) uploadURL(ctx context.Context, in urlInput, p *progress) (uploadAnswer, error) {
	confirmation, err := d.download(ctx, in, p)
	p.start = downloadShare
	return d.answerConfirmation(ctx, confirmation, err, p)
}

// download copies the file from the address into the store. It holds a slot while the
// bytes arrive, and none while a job processes them.
func (d *door) download(ctx context.Context, in urlInput, p *progress) (*model.Confirmation, error) {
	user, err := d.Resolver.Query().Viewer(ctx)
	if err != nil {
		return nil, err
	}
	storage, err := d.Resolver.Storage(ctx, user.ID)
	if err != nil {
		return nil, err
	}
	release, ok := d.downloads.Acquire(user.ID)
	if !ok {
		return nil, &model.Error{
			Code: model.CodeRateLimited, Message: "Too many downloads at the same time", RetryAfter: downloadRetryAfter,
		}
	}
	defer release()
	return d.fetch(ctx, in, &source{progress: p, maxBytes: min(storage.Free(), d.Resolver.Settings.MaxFileSize)})
}

// fetch requests the file and stores it. It needs no more memory than a buffer.
func (d *door) fetch(ctx context.Context, in urlInput, body *source) (_ *model.Confirmation, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.fetcher.totalTimeout, errDownloadTimeout)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer func() {
		if err != nil && ctx.Err() != nil { // the source or the store may notice the timeout first
			err = context.Cause(ctx)
		}
	}()
	response, err := d.fetcher.get(ctx, in.SourceURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // read to its end, or not needed
	upload := model.CreateUpload{FileName: in.name(response), FileSize: model.FileSize(response.ContentLength), ConvertTo: in.ConvertTo}
	body.ctx, body.stop, body.stallTimeout = ctx, stop, d.fetcher.stallTimeout
	body.body, body.length = response.Body, response.ContentLength
	if upload.FileSize > 0 {
		return d.Resolver.StoreUpload(ctx, upload, body)
	}
	return d.storeUnknownLength(ctx, upload, body)
}

// storeUnknownLength stores a file whose source does not send its length. An upload needs
// its size in advance, so the file is downloaded to a temporary file first. The name is
// validated before that, so that nothing is downloaded in vain.
func (d *door) storeUnknownLength(ctx context.Context, upload model.CreateUpload, body io.Reader) (*model.Confirmation, error) {
	upload.ContentType, upload.FileSize = "application/octet-stream", 1 // any valid values
	if err := upload.Validate(d.Resolver.Settings.Formats); err != nil {
		return nil, err
	}
	upload.ContentType = "" // StoreUpload derives it from the name
	file, err := os.CreateTemp(d.TempDir, "portico-download-*")
	if err != nil {
		return nil, fmt.Errorf("create a file for a download: %w", err)
	}
	// An open file works without its name, so a crash leaves nothing behind. A system
	// that refuses this (Windows) has the file removed after it is closed.
	removed := os.Remove(file.Name())
	defer func() {
		_ = file.Close() // the store has the bytes by now
		if removed != nil {
			_ = os.Remove(file.Name()) // at worst the system's cleaning removes it
		}
	}()
	length, err := io.Copy(file, body)
	if err != nil {
		return nil, err
	}
	upload.FileSize = model.FileSize(length)
	if length == 0 {
		return nil, model.Invalidf("source_url answered with an empty file")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read a download: %w", err)
	}
	return d.Resolver.StoreUpload(ctx, upload, file)
}

// name returns the name of the file: the given one, else the last part of the address
// after all redirects.
func (in urlInput) name(response *http.Response) string {
	if in.FileName != nil && *in.FileName != "" {
		return *in.FileName
	}
	return path.Base(response.Request.URL.Path)
}

// mediaType returns the media type of the response without its parameters, or "".
func mediaType(response *http.Response) string {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// source reads the bytes of a download, limits their number and the time between them, and
// reports the progress.
type source struct {
	ctx          context.Context
	body         io.Reader
	maxBytes     int64 // the free storage, or the maximum file size
	length       int64 // -1 if it is unknown
	read         int64 // bytes so far
	progress     *progress
	stallTimeout time.Duration
	stop         context.CancelCauseFunc // ends the request
}

// Read implements io.Reader. A source that sends nothing blocks the read of the body, so a
// timer cancels the request.
func (s *source) Read(p []byte) (int, error) {
	stalled := time.AfterFunc(s.stallTimeout, func() { s.stop(errDownloadTimeout) })
	n, err := s.body.Read(p)
	stalled.Stop()
	s.read += int64(n)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return n, &model.Error{Code: model.CodeInvalid, Message: "source_url ended early", Err: err}
	case s.length < 0 && s.read > s.maxBytes: // the store checks a known length
		return n, model.TooLargef("The file is larger than the %d bytes that are free", s.maxBytes)
	}
	s.report()
	return n, err
}

// report reports the bytes so far as a part of the length, or of the maximum if the length
// is unknown: the progress then stays too low, but it rises.
func (s *source) report() {
	whole := s.length
	if whole <= 0 {
		whole = max(1, s.maxBytes)
	}
	part := min(1, float64(s.read)/float64(whole))
	s.progress.notifyThrottled(s.ctx, downloadShare*part, func() string { return fmt.Sprintf("Downloaded %d bytes", s.read) })
}
