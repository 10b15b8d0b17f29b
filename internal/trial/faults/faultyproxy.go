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
	mu          sync.Mutex
	random      *rand.Rand
	healthy     bool
	unreachable bool          // every connection breaks
	maxDelay    time.Duration // of slow responses
}

// fault is what happens to a request. The tally counts most faults under their values.
type fault string

const (
	faultNone         fault = ""
	faultOutage       fault = "outage" // which causeOutage counts, and not each request
	faultSlow         fault = "slow responses"
	faultUnavailable  fault = "responses of 503"
	faultInternal     fault = "responses of 500"
	faultTornRequest  fault = "torn requests"  // the connection breaks while the request is sent
	faultTornResponse fault = "torn responses" // it breaks while the response comes
)

// randomFault returns a fault for a number from 0 to 99. Most requests have none.
func randomFault(percent int) fault {
	for _, share := range []struct {
		kind    fault
		percent int
	}{{faultSlow, 8}, {faultUnavailable, 7}, {faultInternal, 5}, {faultTornRequest, 3}, {faultTornResponse, 5}} {
		if percent < share.percent {
			return share.kind
		}
		percent -= share.percent
	}
	return faultNone
}

// outageAfter is the time from the first upload to the outage.
const outageAfter = 3 * time.Second

// longestDelay is the maxDelay of a proxy outside its test.
const longestDelay = 1500 * time.Millisecond

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
	f := &faultyProxy{tally: w.tally, random: newRandom(w.seed, "proxy"), maxDelay: longestDelay}
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
	f.set(&f.unreachable, true)
	_ = pause(ctx, length) // ends early when the scenario has ended
	f.set(&f.unreachable, false)
	return nil
}

func (f *faultyProxy) set(which *bool, to bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*which = to
}

func (f *faultyProxy) stopFaults() { f.set(&f.healthy, true) }

// draw returns the fault of a request. position, from 0 to 1, is where the request breaks, and delay
// is how long it waits.
func (f *faultyProxy) draw() (kind fault, position float64, delay time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.healthy:
		return faultNone, 0, 0
	case f.unreachable:
		return faultOutage, 0, 0
	}
	return randomFault(f.random.IntN(100)), f.random.Float64(), time.Duration(f.random.Float64() * float64(f.maxDelay))
}

// count adds a fault of a single request to the tally.
func (f *faultyProxy) count(kind fault) {
	if kind != faultNone && kind != faultOutage {
		f.tally.add(countFaults, 1)
		f.tally.add(string(kind), 1)
	}
}

// before makes some requests fail before they reach the server.
func (f *faultyProxy) before(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without it, the first byte of the response closes the body of the request, whose end the
		// proxy may not have seen yet; then the proxy breaks the response.
		_ = http.NewResponseController(w).EnableFullDuplex() // never fails over HTTP/1.1
		kind, position, delay := f.draw()
		f.count(kind)
		switch kind {
		case faultOutage:
			panic(http.ErrAbortHandler)
		case faultSlow:
			_ = pause(r.Context(), delay) // ends early if the client leaves
		case faultUnavailable:
			refuse(w, r, http.StatusServiceUnavailable)
			return
		case faultInternal:
			refuse(w, r, http.StatusInternalServerError)
			return
		case faultTornRequest:
			r.Body = &tornBody{r.Body, int64(position * float64(max(r.ContentLength, 0)))}
		case faultTornResponse:
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

// tornWriter breaks the connection after a part of the first bytes of a response, or
// before the headers of a response without a body.
type tornWriter struct {
	http.ResponseWriter
	position float64 // where the response breaks: a share of its first bytes, from 0 to 1
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
