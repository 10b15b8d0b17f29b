package disk

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/semaphore"
	"portico/storage"
	"portico/storage/storagetest"
)

// waiting is the state of uploads as a program knows it.
type waiting struct {
	mu      sync.Mutex
	awaited bool // by somebody
	asked   int
}

func (w *waiting) ask(context.Context, string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	return w.awaited, nil
}

func (w *waiting) set(awaited bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.awaited = awaited
}

func TestUploads_that_are_not_expected_are_refused(t *testing.T) {
	t.Parallel()
	w := &waiting{awaited: true}
	s := newTestServer(t, func(o *Options) { o.KeepReserved, o.AcceptStored = w.ask, w.ask })
	p := storagetest.Presign(t, s, storage.Upload{Key: "1/a.ply", ContentType: "a/b", Size: 3, Expires: s.now.Add(time.Minute)})
	if res := storagetest.Upload(t, p, strings.NewReader("ply")); res.StatusCode != http.StatusOK || w.asked != 2 {
		t.Errorf("PUT: got %d, asked %d times, want 200 and before and after", res.StatusCode, w.asked)
	}
	w.set(false)
	res, body := storagetest.Send(t, p.Method, p.URL, http.Header{"Content-Type": {"a/b"}}, strings.NewReader("ply"))
	checkRefusal(t, res, body, http.StatusConflict)
	if err := s.Delete(t.Context(), "1/a.ply"); err != nil {
		t.Fatal(err)
	}
	res, body = storagetest.Send(t, p.Method, p.URL, http.Header{"Content-Type": {"a/b"}}, strings.NewReader("ply"))
	checkRefusal(t, res, body, http.StatusConflict)

	// Discarded while the bytes arrived: what was stored is deleted.
	late := newTestServer(t, func(o *Options) {
		o.KeepReserved = (&waiting{awaited: true}).ask
		o.AcceptStored = (&waiting{}).ask
	})
	p = storagetest.Presign(t, late, storage.Upload{Key: "1/a.ply", ContentType: "a/b", Size: 3, Expires: late.now.Add(time.Minute)})
	if res := storagetest.Upload(t, p, strings.NewReader("ply")); res.StatusCode != http.StatusConflict {
		t.Errorf("PUT of an upload that is discarded meanwhile: got %d, want 409", res.StatusCode)
	}
	if got := storagetest.Keys(t, late, ""); len(got) != 0 || len(late.incomingFiles(t)) != 0 {
		t.Errorf("left: got %q and %q, want nothing", got, late.incomingFiles(t))
	}
}

func TestBodyReader_checks_that_the_upload_is_still_expected(t *testing.T) {
	t.Parallel()
	var result error
	place, _ := new(semaphore.Room).Enter("1", 1, nil)
	p := &bodyReader{
		place: place,
		body:  strings.NewReader("bytes"), control: http.NewResponseController(httptest.NewRecorder()), stall: time.Minute, started: time.Now(),
		check: func() error { return result }, checked: time.Now(),
	}
	one := make([]byte, 1)
	result = errSettled
	if _, err := p.Read(one); err != nil {
		t.Errorf("soon after it was asked: got %v, want no question", err)
	}
	result = errors.New("the database restarts")
	p.checked = time.Now().Add(-checkInterval - time.Second)
	if _, err := p.Read(one); err != nil {
		t.Errorf("if the check fails: got %v, want the next byte", err)
	}
	result = errSettled
	p.checked = time.Now().Add(-checkInterval - time.Second)
	if _, err := p.Read(one); !errors.Is(err, errSettled) {
		t.Errorf("of an upload that was discarded: got %v, want the refusal", err)
	}
}
