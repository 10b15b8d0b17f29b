package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"portico/graph"
	"portico/graph/view"
	"portico/internal/semaphore"
	"portico/model"
	"portico/splat/splattest"
	"portico/storage"
)

// site serves files and traps.
func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, text string) { _, _ = io.WriteString(w, text) } // the client may have left
	mux.HandleFunc("/scan.ply", func(w http.ResponseWriter, _ *http.Request) { write(w, "ply") })
	mux.HandleFunc("/unknown-length.ply", func(w http.ResponseWriter, _ *http.Request) {
		write(w, "ply, ")
		w.(http.Flusher).Flush()
		write(w, "in two parts")
	})
	mux.HandleFunc("/empty.ply", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/endless.ply", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			write(w, strings.Repeat("x", 4096))
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/huge.ply", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "60000") })
	mux.HandleFunc("/short.ply", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		write(w, "less")
	})
	mux.HandleFunc("/stalled.ply", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/silent.ply", func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		panic(http.ErrAbortHandler) // a return would respond with 200
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { write(w, "<!doctype html><p>Sign in") })
	mux.HandleFunc("/packed.ply", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		write(w, "x")
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/scan.ply", http.StatusFound) })
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.FormValue("url"))
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/scene.zip", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = splattest.Capture{Tiles: 10, TileBytes: 100}.WriteTo(w) // as above
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func urlArguments(url, more string) string { return fmt.Sprintf(`{"source_url":%q%s}`, url, more) }

func TestUploadFileFromURL_names_the_file(t *testing.T) {
	t.Parallel()
	w, base := newWorld(t), site(t)
	for _, test := range []struct{ name, url, more, suffix, content string }{
		{"by its own name", "/scan.ply", "", "_scan.ply", "ply"},
		{"by another name", "/scan.ply?token=1", `,"file_name":"model.glb"`, "_model.glb", "ply"},
		{"of unknown length", "/unknown-length.ply", "", "_unknown-length.ply", "ply, in two parts"},
		{"by a redirect", "/moved", "", "_scan.ply", "ply"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := read[uploadOutput](w.call(w.alice, "upload_file_from_url", urlArguments(base+test.url, test.more)))
			equal(t, "status", got.Status, uploadConfirmed)
			if !strings.HasSuffix(got.ResourceKey, test.suffix) {
				t.Errorf("resource key: got %q, want one that ends in %q", got.ResourceKey, test.suffix)
			}
			equal(t, "content", w.stored(w.alice, got.ResourceKey), test.content)
		})
	}
}

func TestUploadFileFromURL_refuses(t *testing.T) {
	t.Parallel()
	w, base := newWorld(t), site(t)
	formats := "file_name must end in one of ." + strings.Join(model.DefaultFormats, ", .")
	for _, test := range []struct {
		name, arguments string
		code            model.Code
		message         string
	}{
		{"no address", `{}`, model.CodeInvalid, "source_url is required"},
		{"another format", urlArguments(base+"/scan.ply", `,"file_name":"a.exe"`), model.CodeInvalid, formats},
		{"another format of unknown length", urlArguments(base+"/endless.ply", `,"file_name":"a.exe"`), model.CodeInvalid, formats},
		{"nothing there", urlArguments(base+"/none.ply", ""), model.CodeInvalid, "source_url answered with status 404"},
		{"a page", urlArguments(base+"/page", `,"file_name":"a.ply"`), model.CodeInvalid, "source_url leads to a web page, not to a file"},
		{"packed content", urlArguments(base+"/packed.ply", ""), model.CodeInvalid, "source_url answered with compressed content, which was not requested"},
		{"nothing in it", urlArguments(base+"/empty.ply", ""), model.CodeInvalid, "source_url answered with an empty file"},
		{"no end", urlArguments(base+"/endless.ply", ""), model.CodeTooLarge, "source_url leads to a file that is over the maximum of 50000 bytes"},
		{"more than the maximum", urlArguments(base+"/huge.ply", ""), model.CodeTooLarge, "source_url leads to a file that is over the maximum of 50000 bytes"},
		{"less than was said", urlArguments(base+"/short.ply", ""), model.CodeInvalid, "source_url ended early"},
		{"a circle", urlArguments(base+"/loop", ""), model.CodeInvalid, "source_url redirects more than 5 times"},
		{"a redirect to a file", urlArguments(base+"/to?url=file:///etc/passwd", ""), model.CodeInvalid, "source_url must be an http or https address"},
		{"a redirect with a password", urlArguments(base+"/to?url=http://a:b@localhost/", ""), model.CodeInvalid, "source_url must not contain a user name or password"},
		{"a redirect to a private address", urlArguments(base+"/to?url=http://10.0.0.1/", ""), model.CodeInvalid, "source_url must lead to a public address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w.call(w.alice, "upload_file_from_url", test.arguments).refused(test.code, test.message)
		})
	}
	t.Cleanup(func() { // when the rows above are done
		equal(t, "log", w.log.String(), "")
	})
}

func TestUploadFileFromURL_takes_a_bounded_time(t *testing.T) {
	t.Parallel()
	const late = "source_url took too long to send the file"
	total, stall := newWorld(t), newWorld(t)
	base := site(t)
	total.door.fetcher.totalTimeout = 50 * time.Millisecond
	stall.door.fetcher.stallTimeout = 50 * time.Millisecond
	total.call(total.alice, "upload_file_from_url", urlArguments(base+"/silent.ply", "")).refused(model.CodeInvalid, late)
	stall.call(stall.alice, "upload_file_from_url", urlArguments(base+"/stalled.ply", "")).refused(model.CodeInvalid, late)
}

// lateStore is a store that is full. It ends the download, and responds afterwards.
type lateStore struct {
	storage.Store
	endDownload   func() // ends the timeout of the download
	downloadEnded <-chan struct{}
}

// Put implements storage.Store.
func (s *lateStore) Put(ctx context.Context, _ string, _ io.Reader) (int64, error) {
	s.endDownload()
	<-s.downloadEnded
	return 0, cmp.Or(ctx.Err(), storage.ErrFull)
}

// An agent would look for the fault at the source, or download the file again.
func TestUploadFileFromURL_reports_an_error_of_the_store_after_the_timeout(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	store := &lateStore{downloadEnded: ended}
	w := serveCore(t, func(o *graph.Options) { store.Store, o.Store = o.Store, store }, func(*Options) {})
	store.endDownload = w.stubTimeout(errDownloadTimeout)
	port := localSite(t, func(response http.ResponseWriter, r *http.Request) {
		response.Header().Set("Content-Length", "100")
		response.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
		panic(http.ErrAbortHandler)
	})
	w.call(w.alice, "upload_file_from_url", urlArguments("http://127.0.0.1:"+port+"/scan.ply", "")).
		refused(model.CodeQuotaExceeded, model.DiskFull)
}

// stubTimeout replaces the fetcher's timeouts. The timeout with this cause ends when the returned
// function is called, and the others never end.
func (w *world) stubTimeout(cause error) (end context.CancelFunc) {
	ended, end := context.WithCancel(context.Background())
	w.door.fetcher.withTimeout = func(parent context.Context, _ time.Duration, other error) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(parent)
		if errors.Is(other, cause) {
			context.AfterFunc(ended, func() { cancel(cause) })
		}
		return ctx, func() { cancel(nil) }
	}
	return end
}

// stuckStore receives each file, and never stores its last bytes.
type stuckStore struct {
	storage.Store
	endStore func() // ends the timeout of the store
}

// Put implements storage.Store.
func (s *stuckStore) Put(ctx context.Context, _ string, content io.Reader) (int64, error) {
	if _, err := io.Copy(io.Discard, content); err != nil {
		return 0, err
	}
	s.endStore()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(timeout):
		return 0, errors.New("the file is still being stored")
	}
}

// An account has few downloads at a time.
func TestUploadFileFromURL_ends_when_the_store_takes_too_long(t *testing.T) {
	t.Parallel()
	base := site(t)
	for _, path := range []string{"/scan.ply", "/unknown-length.ply"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			store := new(stuckStore)
			w := serveCore(t, func(o *graph.Options) { store.Store, o.Store = o.Store, store }, func(*Options) {})
			store.endStore = w.stubTimeout(errStoreTimeout)
			w.call(w.alice, "upload_file_from_url", urlArguments(base+path, "")).
				refused(model.CodeRateLimited, "The server took too long to store the file. Try again in 60 seconds")
			equal(t, "held downloads", w.door.downloads.Taken(), 0)
			equal(t, "logged timeouts", strings.Count(w.log.String(), "store a download"), 1)
		})
	}
}

func TestUploadFileFromURL_leaves_no_temporary_files(t *testing.T) {
	t.Parallel()
	w, base := newWorld(t), site(t)
	read[uploadOutput](w.call(w.alice, "upload_file_from_url", urlArguments(base+"/unknown-length.ply", "")))
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/endless.ply", ""))
	left, err := os.ReadDir(w.door.TempFolder)
	check(t, err)
	equal(t, "files", len(left), 0)
	equal(t, "used", read[view.User](w.call(w.alice, "get_user_info", `{}`)).Storage.Used, 17)
}

func TestUploadFileFromURL_beside_too_many_others(t *testing.T) {
	t.Parallel()
	w, base := newWorld(t), site(t)
	w.door.downloads = &semaphore.Room{Size: 1}
	_, _ = w.door.downloads.Enter("somebody", 1, nil)
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/scan.ply", "")).
		refused(model.CodeRateLimited, "Too many downloads at the same time. Try again in 10 seconds")
}

func TestUploadFileFromURL_over_the_storage(t *testing.T) {
	t.Parallel()
	w, base := newWorld(t), site(t)
	for range 9 {
		read[uploadOutput](w.call(w.alice, "upload_text_file", textOf("a.json", testThreshold)))
	}
	read[uploadOutput](w.call(w.alice, "upload_text_file", textOf("a.json", testThreshold-2)))
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/scan.ply", "")).
		refused(model.CodeQuotaExceeded, "Storage quota exceeded")
	w.call(w.alice, "upload_file_from_url", urlArguments(base+"/unknown-length.ply", "")).
		refused(model.CodeQuotaExceeded, "Storage quota exceeded")
}

func TestUploadFileFromURL_reports_the_download_and_the_job(t *testing.T) {
	t.Parallel()
	w, base := newWorld(t), site(t)
	w.work()
	got := read[uploadOutput](w.send(w.alice, withToken("upload_file_from_url", urlArguments(base+"/scene.zip", ""), "t")))
	equal(t, "status", got.Status, uploadConfirmed)
	if !strings.HasSuffix(got.ResourceKey, "/scene.lcc2") {
		t.Errorf("resource key: got %q, want the manifest's", got.ResourceKey)
	}
	var last float64
	for last < 100 {
		next := w.nextProgress(w.alice)
		if next.Progress <= last {
			t.Fatalf("progress: got %v after %v, want more", next.Progress, last)
		}
		last = next.Progress
	}
}

// Downloads need no more memory than a buffer, however large the file is: nothing
// reads a body to its end at once.
func TestDownloadBody_reads_no_more_than_is_requested(t *testing.T) {
	t.Parallel()
	source := bytes.NewReader(make([]byte, 1<<20))
	var room semaphore.Room
	place, _ := room.Enter("", 1, nil)
	d := &downloadBody{
		ctx: t.Context(), body: source, place: place,
		limit: graph.UploadLimit{MaxFileSize: 10, Storage: model.Storage{Quota: 100}}, length: -1, stallTimeout: time.Minute, progress: &progress{},
	}
	n, err := d.Read(make([]byte, 8))
	if n != 8 || err != nil {
		t.Errorf("first read: got %d, %v; want 8 bytes", n, err)
	}
	if got, want := source.Len(), 1<<20-8; got != want {
		t.Errorf("left in the source after the first read: got %d bytes, want %d", got, want)
	}
	if _, err := d.Read(make([]byte, 8)); model.CodeOf(err) != model.CodeTooLarge {
		t.Errorf("second read: got %v, want that there is no room", err)
	}
}
