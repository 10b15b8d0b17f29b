package disk

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/semaphore"
	"portico/storage"
	"portico/storage/storagetest"
)

func TestBodyReader_deadline(t *testing.T) {
	t.Parallel()
	started := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		name  string
		after time.Duration
		read  int64
		want  time.Duration // after the upload started
	}{
		{"waits a minute for the first bytes", 0, 0, time.Minute},
		{"waits a minute for the next ones", 10 * time.Minute, 1 << 30, 11 * time.Minute},
		{"ends what comes a byte a second", 59 * time.Second, 59, time.Minute},
		{"ends what has been too slow for long", time.Hour, 1 << 20, time.Minute + 1024*time.Second},
		{"ends what takes a day", 23*time.Hour - time.Second, 1 << 40, 23 * time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := &bodyReader{stall: time.Minute, started: started, read: test.read}
			if got, want := body.deadline(started.Add(test.after)), started.Add(test.want); !got.Equal(want) {
				t.Errorf("deadline: got %v after the start, want %v", got.Sub(started), test.want)
			}
		})
	}
}

// An upload whose address was issued once must not take room several times at once.
func TestPut_refuses_many_at_once_to_one_address(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	p := s.presignUpload(t, "1/a.glb")
	var place *semaphore.Place
	for range maxUploadsAtOnce {
		var ok bool
		if place, ok = s.uploads.Enter("1/a.glb", 1, nil); !ok {
			t.Fatalf("upload: got a refusal, want %d to run at a time", maxUploadsAtOnce)
		}
	}
	header := http.Header{"Content-Type": {p.Headers["Content-Type"]}}
	res, body := storagetest.Send(t, http.MethodPut, p.URL, header, strings.NewReader("glTF"))
	checkRefusal(t, res, body, http.StatusTooManyRequests)
	checkHeaders(t, res.Header, map[string]string{"Retry-After": "5"})
	if want := `"retry_after_seconds":5`; !strings.Contains(body, want) {
		t.Errorf("body = %s, want %s in it", body, want)
	}
	if res := storagetest.Upload(t, s.presignUpload(t, "1/b.glb"), strings.NewReader("glTF")); res.StatusCode != http.StatusOK {
		t.Errorf("to another address meanwhile: got %d, want 200", res.StatusCode)
	}
	place.Leave()
	for range 2 { // the first one has left, too
		if res := storagetest.Upload(t, p, strings.NewReader("glTF")); res.StatusCode != http.StatusOK {
			t.Errorf("when one has ended: got %d, want 200", res.StatusCode)
		}
	}
}

// After the clock was set back by an hour, an address from before does not live longer.
func TestPut_refuses_an_address_from_the_future(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) { o.UploadLifetime = 15 * time.Minute })
	p := s.presignUpload(t, "1/a.glb")
	issued := s.now
	for _, back := range []time.Duration{time.Hour, 17 * time.Minute} {
		s.now = issued.Add(-back)
		header := http.Header{"Content-Type": {p.Headers["Content-Type"]}}
		res, body := storagetest.Send(t, http.MethodPut, p.URL, header, strings.NewReader("glTF"))
		checkRefusal(t, res, body, http.StatusForbidden)
	}
	s.now = issued.Add(-30 * time.Second) // as another replica's clock may be
	if res := storagetest.Upload(t, p, strings.NewReader("glTF")); res.StatusCode != http.StatusOK {
		t.Errorf("with a clock that is off by half a minute: got %d, want 200", res.StatusCode)
	}
}

// A place for uploads belongs to those who use it: senders of a byte now and then give way.
func TestPut_of_a_slow_sender_gives_way(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	s.receiving = semaphore.Room{Size: 3, Share: 2, MaxWaiting: 1, Floor: 1 << 20, Grace: 200 * time.Millisecond}
	slow := make(chan *http.Response, 3)
	trickle := func(key string) {
		p := storagetest.Presign(t, s, storage.Upload{Key: key, ContentType: "a/b", Size: 100, Expires: s.now.Add(time.Minute)})
		body, sender := io.Pipe()
		go func() {
			for range 100 {
				if _, err := sender.Write([]byte("g")); err != nil {
					return
				}
				select {
				case <-time.After(100 * time.Millisecond):
				case <-t.Context().Done():
				}
			}
			_ = sender.Close() // a pipe's never fails
		}()
		go func() {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, p.URL, body)
			r.ContentLength = 100
			r.Header.Set("Content-Type", "a/b")
			res, err := http.DefaultClient.Do(r)
			if err == nil { // the test has ended otherwise
				_ = res.Body.Close()
				slow <- res
			}
		}()
	}
	for i := range 3 {
		trickle(fmt.Sprintf("%d/slow.glb", i))
	}
	for s.receiving.Taken() < 3 {
		time.Sleep(time.Millisecond)
	}
	started := time.Now()
	for _, account := range []string{"7", "8", "9"} {
		if res := storagetest.Upload(t, s.presignUpload(t, account+"/fast.glb"), strings.NewReader("glTF")); res.StatusCode != http.StatusOK {
			t.Errorf("another account beside slow senders: got %d, want 200", res.StatusCode)
		}
	}
	if waited := time.Since(started); waited > 10*time.Second {
		t.Errorf("the others waited %v, want less", waited)
	}
	if res := <-slow; res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("a slow sender: got %d, want 429 with the time to wait", res.StatusCode)
	}
}
