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

// faultyProxy is a proxy of an S3 server that fails like servers and networks. Each request draws
// its own fault: draw says which, and before lets it happen. The server behind the proxy is never
// harmed, so what Portico has stored can be read there.
type faultyProxy struct {
	tally *tally

	// mu protects what follows: requests draw at the same time, and the scenario moves the
	// switches.
	mu      sync.Mutex
	random  *rand.Rand
	healthy bool
	away    bool          // every connection breaks
	slowest time.Duration // the maximum delay of an answer
}

// The percentages of requests with each fault. The other requests pass.
const (
	percentSlow        = 8
	percentUnavailable = 7
	percentInternal    = 5
	percentTornBefore  = 3 // the connection breaks while the request is sent
	percentTornAfter   = 5 // it breaks while the answer comes
)

// away is drawn while the server is unreachable.
const away = -1

// outageAfter is the time from the first upload to the outage.
const outageAfter = 3 * time.Second

// slowest is the longest delay of slow answers.
const slowest = 1500 * time.Millisecond

// openProxy returns a proxy of the server at the endpoint, and the address of the proxy.
func (w *world) openProxy(ctx context.Context, endpoint string) (*faultyProxy, string, error) {
	behind, err := url.Parse(endpoint)
	if err != nil {
		return nil, "", err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	f := &faultyProxy{tally: w.tally, random: newRandom(w.seed, "proxy"), slowest: slowest}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind)
			r.Out.Host = r.In.Host // which is signed
		},
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	server := &http.Server{Handler: f.before(proxy), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until it is closed
	w.onClose(server.Close)
	return f, "http://" + listener.Addr().String(), nil
}

// causeOutage makes the server unreachable, soon and for this long.
func (f *faultyProxy) causeOutage(ctx context.Context, length time.Duration) error {
	if err := pause(ctx, outageAfter); err != nil {
		return ignoreCanceled(ctx, err) // all was published before
	}
	f.tally.add(countFaults, 1)
	f.tally.add("outages", 1)
	f.set(&f.away, true)
	_ = pause(ctx, length) // ends early when the scenario has ended
	f.set(&f.away, false)
	return nil
}

func (f *faultyProxy) set(which *bool, to bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*which = to
}

func (f *faultyProxy) stopFaults() { f.set(&f.healthy, true) }

// draw returns a number from 0 to 99 that chooses the fault of a request, 100 for no fault, or away
// during an outage. position, from 0 to 1, is where the request breaks, and delay is how long it
// waits.
func (f *faultyProxy) draw() (percent int, position float64, delay time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.healthy {
		return 100, 0, 0
	}
	if f.away {
		return away, 0, 0
	}
	return f.random.IntN(100), f.random.Float64(), time.Duration(f.random.Float64() * float64(f.slowest))
}

// before makes some requests fail before they reach the server.
func (f *faultyProxy) before(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without it, the first byte of the answer closes the body of the request, whose end the
		// proxy may not have seen yet; then the proxy breaks the answer.
		_ = http.NewResponseController(w).EnableFullDuplex() // never fails over HTTP/1.1
		percent, position, delay := f.draw()
		happens := func(share int, name string) bool {
			hit := percent >= 0 && percent < share
			percent -= share
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
			_ = pause(r.Context(), delay) // ends early if the client leaves
		case happens(percentUnavailable, "answers of 503"):
			refuse(w, r, http.StatusServiceUnavailable)
			return
		case happens(percentInternal, "answers of 500"):
			refuse(w, r, http.StatusInternalServerError)
			return
		case happens(percentTornBefore, "torn requests"):
			r.Body = &tornBody{r.Body, int64(position * float64(max(r.ContentLength, 0)))}
		case happens(percentTornAfter, "torn answers"):
			w = &tornWriter{ResponseWriter: w, position: position}
		}
		server.ServeHTTP(w, r)
	})
}

// refuse reads the request and does not forward it.
func refuse(w http.ResponseWriter, r *http.Request, status int) {
	_, _ = io.Copy(io.Discard, r.Body) // whatever came of it
	w.WriteHeader(status)
}

// tornBody is a request body that breaks after some bytes.
type tornBody struct {
	io.ReadCloser
	left int64
}

// errTorn is the error of a request that was broken on purpose.
var errTorn = errors.New("the connection is torn")

// Read implements io.Reader.
func (b *tornBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTorn
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// tornWriter breaks the connection after a part of the first bytes of an answer, or
// before the headers of an answer without a body.
type tornWriter struct {
	http.ResponseWriter
	position float64 // where the answer breaks: a share of its first bytes, from 0 to 1
}

// Write implements http.ResponseWriter: it writes a part and breaks the connection.
func (w *tornWriter) Write(p []byte) (int, error) {
	_, _ = w.ResponseWriter.Write(p[:int(w.position*float64(len(p)))]) // it breaks anyway
	panic(http.ErrAbortHandler)
}

// WriteHeader implements http.ResponseWriter. It breaks the connection if no body
// follows.
func (w *tornWriter) WriteHeader(status int) {
	if status == http.StatusNoContent || w.Header().Get("Content-Length") == "0" {
		panic(http.ErrAbortHandler)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the proxy flush.
func (w *tornWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
