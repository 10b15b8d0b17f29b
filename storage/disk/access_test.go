package disk

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/storage/storagetest"
)

// Two objects of one file, and an object of another file of the same user.
const (
	roomManifest = "12345678/api_uploads/abc_room/lod-meta.json"
	roomChunk    = "12345678/api_uploads/abc_room/data/0 1.sog"
	roomPoster   = "12345678/derived/abc/poster.jpg"
	otherFile    = "12345678/api_uploads/abcd_other.ply"
)

// protected returns a store whose objects are all protected, or all readable.
type protected struct {
	shown atomic.Bool
	now   atomic.Int64 // nanoseconds after it was made
}

func (p *protected) ask(context.Context, string) (bool, error) { return p.shown.Load(), nil }

func TestStore_serves_protected_files_only_while_shown(t *testing.T) {
	t.Parallel()
	rule := &protected{}
	s := newTestServer(t, func(o *Options) {
		o.Shown = rule.ask
		began := time.Now()
		o.Now = func() time.Time { return began.Add(time.Duration(rule.now.Load())) }
	})
	for _, key := range []string{roomManifest, roomChunk, roomPoster, otherFile} {
		storagetest.Put(t, s, key, "0123456789")
	}
	signed := storagetest.ReadURL(t, s, roomManifest)
	if strings.Contains(signed, "?") || !strings.HasSuffix(signed, "/"+roomManifest) {
		t.Errorf("ReadURL: got %s, want one without a query that ends in the key", signed)
	}
	if key, ok := s.KeyOf(signed); !ok || key != roomManifest {
		t.Errorf("KeyOf(%s): got %q, want the key", signed, key)
	}
	check := func(when string, status func(int) int) {
		t.Helper()
		for _, tt := range protectedAddresses(s.PublicURL(roomManifest), signed) {
			if res, _ := storagetest.Get(t, tt.address, nil); res.StatusCode != status(tt.status) {
				t.Errorf("%s, %s: got %d, want %d", when, tt.name, res.StatusCode, status(tt.status))
			}
		}
	}
	check("protected", func(status int) int { return status })
	res, body := storagetest.Get(t, signed, http.Header{"Range": {"bytes=2-4"}})
	if res.StatusCode != http.StatusPartialContent || body != "234" {
		t.Errorf("range: got %d %q, want 206 %q", res.StatusCode, body, "234")
	}
	if got := res.Header.Get("Cache-Control"); !strings.HasPrefix(got, "private, max-age=") {
		t.Errorf("Cache-Control: got %q, want it private", got)
	}
	if res, _ := storagetest.Send(t, http.MethodPut, signed+"?expires=1&size=1&signature=x", nil, strings.NewReader("x")); res.StatusCode != http.StatusForbidden {
		t.Errorf("PUT: got %d, want 403", res.StatusCode)
	}
	rule.now.Store(int64(30 * time.Minute)) // of at least an hour
	check("half an hour later", func(status int) int { return status })
	rule.now.Store(int64(2*time.Hour + time.Minute))
	check("expired", func(int) int { return 404 })
	rule.shown.Store(true)
	if res, _ := storagetest.Get(t, s.PublicURL(roomManifest), nil); res.StatusCode != 200 || res.Header.Get("Cache-Control") != "public, max-age=60" {
		t.Errorf("shown: got %d, kept %q, want 200, kept for a minute", res.StatusCode, res.Header.Get("Cache-Control"))
	}
	if secret := strings.Split(strings.TrimPrefix(signed, s.url+"/files/"), "/")[0]; strings.Contains(s.log.String(), secret) {
		t.Error("log: got a signature in it, want none")
	}
}

// protectedAddress is an address of a protected file, and the status of its response while the
// signature is valid.
type protectedAddress struct {
	name, address string
	status        int
}

// protectedAddresses returns addresses that the signed address of roomManifest permits, and others.
func protectedAddresses(public, signed string) []protectedAddress {
	folder := strings.TrimSuffix(signed, "lod-meta.json")
	root := strings.TrimSuffix(signed, roomManifest)
	return []protectedAddress{
		{"the address of everyone", public, 404},
		{"signed", signed, 200},
		{"a file beside it", folder + "data/0%201.sog", 200},
		{"its poster", root + roomPoster, 200},
		{"another file", root + otherFile, 404},
		{"another user's", root + "87654321" + roomManifest[8:], 404},
		{"another signature", strings.Replace(signed, "~", "~1", 1), 404},
		{"no signature", strings.Replace(signed, "/~", "/~~", 1), 404},
	}
}

// A signed address ends before its time when the version of its account changes.
func TestReadURL_ends_with_the_version_of_its_account(t *testing.T) {
	t.Parallel()
	var version atomic.Int64
	asked := make(chan string, 10)
	s := newTestServer(t, func(o *Options) {
		o.Shown = (&protected{}).ask
		o.KeyVersion = func(_ context.Context, userID string) (int64, error) {
			asked <- userID
			return version.Load(), nil
		}
	})
	storagetest.Put(t, s, otherFile, "0123456789")
	before := storagetest.ReadURL(t, s, otherFile)
	if got := <-asked; got != "12345678" {
		t.Errorf("account: got %q, want the owner of the file", got)
	}
	for want, address := range map[int]string{http.StatusOK: before, http.StatusNotFound: s.PublicURL(otherFile)} {
		if res, _ := storagetest.Get(t, address, nil); res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", address, res.StatusCode, want)
		}
	}
	version.Add(1)
	for want, address := range map[int]string{http.StatusOK: storagetest.ReadURL(t, s, otherFile), http.StatusNotFound: before} {
		if res, _ := storagetest.Get(t, address, nil); res.StatusCode != want {
			t.Errorf("in another version, %s: got %d, want %d", address, res.StatusCode, want)
		}
	}
}

func TestReadURL_is_public_where_nothing_is_protected(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	if got, want := storagetest.ReadURL(t, s, otherFile), s.PublicURL(otherFile); got != want {
		t.Errorf("ReadURL: got %s, want %s", got, want)
	}
}
