package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// transfer sends the bytes of one upload, in parts at the same time if the upload has any.
type transfer struct {
	remote  *remote
	address string
	file    *os.File
	size    int64
	report  reporter

	mu   sync.Mutex
	sent map[int64]int64 // bytes by the start of the part
}

// reporter is called with the number of bytes that were sent so far.
type reporter func(sent int64, message string)

// The waits of an upload whose connection is broken.
const (
	// giveUpAfter is how long an upload may make no progress.
	giveUpAfter = 5 * time.Minute
	maxWait     = 15 * time.Second
	pollEvery   = time.Second
)

// send sends what the server does not have yet, until it has all.
func (t *transfer) send(ctx context.Context) error {
	t.sent = map[int64]int64{}
	var parts []*partTransfer
	err := t.insist(ctx, func() (_ int64, err error) {
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
			if err := t.insist(ctx, func() (int64, error) { return part.sendOnce(ctx) }); err != nil {
				cancel(err) // the other parts would be sent for nothing
			}
		})
	}
	sending.Wait()
	return context.Cause(ctx)
}

// parts asks the server what the upload consists of. An upload that is sent in order is one part.
func (t *transfer) parts(ctx context.Context) ([]*partTransfer, error) {
	answer, err := t.remote.send(ctx, http.MethodHead, t.address, tusHeader(), nil)
	if err != nil {
		return nil, err
	}
	if length := answer.Get("Upload-Length"); length != strconv.FormatInt(t.size, 10) {
		return nil, &refusedError{status: http.StatusPreconditionFailed, message: fmt.Sprintf("the upload is of a file of %s bytes: continue it with the same file", length)}
	}
	addresses, isDivided := strings.CutPrefix(answer.Get("Upload-Concat"), "final;")
	if !isDivided {
		return []*partTransfer{{transfer: t, address: t.address, size: t.size}}, nil
	}
	var parts []*partTransfer
	start := int64(0)
	for address := range strings.FieldsSeq(addresses) {
		// The key goes to the server that the user has named, whatever the answer says.
		part := &partTransfer{transfer: t, start: start, address: t.address[:strings.LastIndexByte(t.address, '/')] + address[strings.LastIndexByte(address, '/'):]}
		if answer, err = t.remote.send(ctx, http.MethodHead, part.address, tusHeader(), nil); err != nil {
			return nil, err
		}
		if part.size, err = strconv.ParseInt(answer.Get("Upload-Length"), 10, 64); err != nil {
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

// insist repeats work, which returns how far it has come, as long as it comes further or the
// server may answer later.
func (t *transfer) insist(ctx context.Context, work func() (int64, error)) error {
	last, since, wait := int64(-1), time.Now(), time.Second
	for {
		reached, err := work()
		if err == nil {
			return nil
		}
		if reached > last {
			last, since, wait = reached, time.Now(), time.Second
		}
		if refused, ok := errors.AsType[*refusedError](err); ok && !refused.isTemporary() || ctx.Err() != nil || time.Since(since) > giveUpAfter {
			return errors.Join(context.Cause(ctx), err)
		}
		t.advance(nil, 0, "waiting for the server")
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, maxWait)
	}
}

// advance reports how much was sent, after a part has come to so many bytes. Nil is no part.
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
		message = fmt.Sprintf("sent %d of %d MB", sum/1e6, t.size/1e6)
	}
	t.report(sum, message)
}

// partTransfer sends one part, or all of an upload that is sent in order.
type partTransfer struct {
	*transfer
	address     string
	start, size int64
}

// errUnfinished means that the server has stored a part of what was sent.
var errUnfinished = errors.New("the server has ended the request early")

// sendOnce asks for the offset, sends the rest, and returns how many bytes the server is
// known to have. Without an error, it has all.
func (p *partTransfer) sendOnce(ctx context.Context) (int64, error) {
	answer, err := p.remote.send(ctx, http.MethodHead, p.address, tusHeader(), nil)
	if err != nil {
		return -1, err
	}
	offset, err := strconv.ParseInt(answer.Get("Upload-Offset"), 10, 64)
	if err != nil {
		return -1, fmt.Errorf("read the offset: %w", err)
	}
	p.advance(p, offset, "")
	if offset == p.size {
		return offset, nil
	}
	header := tusHeader()
	header.Set("Upload-Offset", strconv.FormatInt(offset, 10))
	header.Set("Content-Type", "application/offset+octet-stream")
	body := &sentReader{SectionReader: io.NewSectionReader(p.file, p.start+offset, p.size-offset), part: p, sent: offset}
	answer, err = p.remote.send(ctx, http.MethodPatch, p.address, header, body)
	if err != nil {
		return offset, err
	}
	offset, err = strconv.ParseInt(answer.Get("Upload-Offset"), 10, 64)
	if err == nil && offset != p.size {
		err = errUnfinished
	}
	return offset, err
}

func tusHeader() http.Header { return http.Header{"Tus-Resumable": {"1.0.0"}} }

// sentReader reports what is read of a body.
type sentReader struct {
	*io.SectionReader
	part *partTransfer
	sent int64
}

// Read implements io.Reader.
func (r *sentReader) Read(p []byte) (int, error) {
	n, err := r.SectionReader.Read(p)
	r.sent += int64(n)
	if n > 0 {
		r.part.advance(r.part, r.sent, "")
	}
	return n, err
}
