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

// downloaded is how much of the progress of an upload from an address its
// download is, of 100; the rest is the job's.
const downloaded = 50

// comeBack is when a download that found no slot should be tried again. When one
// of the others ends is not known.
const comeBack = 10 * time.Second

// errSlow ends a download that takes too long, as a whole or between two bytes.
var errSlow = model.Invalidf("source_url took too long to send the file")

// urlInput is a file that is somewhere on the internet.
type urlInput struct {
	SourceURL string  `json:"source_url" jsonschema:"The file's public http or https address, on port 80 or 443, without user name and password. Redirects are followed. It must answer with the file itself, not with a web page about it."`
	FileName  *string `json:"file_name,omitempty" jsonschema:"The file's name, whose extension says what it is, such as scene.zip or scan.ply; by default the last part of the address."`
	// ConvertTo stays empty where it is left out, which asks for nothing.
	ConvertTo model.ConversionTarget `json:"convert_to,omitempty" jsonschema:"Converts a .ply, .spz, .splat, .ksplat or .sog file of Gaussians before it is stored: sog makes one bundle, streamed-sog levels of detail in chunks. By default the file is stored as it is."`
}

// uploadURL downloads the file and stores it as any upload.
func (d *door) uploadURL(ctx context.Context, in urlInput, p *progress) (uploadAnswer, error) {
	confirmation, err := d.download(ctx, in, p)
	p.from = downloaded
	return d.confirmed(ctx, confirmation, err, p)
}

// download brings the bytes from the address into the store. A slot is taken as
// long as they flow, and not while a job works on them.
func (d *door) download(ctx context.Context, in urlInput, p *progress) (*model.Confirmation, error) {
	user, err := d.Resolver.Query().Viewer(ctx)
	if err != nil {
		return nil, err
	}
	storage, err := d.Resolver.Viewer().Storage(ctx, user)
	if err != nil {
		return nil, err
	}
	release, ok := d.downloads.Acquire(user.ID)
	if !ok {
		return nil, &model.Error{
			Code: model.CodeRateLimited, Message: "Too many downloads at the same time", RetryAfter: comeBack,
		}
	}
	defer release()
	return d.fetch(ctx, in, &source{progress: p, room: min(storage.Free(), d.Resolver.Settings.MaxFileSize)})
}

// fetch asks for the file and stores what comes, through no more memory than a
// buffer.
func (d *door) fetch(ctx context.Context, in urlInput, body *source) (_ *model.Confirmation, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.fetcher.total, errSlow)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer func() {
		if err != nil && ctx.Err() != nil { // either side may notice first that the time is up
			err = context.Cause(ctx)
		}
	}()
	response, err := d.fetcher.get(ctx, in.SourceURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // read to its end, or not wanted
	upload := model.CreateUpload{FileName: in.name(response), FileSize: model.FileSize(response.ContentLength), ConvertTo: in.ConvertTo}
	body.ctx, body.stop, body.pause = ctx, stop, d.fetcher.stall
	body.body, body.length = response.Body, response.ContentLength
	if upload.FileSize > 0 {
		return d.Resolver.StoreUpload(ctx, upload, body)
	}
	return d.downloadFirst(ctx, upload, body)
}

// downloadFirst is for a file whose length nobody says: only when its end is
// reached can it be promised a place. Its name is tried out before, so that
// nothing is downloaded in vain.
func (d *door) downloadFirst(ctx context.Context, upload model.CreateUpload, body io.Reader) (*model.Confirmation, error) {
	upload.ContentType = "application/octet-stream"
	upload.FileSize = 1
	if err := upload.Validate(d.Resolver.Settings.Formats); err != nil {
		return nil, err
	}
	upload.ContentType = "" // by the name
	file, err := os.CreateTemp(d.TempDir, "portico-download-*")
	if err != nil {
		return nil, fmt.Errorf("make a file for a download: %w", err)
	}
	// Gone by name at once, so that a crash leaves nothing; where a system does not
	// do that, it is gone when it is closed.
	atOnce := os.Remove(file.Name())
	defer func() {
		_ = file.Close() // what it holds is stored elsewhere by now
		if atOnce != nil {
			_ = os.Remove(file.Name()) // the system's own cleaning finds what stays
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

// name returns the name of the file: the given one, else the name in the
// address in the end.
func (in urlInput) name(response *http.Response) string {
	if in.FileName != nil && *in.FileName != "" {
		return *in.FileName
	}
	return path.Base(response.Request.URL.Path)
}

// mediaType returns the type that the source gives, without its parameters.
func mediaType(response *http.Response) string {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// source is the bytes of a download as they come in: bounded in size and in time,
// with their progress reported.
type source struct {
	ctx      context.Context
	body     io.Reader
	room     int64
	length   int64 // -1 when not known
	read     int64
	progress *progress
	pause    time.Duration
	stop     context.CancelCauseFunc
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	stalled := time.AfterFunc(s.pause, func() { s.stop(errSlow) })
	n, err := s.body.Read(p)
	stalled.Stop()
	s.read += int64(n)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return n, &model.Error{Code: model.CodeInvalid, Message: "source_url ended early", Err: err}
	case s.length < 0 && s.read > s.room:
		return n, &model.Error{Code: model.CodeTooLarge, Message: fmt.Sprintf("The file is larger than the %d bytes that there is room for", s.room)}
	}
	s.report()
	return n, err
}

// report tells how much there is, of all or of the room that there is for it.
func (s *source) report() {
	whole := s.length
	if whole <= 0 {
		whole = max(1, s.room)
	}
	part := min(1, float64(s.read)/float64(whole))
	s.progress.notifySometimes(s.ctx, downloaded*part, func() string { return fmt.Sprintf("Downloaded %d bytes", s.read) })
}
