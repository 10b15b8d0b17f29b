package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"time"
)

// maxUploadsAtOnce is how many uploads to one address may run at a time: one, and
// those that a client gave up before the server knew. Each takes room on the disk,
// which was promised once.
const maxUploadsAtOnce = 8

// receive answers a presigned PUT: 200 with the ETag once the bytes are safe,
// for the same bytes again too. Other bytes are refused, because those before
// may have been confirmed already.
func (d *Disk) receive(w http.ResponseWriter, r *http.Request, key string) error {
	size, err := d.signer.verify(r, key, d.now())
	if err != nil {
		return err
	}
	release, ok := d.uploads.Acquire(key)
	if !ok {
		return refuse(http.StatusTooManyRequests, messageBusy)
	}
	defer release()
	if err := d.awaited(r.Context(), key); err != nil {
		return err
	}
	in, err := d.newIncoming()
	if err != nil {
		return err
	}
	defer in.discard()
	if err := d.download(w, r, in, promised{key, size}); err != nil {
		return err
	}
	if err := d.keep(in, key); err != nil {
		return err
	}
	if err := d.claim(r.Context(), key); err != nil {
		return err
	}
	object, err := d.Stat(r.Context(), key)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", object.ETag)
	w.WriteHeader(http.StatusOK)
	return nil
}

// awaited refuses an upload that nobody waits for: it was confirmed or given up.
func (d *Disk) awaited(ctx context.Context, key string) error {
	if d.receiving == nil {
		return nil
	}
	awaited, err := d.receiving(ctx, key)
	if err != nil {
		return fmt.Errorf("ask for upload %s: %w", key, err)
	}
	if !awaited {
		return refuse(http.StatusConflict, messageSettled)
	}
	return nil
}

// claim has an object that was just placed counted, or deletes it where the upload was
// given up meanwhile. Who gives it up deletes what is there by then, so that one of
// the two sees the object.
func (d *Disk) claim(ctx context.Context, key string) error {
	if d.received == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // the object is there, whoever leaves
	wanted, err := d.received(ctx, key)
	if err != nil {
		return fmt.Errorf("report upload %s: %w", key, err)
	}
	if wanted {
		return nil
	}
	return errors.Join(refuse(http.StatusConflict, messageSettled), d.Delete(ctx, key))
}

// promised is what an upload is to bring.
type promised struct {
	key  string
	size int64 // bytes
}

// download writes the body into in, exactly as many bytes as are promised. One byte more is
// asked for, to find a chunked body that is too long without reading it all.
func (d *Disk) download(w http.ResponseWriter, r *http.Request, in *incoming, want promised) error {
	body := &patient{body: r.Body, control: http.NewResponseController(w), stall: d.stall, began: time.Now()}
	defer body.stop()
	body.check = func() error { return d.awaited(r.Context(), want.key) }
	received, err := in.fill(r.Context(), io.LimitReader(body, want.size+1))
	if err != nil {
		return err
	}
	if received != want.size {
		return refuse(http.StatusForbidden, messageWrongSize)
	}
	return nil
}

// keep places the file where none is yet. A link, unlike a rename, decides
// between two uploads of one key, whichever processes they are in.
func (d *Disk) keep(in *incoming, key string) error {
	if err := in.seal(); err != nil {
		return err
	}
	err := d.place(d.root.Link, in, key)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	same, err := d.holds(key, in)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if !same {
		return refuse(http.StatusConflict, messageConflict)
	}
	return nil
}

// holds reports whether the object has the bytes of in.
func (d *Disk) holds(key string, in *incoming) (bool, error) {
	file, object, err := d.open(key)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // read only
	info, err := in.file.Stat()
	if err != nil || info.Size() != object.Size {
		return false, err
	}
	return d.equal(file, io.NewSectionReader(in.file, 0, info.Size()))
}

// equal compares two streams through the halves of one buffer.
func (d *Disk) equal(a, b io.Reader) (bool, error) {
	buffer := d.buffers.Get().(*[]byte)
	defer d.buffers.Put(buffer)
	left, right := (*buffer)[:copyBuffer/2], (*buffer)[copyBuffer/2:]
	for {
		n, errA := io.ReadFull(a, left)
		m, errB := io.ReadFull(b, right)
		if err := errors.Join(broken(errA), broken(errB)); err != nil {
			return false, err
		}
		if !bytes.Equal(left[:n], right[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil {
			// Equal to the end of one: the same if it is the end of both.
			return errA != nil && errB != nil, nil
		}
	}
}

// broken drops the two errors that io.ReadFull has for the end.
func broken(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}

const (
	// checkEvery is how often somebody must still wait for an upload.
	checkEvery = 30 * time.Second
	// leastPace is how many bytes a second an upload must bring after its first
	// minute. Slower ones only hold on to a connection and a buffer.
	leastPace = 1 << 10
	// longestUpload is how long one may take. Nobody waits for bytes that come a
	// day after their address has expired.
	longestUpload = 23 * time.Hour
)

// patient gives each read of a body its own time, instead of one deadline for
// a whole upload that may take hours.
type patient struct {
	body    io.Reader
	control *http.ResponseController
	stall   time.Duration
	began   time.Time
	read    int64        // bytes
	check   func() error // whether somebody still waits; nil for always
	checked time.Time
}

// Read waits for bytes as long as the stall timeout and the pace allow.
func (p *patient) Read(b []byte) (int, error) {
	now := time.Now()
	if p.checked.IsZero() {
		p.checked = now
	}
	if p.check != nil && now.Sub(p.checked) > checkEvery {
		p.checked = now
		if err := p.check(); err != nil {
			return 0, err
		}
	}
	// A writer without deadlines, as in tests, waits without one.
	_ = p.control.SetReadDeadline(p.deadline(now))
	n, err := p.body.Read(b)
	p.read += int64(n)
	return n, err
}

// deadline returns until when the next bytes must come.
func (p *patient) deadline(now time.Time) time.Time {
	paced := p.stall + time.Duration(p.read/leastPace)*time.Second
	whole := p.began.Add(min(paced, longestUpload))
	if next := now.Add(p.stall); next.Before(whole) {
		return next
	}
	return whole
}

// stop takes the deadline back: once the body has ended, the server goes on
// reading to notice a client that leaves, and would take it for one.
func (p *patient) stop() { _ = p.control.SetReadDeadline(time.Time{}) }
