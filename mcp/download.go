package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"time"

	"portico/graph"
	"portico/graph/view"
	"portico/internal/semaphore"
	"portico/model"
)

// downloadShare is the percentage of the progress of an upload that is for its download. The rest
// is for its job.
const downloadShare = 50

// errTooManyDownloads refuses a download that has no place, or whose place another one needs.
var errTooManyDownloads = &model.Error{
	Code: model.CodeRateLimited, Message: "Too many downloads at the same time", RetryAfter: downloadRetryAfter,
}

// downloadRetryAfter is how long a client should wait if there are too many downloads. It is a
// guess: the server does not know when one of the other downloads will end.
const downloadRetryAfter = 10 * time.Second

// errDownloadTimeout ends a download that takes too long, as a whole or between two bytes.
var errDownloadTimeout = model.InvalidField("source_url", "took too long to send the file")

// errStoreTimeout ends a download whose file the store takes too long to accept. The request is
// valid, so the client should wait and send it again. How long the store stays slow is unknown, so
// the wait is a guess.
var errStoreTimeout = &model.Error{
	Code: model.CodeRateLimited, Message: "The server took too long to store the file", RetryAfter: time.Minute,
}

// urlInput selects a file on the internet.
type urlInput struct {
	SourceURL string  `json:"source_url" jsonschema:"The file's public http or https address, on port 80 or 443, without user name and password. Redirects are followed. It must answer with the file itself, not with a web page about it."`
	FileName  *string `json:"file_name,omitempty" jsonschema:"The file's name, whose extension says what it is, such as scene.zip or scan.ply; by default the last part of the address."`
	// ConvertTo is empty for no conversion.
	ConvertTo model.ConversionTarget `json:"convert_to,omitempty" jsonschema:"Converts a .ply, .spz, .splat, .ksplat, .sog or .html file of Gaussians before it is stored: sog makes one bundle, streamed-sog levels of detail in chunks. By default the file is stored as it is."`
}

// uploadURL downloads the file and stores it as an upload.
func (d *door) uploadURL(ctx context.Context, in urlInput, p *progress) (uploadOutput, error) {
	confirmation, err := d.download(ctx, in, p)
	p.start = downloadShare
	if err != nil {
		return uploadOutput{}, renameSize(err, "source_url", "source_url leads to a file that")
	}
	return d.confirmationOutput(ctx, confirmation, p)
}

// download copies the file from the address into the store. It counts as a download while it
// receives bytes, but not while a job processes them.
//
// The free storage is only read here, and reserved by CreateUpload, when the size is known. Another
// upload in between makes that fail with 507.
func (d *door) download(ctx context.Context, in urlInput, p *progress) (*model.Confirmation, error) {
	limit, err := d.Resolver.UploadLimit(ctx)
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	place, ok := d.downloads.Enter(model.CallerFrom(ctx).UserID, 1, func() { stop(errTooManyDownloads) })
	if !ok {
		return nil, errTooManyDownloads
	}
	defer place.Leave()
	confirmation, err := d.fetch(limited, in, limit, p, place)
	if err != nil && place.GaveWay() {
		return nil, errTooManyDownloads
	}
	return confirmation, err
}

// fetch requests a file within the limit and stores it. It copies the bytes with a small buffer.
//
// Two timeouts end the request and the reading of its body: one for the whole download, and one for
// a source that stops sending. They do not end the context of StoreUpload, which has a timeout of
// its own (store), so that an error of the store or the database keeps its text. After some of
// these errors the file may be stored.
func (d *door) fetch(ctx context.Context, in urlInput, limit graph.UploadLimit, p *progress, place *semaphore.Place) (*model.Confirmation, error) {
	limited, cancel := d.fetcher.withTimeout(ctx, d.fetcher.totalTimeout, errDownloadTimeout)
	defer cancel()
	limited, stop := context.WithCancelCause(limited)
	defer stop(nil)
	response, err := d.fetcher.request(limited, in.SourceURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // the rest is not needed
	upload := model.CreateUpload{FileName: in.name(response), FileSize: model.FileSize(response.ContentLength), ConvertTo: in.ConvertTo}
	body := &downloadBody{
		ctx: limited, stop: stop, stallTimeout: d.fetcher.stallTimeout,
		body: response.Body, length: response.ContentLength, limit: limit, progress: p, place: place,
	}
	if upload.FileSize > 0 {
		return d.store(ctx, upload, body)
	}
	return d.storeUnknownLength(ctx, upload, body)
}

// store stores the content of a download, which may still be arriving, and confirms the upload. A
// bucket may accept the last bytes slowly, and the account cannot start another download meanwhile,
// so a timeout discards the upload some minutes after the download must have ended. A timeout is
// logged, because only the operator can make the store faster.
func (d *door) store(ctx context.Context, upload model.CreateUpload, content io.Reader) (*model.Confirmation, error) {
	limited, cancel := d.fetcher.withTimeout(ctx, d.fetcher.totalTimeout+d.fetcher.storeTimeout, errStoreTimeout)
	defer cancel()
	confirmation, err := d.Resolver.StoreUpload(limited, upload, content)
	if errors.Is(err, errStoreTimeout) {
		d.Logger.Warn("store a download", "error", err, "request_id", model.RequestID(ctx))
	}
	return confirmation, err
}

// storeUnknownLength stores a file whose source does not send its length. An upload needs its size
// in advance, so the file is downloaded to a temporary file first, whose bytes are not reserved and
// count in no quota. The name is validated before the download.
func (d *door) storeUnknownLength(ctx context.Context, upload model.CreateUpload, body io.Reader) (*model.Confirmation, error) {
	if err := d.Resolver.CheckFileName(upload); err != nil {
		return nil, err
	}
	file, err := view.NewTempFile(d.TempFolder, "portico-download-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the store has the bytes
	length, err := file.Fill(body)
	if err != nil {
		return nil, err
	}
	upload.FileSize = model.FileSize(length)
	if length == 0 {
		return nil, model.InvalidField("source_url", "answered with an empty file")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read a download: %w", err)
	}
	return d.store(ctx, upload, file)
}

// name returns the name of the file: the name in the input, or else the last part of the address
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

// downloadBody reads the body of a download. It limits the number of bytes and the time between
// them, and reports the progress.
//
// One goroutine reads. The timer runs in another one, and only cancels the context.
type downloadBody struct {
	ctx          context.Context // of the request
	body         io.Reader
	limit        graph.UploadLimit
	length       int64 // -1 if it is unknown
	read         int64 // the number of bytes so far
	progress     *progress
	place        *semaphore.Place
	stallTimeout time.Duration
	stop         context.CancelCauseFunc // ends the request
}

// Read implements io.Reader. While the source sends nothing, the read of the body blocks, so a
// timer cancels the request.
func (d *downloadBody) Read(p []byte) (int, error) {
	stalled := time.AfterFunc(d.stallTimeout, func() { d.stop(errDownloadTimeout) })
	n, err := d.body.Read(p)
	stalled.Stop()
	d.read += int64(n)
	d.place.Progress(int64(n))
	if err != nil && !errors.Is(err, io.EOF) {
		return n, bodyError(d.ctx, err)
	}
	if d.length < 0 { // the store checks a known length
		if refusal := d.limit.Check(d.read); refusal != nil {
			return n, refusal
		}
	}
	d.report()
	return n, err
}

// bodyError returns the error of a failed read of a body that the client sees. If a timeout has
// ended the read, it is the cause of the end of ctx.
func bodyError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &model.Error{Code: model.CodeInvalid, Message: "source_url ended early", Field: "source_url", Err: err}
}

// report reports the bytes so far as a fraction of the length. If the length is unknown, it is a
// fraction of the limit: the progress is then too low, but it rises.
func (d *downloadBody) report() {
	whole := d.length
	if whole <= 0 {
		whole = max(1, d.limit.Bytes())
	}
	part := min(1, float64(d.read)/float64(whole))
	d.progress.notifyThrottled(d.ctx, downloadShare*part, func() string { return fmt.Sprintf("Downloaded %d bytes", d.read) })
}
