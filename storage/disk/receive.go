package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"portico/internal/semaphore"
	"portico/storage"
)

// maxUploadsAtOnce is the maximum number of concurrent uploads to one address. A client sends only
// one. The others belong to connections that the client has lost and the server has not noticed
// yet. Each uses space on the disk, which was reserved only once.
const maxUploadsAtOnce = 8

// The places for uploads. Each takes a buffer of copyBuffer bytes and a file.
const (
	maxReceiving          = 128
	maxReceivingOfAccount = 16
	// maxWaitingUploads is how many uploads of an account may wait for a place, and maxPlaceWait
	// how long: a client that sends a folder opens many connections.
	maxWaitingUploads = 64
	maxPlaceWait      = 30 * time.Second
	// An upload that is slower than minPlaceRate bytes per second, on average after placeGrace,
	// gives its place to others that want it.
	minPlaceRate = 8 << 10
	placeGrace   = 20 * time.Second
)

// receive responds to a presigned PUT with 200 and the ETag once the bytes are safe, even if the
// same bytes are sent again. It refuses other bytes: the earlier ones may be confirmed already.
func (d *Store) receive(w http.ResponseWriter, r *http.Request, key string) error {
	// The order matters: nothing is read or written before the signature is verified, and the
	// database is asked only for a signed request.
	size, err := d.signer.verify(r, key, d.Now())
	if err != nil {
		return err
	}
	place, ok := d.uploads.Enter(key, 1, nil)
	if !ok {
		return errBusy
	}
	defer place.Leave()
	receiving, err := d.enterReceiving(w, r, key)
	if err != nil {
		return err
	}
	defer receiving.Leave()
	if err := d.checkExpected(r.Context(), key); err != nil {
		return err
	}
	in, err := d.newIncoming()
	if err != nil {
		return err
	}
	defer in.discard()
	if err := d.receiveBody(w, r, in, expectedBody{key, size, receiving}); err != nil {
		return err
	}
	if err := d.storeNew(in, key); err != nil {
		return err
	}
	if err := d.keepOrDelete(r.Context(), key); err != nil {
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

// checkExpected keeps storage reserved for the upload, and returns a refusal if it was confirmed or
// discarded (Options.KeepReserved).
func (d *Store) checkExpected(ctx context.Context, key string) error {
	if d.keepReserved == nil {
		return nil
	}
	expected, err := d.keepReserved(ctx, key)
	if err != nil {
		return fmt.Errorf("check that upload %s is expected: %w", key, err)
	}
	if !expected {
		return errSettled
	}
	return nil
}

// keepOrDelete keeps an object that was just stored, or deletes it if the upload was discarded
// meanwhile (Options.AcceptStored). The request that discards an upload deletes the object that
// it finds, so one of the two deletes it.
func (d *Store) keepOrDelete(ctx context.Context, key string) error {
	if d.acceptStored == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // the object exists, even if the client disconnects
	accepted, err := d.acceptStored(ctx, key)
	if err != nil {
		return fmt.Errorf("accept upload %s: %w", key, err)
	}
	if accepted {
		return nil
	}
	return errors.Join(errSettled, d.Delete(ctx, key))
}

// enterReceiving waits for a place for an upload of the account that the key belongs to. Nothing is
// read before that, so a client that waits takes no buffer and no file. When others want the place
// of an upload that is slower than minPlaceRate, its reads fail.
func (d *Store) enterReceiving(w http.ResponseWriter, r *http.Request, key string) (*semaphore.Place, error) {
	account, _, _ := strings.Cut(key, "/")
	ctx, cancel := context.WithTimeout(r.Context(), maxPlaceWait)
	defer cancel()
	control := http.NewResponseController(w)
	place, err := d.receiving.Wait(ctx, account, 1, func() {
		_ = control.SetReadDeadline(time.Unix(1, 0)) // fails only on a closed connection
	})
	if err != nil && r.Context().Err() == nil {
		return nil, errTooMany
	}
	return place, err
}

// expectedBody is the key and the size of the body that a client may send for its upload.
type expectedBody struct {
	key   string
	size  int64 // bytes
	place *semaphore.Place
}

// receiveBody writes the body of the request into in and checks its size. It reads up to one byte
// more, which detects a chunked body that is too long without reading all of it.
func (d *Store) receiveBody(w http.ResponseWriter, r *http.Request, in *incoming, want expectedBody) error {
	body := &bodyReader{body: r.Body, control: http.NewResponseController(w), stall: d.stall, place: want.place, started: time.Now()}
	defer body.stop()
	body.check = func() error { return d.checkExpected(r.Context(), want.key) }
	written, err := in.fill(r.Context(), io.LimitReader(body, want.size+1))
	if err != nil {
		return err
	}
	if written != want.size {
		return errWrongSize
	}
	return nil
}

// storeNew moves the file to its key if the key is free. A link, unlike a rename, decides between
// two uploads of one key, even in different processes. errConflict means that the key has other
// bytes. The caller discards the file in every case.
func (d *Store) storeNew(in *incoming, key string) error {
	if err := in.seal(); err != nil {
		return err
	}
	err := d.moveToKey(d.root.Link, in, key)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	same, err := d.hasSameBytes(key, in)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if !same {
		return errConflict
	}
	return nil
}

// hasSameBytes reports whether the object has the same bytes as in.
func (d *Store) hasSameBytes(key string, in *incoming) (bool, error) {
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

// equal reports whether two streams have the same bytes.
func (d *Store) equal(a, b io.Reader) (bool, error) {
	buffer := d.buffers.Get().(*[copyBuffer]byte)
	defer d.buffers.Put(buffer)
	left, right := sha256.New(), sha256.New()
	_, err := io.CopyBuffer(left, a, buffer[:])
	if err == nil {
		_, err = io.CopyBuffer(right, b, buffer[:])
	}
	return err == nil && bytes.Equal(left.Sum(nil), right.Sum(nil)), err
}

const (
	// checkInterval is how often an upload checks that it is still expected.
	checkInterval = 30 * time.Second
	// minRate is the minimum number of bytes per second after the stall timeout. A slower
	// upload would only occupy a connection and a buffer.
	minRate = 1 << 10
	// maxUploadTime is the maximum duration of an upload: bytes that arrive a day after
	// their address has expired are not expected any more.
	maxUploadTime = 23 * time.Hour
)

// bodyReader sets a deadline for each read of a body, because a large upload may take hours
// as long as it makes progress.
type bodyReader struct {
	body    io.Reader
	control *http.ResponseController
	stall   time.Duration
	place   *semaphore.Place
	started time.Time
	read    int64        // bytes
	check   func() error // errSettled if the upload is not expected any more; nil for always
	checked time.Time
}

// Read reads within the deadline, and fails if the upload is not expected any more. Another failure
// of the check, such as a database that restarts, does not end the upload: the check after the last
// byte decides.
func (r *bodyReader) Read(b []byte) (int, error) {
	now := time.Now()
	if r.checked.IsZero() {
		r.checked = now
	}
	if r.check != nil && now.Sub(r.checked) > checkInterval {
		r.checked = now
		if err := r.check(); errors.Is(err, errSettled) {
			return 0, err
		}
	}
	// The ResponseWriters of some tests have no deadlines.
	r.place.IfHeld(func() { _ = r.control.SetReadDeadline(r.deadline(now)) })
	n, err := r.body.Read(b)
	r.read += int64(n)
	r.place.Progress(int64(n))
	if err != nil && r.place.GaveWay() {
		return n, errGaveWay
	}
	return n, err
}

// deadline returns the time by which the next bytes must arrive.
func (r *bodyReader) deadline(now time.Time) time.Time {
	atMinRate := r.stall + time.Duration(r.read/minRate)*time.Second
	end := r.started.Add(min(atMinRate, maxUploadTime))
	if next := now.Add(r.stall); next.Before(end) {
		return next
	}
	return end
}

// stop removes the deadline. After the body the server keeps reading to notice that the
// client leaves, and would take the deadline for that.
//
// A body that gave way keeps its deadline: the server would wait for the rest of it otherwise.
func (r *bodyReader) stop() {
	if r.place.GaveWay() {
		return
	}
	_ = r.control.SetReadDeadline(time.Time{}) // fails only where Read could set no deadline either
}
