package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/program"
)

// fault is a mistake in the configuration of a proxy.
type fault struct {
	name string
	want string // what the doctor says
	// spoil changes a request, or answers it. It reports whether it did.
	spoil func(w http.ResponseWriter, r *http.Request) bool
	// rewrite changes what the server gets.
	rewrite func(r *httputil.ProxyRequest)
}

func proxyFaults() []fault {
	answer := func(status int, applies func(*http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if applies(r) {
				w.WriteHeader(status)
			}
			return applies(r)
		}
	}
	return []fault{
		{name: "none"},
		{name: "no sockets", want: "no WebSocket gets through", spoil: func(_ http.ResponseWriter, r *http.Request) bool {
			r.Header.Del("Upgrade")
			return false
		}},
		{name: "another host", want: `sends the host "backend"`, rewrite: func(r *httputil.ProxyRequest) { r.Out.Host = "backend" }},
		{name: "forged addresses", want: "passes on X-Forwarded-For", rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
		}},
		{name: "small bodies", want: "refuses requests of 36 MiB", spoil: answer(413, func(r *http.Request) bool { return r.ContentLength > 1<<20 })},
		{name: "no server", want: "is not ready", spoil: answer(502, func(*http.Request) bool { return true })},
		{name: "another server", want: "is not this server", spoil: answer(200, func(*http.Request) bool { return true })},
	}
}

// The doctor looks at the server through its public address, as clients do.
func TestDoctor_finds_the_faults_of_a_proxy(t *testing.T) {
	t.Parallel()
	address, err := program.FreeAddress(t.Context())
	check(t, err)
	target := &url.URL{Scheme: "http", Host: address}
	// Not the address of the doctor, which would be a proxy otherwise.
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	defer transport.CloseIdleConnections()
	var current atomic.Pointer[fault]
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := current.Load()
		if r.URL.Path == "/metrics" && f.name != "metrics" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if f.spoil != nil && f.spoil(w, r) {
			return
		}
		(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			r.SetXForwarded()
			if f.rewrite != nil {
				f.rewrite(r)
			}
		}}).ServeHTTP(w, r)
	}))
	defer proxy.Close()
	settings := []string{"PORTICO_DATABASE_URL=" + postgres.URL(t, migrate), "PORTICO_BASE_URL=" + proxy.URL, "PORTICO_TRUSTED_PROXIES=127.0.0.2"}
	server := serve(t, dataDir(t), append(settings, "PORTICO_ADDR="+address)...)
	for _, f := range append(proxyFaults(), fault{name: "metrics", want: "everybody can read"}) {
		current.Store(&f)
		out, errs, code := runCommand(t, server.dir, settings, "doctor")
		if f.want == "" {
			if code != 0 || !strings.HasPrefix(out, "no problems: ") {
				t.Errorf("no fault: got %q, %q, %d, want no problems", out, errs, code)
			}
			continue
		}
		if code != 1 || strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "problem: ") || !strings.Contains(out, f.want) || errs != "portico: 1 problems\n" {
			t.Errorf("%s: got %q, %q, %d, want only %q", f.name, out, errs, code, f.want)
		}
	}
}
