package client

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A server may name a part in any form of an address; the key goes to the named server only.
func TestTransfer_finds_the_parts_beside_the_upload(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"a path": "/uploads/abc", "a full address": "https://elsewhere.example/uploads/abc", "without a slash": "abc",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Upload-Length", "3")
				if r.URL.Path == "/uploads/whole" {
					w.Header().Set("Upload-Concat", "final;"+part)
				}
			}))
			t.Cleanup(server.Close)
			upload := &transfer{remote: &Client{Server: server.URL, Key: "k"}, address: server.URL + "/uploads/whole", size: 3}
			parts, err := upload.parts(t.Context())
			check(t, err)
			if want := server.URL + "/uploads/abc"; len(parts) != 1 || parts[0].address != want {
				t.Errorf("parts: got %+v, want one at %s", parts, want)
			}
		})
	}
}

// A request that the server refuses and a long request that breaks start at the same offset. The
// long one is progress, so the upload continues after it.
func TestTransfer_continues_after_a_long_request(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var requests, stored atomic.Int64
		err := uploadThrough(t, &stored, func(w http.ResponseWriter, r *http.Request) {
			switch requests.Add(1) {
			case 1: // the server has not noticed that an earlier request has ended
				w.WriteHeader(http.StatusLocked)
			case 2:
				for piece := make([]byte, 16<<10); stored.Load() < uploadSize/2; time.Sleep(MaxStall / 4) {
					n, _ := io.ReadFull(r.Body, piece) // all bytes arrive
					stored.Add(int64(n))
				}
				panic(http.ErrAbortHandler) // breaks the connection
			default:
				n, _ := io.Copy(io.Discard, r.Body) // all bytes arrive
				w.Header().Set("Upload-Offset", strconv.FormatInt(stored.Add(n), 10))
				w.WriteHeader(http.StatusNoContent)
			}
		})
		if err != nil || stored.Load() != uploadSize {
			t.Errorf("upload: got %d of %d bytes, %v", stored.Load(), uploadSize, err)
		}
	})
}

// A file that cannot be read now cannot be read later.
func TestTransfer_ends_when_the_file_cannot_be_read(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file, err := os.OpenFile(filepath.Join(t.TempDir(), "hall.bin"), os.O_CREATE|os.O_WRONLY, 0o600)
		check(t, err)
		defer file.Close()
		start := time.Now()
		err = sendThreeBytes(t, file)
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			t.Errorf("got %v, want the error of the file", err)
		}
		if passed := time.Since(start); passed != 0 {
			t.Errorf("the upload ended after %s, want at once", passed)
		}
	})
}

// sendThreeBytes uploads the file as one of three bytes, to a server that has none of them yet.
func sendThreeBytes(t *testing.T, file *os.File) error {
	t.Helper()
	remote := pipeServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // breaks off
		w.Header().Set("Upload-Length", "3")
		w.Header().Set("Upload-Offset", "0")
	})
	upload := &transfer{remote: remote, address: remote.Server + "/uploads/whole", file: file, size: 3, report: func(int64, string) {}}
	return upload.send(t.Context())
}

// The server expects the bytes that the file has lost.
func TestTransfer_ends_when_the_file_becomes_shorter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "hall.bin")
		check(t, os.WriteFile(path, []byte("123"), 0o600))
		file, err := os.Open(path)
		check(t, err)
		defer file.Close()
		check(t, os.Truncate(path, 2))
		start := time.Now()
		err = sendThreeBytes(t, file)
		if !errors.Is(err, errShortened) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want that the file became shorter", err)
		}
		if passed := time.Since(start); passed != 0 {
			t.Errorf("the upload ended after %s, want at once", passed)
		}
	})
}

// A proxy refuses requests over its limit, with a page of its own.
func TestTransfer_sends_pieces_that_proxies_accept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		size, limit int64
		// accepted are the sizes of the requests that reach the server, and refused is how many do not.
		accepted []int64
		refused  int
	}{
		{"a limit of 100 MB", 150e6, 100e6, []int64{64e6, 64e6, 22e6}, 0},
		{"the default of nginx", 3.5e6, 1 << 20, []int64{1e6, 1e6, 1e6, 0.5e6}, 2},
		{"a limit below all pieces", 2e6, 1000, nil, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file, err := os.Create(filepath.Join(t.TempDir(), "hall.bin"))
			check(t, err)
			t.Cleanup(func() { check(t, file.Close()) })
			check(t, file.Truncate(test.size))
			var accepted []int64
			stored, refused := int64(0), 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Upload-Length", strconv.FormatInt(test.size, 10))
				switch {
				case r.Method == http.MethodPatch && r.ContentLength > test.limit:
					refused++
					http.Error(w, "<html>413 Request Entity Too Large</html>", http.StatusRequestEntityTooLarge)
					_, _ = io.Copy(io.Discard, r.Body) // as nginx does, so that the client reads the response
					return
				case r.Method == http.MethodPatch:
					n, _ := io.Copy(io.Discard, r.Body) // all bytes arrive
					stored += n
					accepted = append(accepted, n)
				}
				w.Header().Set("Upload-Offset", strconv.FormatInt(stored, 10))
			}))
			t.Cleanup(server.Close)
			upload := &transfer{
				remote: &Client{Server: server.URL, Key: "k"}, address: server.URL + "/uploads/whole", file: file, size: test.size,
				report: func(int64, string) {},
			}
			err = upload.send(t.Context())
			if want := test.accepted == nil; (err != nil) != want {
				t.Errorf("got %v, want an error: %v", err, want)
			}
			if err != nil && !strings.Contains(err.Error(), "a proxy in front of the server accepts no request of 1000000 bytes") {
				t.Errorf("got %v, want the cause", err)
			}
			if !slices.Equal(accepted, test.accepted) || refused != test.refused {
				t.Errorf("requests: got %d accepted and %d refused, want %d and %d", accepted, refused, test.accepted, test.refused)
			}
		})
	}
}
