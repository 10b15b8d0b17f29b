package mcp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"portico/model"
)

// The two refusals that a private address gets.
const (
	literalRefused = "source_url must lead to a public address"
	nameRefused    = "source_url could not be reached at a public address"
)

func wantRefusal(t *testing.T, f *fetcher, address, want string) {
	t.Helper()
	response, err := f.request(t.Context(), address)
	if err == nil {
		_ = response.Body.Close() // it should not be there
		t.Fatalf("%s: got a response, want the refusal %q", address, want)
	}
	if got := model.AsError(err); got.Code != model.CodeInvalid || got.Message != want {
		t.Errorf("%s: got %v, want %q", address, err, want)
	}
}

// TestFetcher_refuses has a row for each form of address, with the fetcher that
// the server uses. None of them leaves this machine.
func TestFetcher_refuses(t *testing.T) {
	t.Parallel()
	const scheme, port = "source_url must be an http or https address", "source_url must use port 80 or 443"
	for _, test := range []struct{ address, want string }{
		{"", scheme},
		{"scan.ply", scheme},
		{"/etc/passwd", scheme},
		{"file:///etc/passwd", scheme},
		{"ftp://example.com/a.ply", scheme},
		{"gopher://example.com/", scheme},
		{"data:,x", scheme},
		{"http://", scheme},
		{"http:///a.ply", scheme},
		{"http://a b/", scheme},
		{"http://[::1", scheme},
		{"https://user:secret@example.com/a.ply", "source_url must not contain a user name or password"},
		{"https://user@example.com/a.ply", "source_url must not contain a user name or password"},
		{"http://example.com:8080/a.ply", port},
		{"http://example.com:22/a.ply", port},
		{"https://example.com:6379/a.ply", port},
		{"http://127.0.0.1/", literalRefused},
		{"http://127.0.0.1:8080/", literalRefused},
		{"http://10.1.2.3/", literalRefused},
		{"http://169.254.169.254/latest/meta-data/", literalRefused},
		{"http://[::1]/", literalRefused},
		{"http://[::ffff:127.0.0.1]/", literalRefused},
		{"http://[::ffff:7f00:1]/", literalRefused},
		{"http://[64:ff9b::7f00:1]/", literalRefused},
		{"http://[fe80::1%25lo]/", literalRefused},
		{"http://[fd00:ec2::254]/", literalRefused},
		{"http://0.0.0.0/", literalRefused},
		{"http://localhost/", nameRefused},
	} {
		wantRefusal(t, newFetcher(), test.address, test.want)
	}
}

// nameServer answers DNS questions over UDP with the next address of its list, and with the last
// one from then on.
type nameServer struct {
	mu        sync.Mutex
	addresses []netip.Addr
	asked     int
}

// resolver returns a resolver that asks the server for everything.
func (s *nameServer) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	check(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(conn)
	}()
	t.Cleanup(func() {
		check(t, conn.Close())
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp4", conn.LocalAddr().String())
	}}
}

func (s *nameServer) serve(conn net.PacketConn) {
	for question := make([]byte, 512); ; {
		n, from, err := conn.ReadFrom(question)
		if err != nil {
			return // closed
		}
		_, _ = conn.WriteTo(s.answer(question[:n]), from) // a lost answer is requested again
	}
}

// answer returns the answer to a question for an A record; others have none (RFC 1035).
func (s *nameServer) answer(question []byte) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	end += 5
	kind := binary.BigEndian.Uint16(question[end-4:])
	reply := append([]byte{question[0], question[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question[12:end]...)
	if kind != 1 {
		return reply
	}
	reply[7] = 1
	reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(reply, s.next().AsSlice()...)
}

func (s *nameServer) next() netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	address := s.addresses[min(s.asked, len(s.addresses)-1)]
	s.asked++
	return address
}

func TestFetcher_refuses_names_that_lead_inside(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1", "0.0.0.0"} {
		f := newFetcher()
		f.resolver = (&nameServer{addresses: []netip.Addr{netip.MustParseAddr(address)}}).resolver(t)
		wantRefusal(t, f, "http://inside.example.com/", nameRefused)
		wantRefusal(t, f, "https://inside.example.com/", nameRefused)
	}
}

// localSite is a site at 127.0.0.1 that only a hole would reach.
func localSite(t *testing.T, handle http.HandlerFunc) (port string) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	check(t, err)
	return address.Port()
}

// openTo returns a fetcher for which 127.0.0.1 is the internet and all else is
// inside, so that a redirect from one to the other can be tried.
func openTo(t *testing.T, names *nameServer) *fetcher {
	t.Helper()
	f := newFetcher()
	f.ports = nil
	f.permits = func(address netip.Addr) bool { return address == netip.MustParseAddr("127.0.0.1") }
	if names != nil {
		f.resolver = names.resolver(t)
	}
	return f
}

func TestFetcher_checks_each_redirect(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 10)
	inside, err := net.Listen("tcp4", "127.0.0.2:0")
	if err != nil {
		t.Skipf("no second loopback address here: %v", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- struct{}{} })}
	go func() { _ = server.Serve(inside) }() // until it is closed
	t.Cleanup(func() { check(t, server.Close()) })
	secret := "http://" + inside.Addr().String() + "/"
	port := localSite(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, secret, http.StatusFound) })
	wantRefusal(t, openTo(t, nil), "http://127.0.0.1:"+port+"/", literalRefused)

	named := strings.Replace(secret, "127.0.0.2", "inside.example.com", 1)
	port = localSite(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, named, http.StatusFound) })
	names := &nameServer{addresses: []netip.Addr{netip.MustParseAddr("127.0.0.2")}}
	wantRefusal(t, openTo(t, names), "http://127.0.0.1:"+port+"/", nameRefused)
	equal(t, "requests inside", len(reached), 0)
}

// The name resolves to a public address first and to a private one afterwards. A client
// that resolves it once to check and once to connect would reach the private one.
func TestFetcher_checks_the_address_that_it_connects_to(t *testing.T) {
	t.Parallel()
	port := localSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			_, _ = io.WriteString(w, "public") // the client may have left
			return
		}
		http.Redirect(w, r, "/again", http.StatusFound) // looks the name up once more
	})
	names := &nameServer{addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.3")}}
	wantRefusal(t, openTo(t, names), "http://rebinding.example.com:"+port+"/", nameRefused)

	steady := &nameServer{addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
	response, err := openTo(t, steady).request(t.Context(), "http://steady.example.com:"+port+"/")
	check(t, err)
	check(t, response.Body.Close())
}

func TestFetcher_uses_no_proxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	if newFetcher().client().Transport.(*http.Transport).Proxy != nil {
		t.Error("proxy: got one, want none")
	}
}

func TestFetcher_sends_no_header_that_is_not_needed(t *testing.T) {
	t.Parallel()
	seen := make(chan http.Header, 2)
	port := localSite(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusFound)
		}
	})
	response, err := openTo(t, nil).request(t.Context(), "http://127.0.0.1:"+port+"/?signature=secret")
	check(t, err)
	check(t, response.Body.Close())
	for range 2 {
		header := <-seen
		for _, name := range []string{"Referer", "Authorization", "Cookie", "X-Forwarded-For", "Accept-Encoding"} {
			equal(t, name, header.Get(name), "")
		}
		equal(t, "User-Agent", header.Get("User-Agent"), "Portico")
	}
}

func TestFetcher_checks_certificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it logs the client that refuses the certificate
	server.StartTLS()
	t.Cleanup(server.Close)
	f := openTo(t, nil)
	wantRefusal(t, f, server.URL, "source_url has a certificate that is not valid")
	f.tls = &tls.Config{RootCAs: x509.NewCertPool()}
	f.tls.RootCAs.AddCert(server.Certificate())
	wantRefusal(t, f, server.URL, "source_url answered with status 404")
}
