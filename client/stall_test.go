package client

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/testkit/pipe"
)

// pipeServer serves a handler over connections in memory and returns a client of the server, which
// uses the clock of the synctest bubble.
func pipeServer(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	return &Client{Server: "http://server", Key: "k", Transport: pipe.Transport(t, handler)}
}

// uploadSize is the size of the file that uploadThrough sends.
const uploadSize = 256 << 10

// uploadThrough sends a file to a server that stores what stored counts, and whose handler gets the
// PATCH requests.
func uploadThrough(t *testing.T, stored *atomic.Int64, patch http.HandlerFunc) error {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "hall.bin"))
	check(t, err)
	defer file.Close()
	check(t, file.Truncate(uploadSize))
	remote := pipeServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch {
			patch(w, r)
			return
		}
		w.Header().Set("Upload-Length", strconv.Itoa(uploadSize))
		w.Header().Set("Upload-Offset", strconv.FormatInt(stored.Load(), 10))
	})
	upload := &transfer{remote: remote, address: remote.Server + "/uploads/whole", file: file, size: uploadSize, report: func(int64, string) {}}
	return upload.send(t.Context())
}

func TestTransfer_ends_when_the_server_reads_nothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start, ended := time.Now(), make(chan struct{})
		t.Cleanup(func() { close(ended) })
		err := uploadThrough(t, new(atomic.Int64), func(http.ResponseWriter, *http.Request) { <-ended })
		if !errors.Is(err, errStalled) || !strings.Contains(err.Error(), "5 minutes") {
			t.Errorf("got %v, want an error that names the limit", err)
		}
		if passed := time.Since(start); passed > 2*MaxStall+MaxRetryDelay {
			t.Errorf("the upload ended after %s, want two requests of %s", passed, MaxStall)
		}
	})
}

func TestTransfer_is_not_cut_while_it_is_slow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		err := uploadThrough(t, new(atomic.Int64), func(w http.ResponseWriter, r *http.Request) {
			for piece := make([]byte, 16<<10); ; {
				if _, err := io.ReadFull(r.Body, piece); err != nil {
					break
				}
				time.Sleep(MaxStall / 4)
			}
			w.Header().Set("Upload-Offset", strconv.FormatInt(r.ContentLength, 10))
			w.WriteHeader(http.StatusNoContent)
		})
		if err != nil {
			t.Errorf("got %v for a server that reads slowly", err)
		}
	})
}

func TestPull_ends_when_the_server_stalls(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]int{"before the answer": 0, "in the answer": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan struct{})
				t.Cleanup(func() { close(ended) })
				remote := pipeServer(t, func(w http.ResponseWriter, _ *http.Request) {
					for range sent { // slower than one stall together
						_, _ = w.Write([]byte("x")) // the client closes the connection
						_ = http.NewResponseController(w).Flush()
						time.Sleep(MaxStall - time.Second)
					}
					<-ended
				})
				start := time.Now()
				_, err := remote.Pull(t.Context(), "12345678_a", false)
				if !errors.Is(err, errStalled) {
					t.Errorf("got %v, want errStalled", err)
				}
				want := time.Duration(max(0, sent-1))*(MaxStall-time.Second) + MaxStall
				if passed := time.Since(start); passed != want {
					t.Errorf("the pull ended after %s, want %s", passed, want)
				}
			})
		})
	}
}
