package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// front stands in front of an S3 server and fails as servers and networks do.
type front struct {
	tally *tally

	mu      sync.Mutex
	random  *rand.Rand
	calm    bool
	away    bool          // every connection breaks
	slowest time.Duration // how long an answer takes at most to begin
}

// What becomes of a request, in this many of a hundred cases; nothing in the rest.
const (
	percentSlow        = 8
	percentUnavailable = 7
	percentInternal    = 5
	percentTornBefore  = 3 // the connection breaks while the request is sent
	percentTornAfter   = 5 // it breaks while the answer comes
)

// away is drawn while the server is.
const away = -1

// outageAfter is how long after the first upload the server goes away.
const outageAfter = 3 * time.Second

// slowest is how long slow answers take at most to begin.
const slowest = 1500 * time.Millisecond

// openFront returns a front of the server at the endpoint, and its own address.
func (w *world) openFront(ctx context.Context, endpoint string) (*front, string, error) {
	behind, err := url.Parse(endpoint)
	if err != nil {
		return nil, "", err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	f := &front{tally: w.tally, random: seeded(w.seed, "front"), slowest: slowest}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind)
			r.Out.Host = r.In.Host // which is signed
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := &http.Server{Handler: f.before(proxy), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until it is closed
	w.later(server.Close)
	return f, "http://" + listener.Addr().String(), nil
}

// outage has the server be away for that long, soon.
func (f *front) outage(ctx context.Context, length time.Duration) error {
	if err := pause(ctx, outageAfter); err != nil {
		return unlessOver(ctx, err) // all was published before
	}
	f.tally.add(countFaults, 1)
	f.tally.add("outages", 1)
	f.set(&f.away, true)
	_ = pause(ctx, length) // over early where nobody needs the server any more
	f.set(&f.away, false)
	return nil
}

// set sets one of the switches.
func (f *front) set(which *bool, to bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*which = to
}

// calmDown ends the faults.
func (f *front) calmDown() { f.set(&f.calm, true) }

// draw returns a number from 0 to 99 for what happens to a request, 100 when nothing
// does, away when the server is, and where in it, from 0 to 1, or how long it takes
// to happen.
func (f *front) draw() (percent int, where float64, length time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calm {
		return 100, 0, 0
	}
	if f.away {
		return away, 0, 0
	}
	return f.random.IntN(100), f.random.Float64(), time.Duration(f.random.Float64() * float64(f.slowest))
}

// before fails some requests in front of the server.
func (f *front) before(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		percent, where, length := f.draw()
		happens := func(of int, name string) bool {
			hit := percent >= 0 && percent < of
			percent -= of
			if hit {
				f.tally.add(countFaults, 1)
				f.tally.add(name, 1)
			}
			return hit
		}
		if percent == away {
			panic(http.ErrAbortHandler)
		}
		switch {
		case happens(percentSlow, "slow answers"):
			_ = pause(r.Context(), length) // over early where the client leaves
		case happens(percentUnavailable, "answers of 503"):
			refuse(w, r, http.StatusServiceUnavailable)
			return
		case happens(percentInternal, "answers of 500"):
			refuse(w, r, http.StatusInternalServerError)
			return
		case happens(percentTornBefore, "torn requests"):
			r.Body = &tornBody{r.Body, int64(where * float64(max(r.ContentLength, 0)))}
		case happens(percentTornAfter, "torn answers"):
			w = &tornWriter{ResponseWriter: w, random: where}
		}
		server.ServeHTTP(w, r)
	})
}

// refuse takes the request and does nothing of it.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	_, _ = io.Copy(io.Discard, r.Body) // whatever came of it
	w.WriteHeader(status)
}

// tornBody breaks off after some bytes.
type tornBody struct {
	io.ReadCloser
	left int64
}

// errTorn is what breaks a request.
var errTorn = errors.New("the connection is torn")

// Read gives what is left.
func (b *tornBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTorn
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// tornWriter breaks the connection after a part of the first bytes of an answer:
// one without a body before it begins.
type tornWriter struct {
	http.ResponseWriter
	random float64
}

// Write writes a part and breaks the connection.
func (w *tornWriter) Write(p []byte) (int, error) {
	_, _ = w.ResponseWriter.Write(p[:int(w.random*float64(len(p)))]) // it breaks anyway
	panic(http.ErrAbortHandler)
}

// WriteHeader breaks the connection where no body comes.
func (w *tornWriter) WriteHeader(status int) {
	if status == http.StatusNoContent || w.Header().Get("Content-Length") == "0" {
		panic(http.ErrAbortHandler)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the proxy flush.
func (w *tornWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
