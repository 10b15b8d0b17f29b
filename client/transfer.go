package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// transfer sends the bytes of one upload. It sends the parts of a divided upload concurrently.
//
// Each part, and an upload that is not divided, needs these requests of tus 1.0:
//
//	HEAD upload          Upload-Length: the size; Upload-Concat: "final;" and the parts
//	HEAD part            Upload-Length: the size of the part; Upload-Offset: what the server has
//	PATCH part           Upload-Offset: where the body starts, and in the response the new one
//
// A PATCH has at most maxPiece bytes, and fewer after a response with 413: proxies and CDNs limit
// requests, often to 100 MB.
//
// The server stores the bytes of a broken PATCH up to the break, so after an error HEAD says where
// to continue.
type transfer struct {
	remote  *Client
	address string
	file    *os.File
	size    int64
	report  Reporter

	// mu protects the fields below. It also orders the calls of report.
	mu    sync.Mutex
	sent  map[int64]int64 // sent bytes of each part, by the offset of the part in the file
	piece int64           // the maximum size of a PATCH in bytes
}

// The largest PATCH, and the smallest one that is tried after a response with 413. The smaller one is
// below the default limit of nginx, 1 MiB.
const (
	maxPiece = 64_000_000
	minPiece = maxPiece / 64
)

// Reporter is called with the number of bytes that the whole upload has sent so far, never by two
// goroutines at a time. message says what is happening, such as a wait for the server.
type Reporter func(sent int64, message string)

// The delays of an upload whose connection is broken. An upload waits for a server that restarts.
const (
	MaxRetryDelay = 15 * time.Second
	pollInterval  = time.Second // between two polls of a job
)

// send sends the bytes that the server does not have yet, and returns when it has all bytes. The
// parts are sent concurrently, and the first part that fails permanently stops the others.
func (t *transfer) send(ctx context.Context) error {
	t.sent, t.piece = map[int64]int64{}, maxPiece
	var parts []*partTransfer
	err := t.retryUntilStalled(ctx, func() (_ int64, err error) {
		parts, err = t.parts(ctx)
		return 0, err
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var sending sync.WaitGroup
	for _, part := range parts {
		sending.Go(func() {
			if err := t.retryUntilStalled(ctx, func() (int64, error) { return part.sendOnce(ctx) }); err != nil {
				cancel(err) // without this part, the other parts are useless
			}
		})
	}
	sending.Wait()
	return context.Cause(ctx)
}

// parts returns the parts of the upload, as the server has divided it (tus, "Concatenation"). An
// upload that is not divided is one part.
func (t *transfer) parts(ctx context.Context) ([]*partTransfer, error) {
	responseHeader, err := t.remote.Send(ctx, http.MethodHead, t.address, tusHeader(), nil)
	if err != nil {
		return nil, err
	}
	if length := responseHeader.Get("Upload-Length"); length != strconv.FormatInt(t.size, 10) {
		return nil, &RefusedError{Status: http.StatusPreconditionFailed, Message: fmt.Sprintf("the upload is of a file of %s bytes: continue it with the same file", length)}
	}
	addresses, isDivided := strings.CutPrefix(responseHeader.Get("Upload-Concat"), "final;")
	if !isDivided {
		return []*partTransfer{{transfer: t, address: t.address, size: t.size}}, nil
	}
	var parts []*partTransfer
	start, base := int64(0), t.address[:strings.LastIndexByte(t.address, '/')+1]
	for address := range strings.FieldsSeq(addresses) {
		// Only the last segment of the address is used: the key must go to no other server
		// than the one that the user has named.
		part := &partTransfer{transfer: t, start: start, address: base + address[strings.LastIndexByte(address, '/')+1:]}
		if responseHeader, err = t.remote.Send(ctx, http.MethodHead, part.address, tusHeader(), nil); err != nil {
			return nil, err
		}
		if part.size, err = strconv.ParseInt(responseHeader.Get("Upload-Length"), 10, 64); err != nil {
			return nil, fmt.Errorf("read the size of a part: %w", err)
		}
		start += part.size
		parts = append(parts, part)
	}
	if start != t.size {
		return nil, fmt.Errorf("the server has parts of %d bytes for a file of %d", start, t.size)
	}
	return parts, nil
}

// retryUntilStalled calls work, which returns the offset that it has reached, until work succeeds,
// fails with a permanent error, or reaches no higher offset for MaxStall. If work reached a higher
// offset before errStalled, it is called again, because the connection may be lost while the server
// is well.
func (t *transfer) retryUntilStalled(ctx context.Context, work func() (int64, error)) error {
	last, lastProgress, delays := int64(-1), time.Now(), retryDelays()
	isFinal := func(err error) bool { return !isTemporary(err) || time.Since(lastProgress) > MaxStall }
	return retry(ctx, isFinal, func() error {
		reached, err := work()
		if reached > last {
			last, lastProgress = reached, time.Now()
			delays.Reset()
		}
		return err
	}, backoff.WithBackOff(delays), backoff.WithNotify(func(error, time.Duration) {
		t.advance(nil, 0, "Waiting for the server")
	}))
}

// advance sets the number of sent bytes of a part, and reports the sum of all parts. With a nil
// part it reports the message only.
func (t *transfer) advance(part *partTransfer, sent int64, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if part != nil {
		t.sent[part.start] = sent
	}
	sum := int64(0)
	for _, sent := range t.sent {
		sum += sent
	}
	if message == "" {
		message = fmt.Sprintf("Sent %d of %d MB", sum/1e6, t.size/1e6)
	}
	t.report(sum, message)
}

// partTransfer sends one part of an upload, or an upload that is not divided.
type partTransfer struct {
	*transfer
	address     string
	start, size int64
}

// errShortWrite means that the server stored only some of the bytes that were sent.
var errShortWrite = errors.New("the server stored only a part of the request")

// sendOnce requests the offset, sends the remaining bytes in pieces, and returns how many bytes the
// server has. Without an error, the server has all bytes. After a broken request it returns how many
// bytes were sent, which the server may have. It returns -1 if the number of bytes is unknown.
func (p *partTransfer) sendOnce(ctx context.Context) (int64, error) {
	offset, err := p.offset(ctx)
	if err != nil {
		return -1, err
	}
	for offset < p.size {
		length := min(p.pieceSize(), p.size-offset)
		offset, err = p.sendPiece(ctx, offset, length)
		if refused, ok := errors.AsType[*RefusedError](err); ok && refused.Status == http.StatusRequestEntityTooLarge && p.halvePiece(length) {
			// A proxy that counts while it forwards has forwarded some bytes.
			if offset, err = p.offset(ctx); err != nil {
				return -1, err
			}
		}
		if err != nil {
			return offset, err
		}
	}
	return offset, nil
}

// offset requests how many bytes of the part the server has.
func (p *partTransfer) offset(ctx context.Context) (int64, error) {
	responseHeader, err := p.remote.Send(ctx, http.MethodHead, p.address, tusHeader(), nil)
	if err != nil {
		return -1, err
	}
	offset, err := strconv.ParseInt(responseHeader.Get("Upload-Offset"), 10, 64)
	if err != nil {
		return -1, fmt.Errorf("read the offset: %w", err)
	}
	p.advance(p, offset, "")
	return offset, nil
}

// sendPiece sends bytes of the part, and returns how many bytes the server has, as sendOnce does.
func (p *partTransfer) sendPiece(ctx context.Context, offset, length int64) (int64, error) {
	header := tusHeader()
	header.Set("Upload-Offset", strconv.FormatInt(offset, 10))
	header.Set("Content-Type", "application/offset+octet-stream")
	body := &progressReader{SectionReader: io.NewSectionReader(p.file, p.start+offset, length), part: p, start: offset}
	responseHeader, err := p.remote.Send(ctx, http.MethodPatch, p.address, header, body)
	if err != nil {
		return p.sentBytes(), err
	}
	reached, err := strconv.ParseInt(responseHeader.Get("Upload-Offset"), 10, 64)
	if err == nil && reached != offset+length {
		err = errShortWrite
	}
	return reached, err
}

// pieceSize returns the maximum size of a PATCH.
func (t *transfer) pieceSize() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.piece
}

// halvePiece makes later pieces smaller than a piece of this length, which was too large. It reports
// false if the piece was as small as pieces get.
func (t *transfer) halvePiece(length int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.piece = min(t.piece, max(length/2, minPiece))
	return length > minPiece
}

// sentBytes returns the last number of bytes that advance stored for the part. The server may have
// fewer, because bytes on the way are lost when a connection breaks.
func (p *partTransfer) sentBytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[p.start]
}

// tusHeader returns the header that every request of tus needs (tus 1.0, "Tus-Resumable").
func tusHeader() http.Header { return http.Header{"Tus-Resumable": {"1.0.0"}} }

// progressReader reports how many bytes of a body were read. A file that became shorter cannot be
// sent at all, so it ends the upload.
type progressReader struct {
	*io.SectionReader
	part  *partTransfer
	start int64 // where the body starts in the part
	read  int64 // bytes
}

// errShortened means that a file has fewer bytes than when its upload was created.
var errShortened = errors.New("the file became shorter while it was sent; upload it again")

// Read implements io.Reader.
func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.SectionReader.Read(p)
	r.read += int64(n)
	if n > 0 {
		r.part.advance(r.part, r.start+r.read, "")
	}
	if errors.Is(err, io.EOF) && r.read < r.Size() {
		err = &fs.PathError{Op: "read", Path: r.part.file.Name(), Err: errShortened}
	}
	return n, err
}
