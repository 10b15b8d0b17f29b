package server

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/server/settings"
)

func TestBaseURL_is_localhost_if_the_server_listens_everywhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ addr, base, want string }{
		{"127.0.0.1:80", "", "http://127.0.0.1"},
		{"[::1]:80", "", "http://[::1]"},
		{"example.com:80", "https://x.example/", "https://x.example"},
		{":8080", "", "http://localhost:8080"},
		{"localhost:8080", "", "http://localhost:8080"},
		{"0.0.0.0:8080", "", "http://localhost:8080"},
		{"[::]:8080", "", "http://localhost:8080"},
	} {
		p := Program{Config: settings.Config{Addr: test.addr, BaseURL: test.base}}
		if got := p.BaseURL(); got != test.want {
			t.Errorf("%s %s: got %q, want %q", test.addr, test.base, got, test.want)
		}
	}
}

// Browsers send the origin of a page in one form, with which the server compares its own address.
func TestNormaliseURL_returns_what_browsers_call_the_origin(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://portico.example":             "https://portico.example",
		"HTTPS://Portico.Example:443//":       "https://portico.example",
		"http://NAS:80":                       "http://nas",
		"http://nas:8080":                     "http://nas:8080",
		"http://my_nas:08080/":                "http://my_nas:8080",
		"http://nas:443":                      "http://nas:443",
		"https://portico.example.:8443":       "https://portico.example:8443",
		"https://Bücher.example":              "https://xn--bcher-kva.example",
		"https://faß.example":                 "https://xn--fa-hia.example",
		"https://例え.テスト":                      "https://xn--r8jz45g.xn--zckzah",
		"https://XN--BCHER-KVA.example":       "https://xn--bcher-kva.example",
		"https://r3---x.example":              "https://r3---x.example",
		"http://192.0.2.1:80":                 "http://192.0.2.1",
		"http://[2001:DB8:0::1]:80":           "http://[2001:db8::1]",
		"http://portico.example:/":            "http://portico.example",
		"https://files.example:443/Deep/%7e/": "https://files.example/Deep/%7e",
	} {
		if got, err := settings.NormaliseURL(address); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", address, got, err, want)
		}
		if again, err := settings.NormaliseURL(want); err != nil || again != want {
			t.Errorf("%s: got %q, %v, want the same", want, again, err)
		}
	}
	for _, address := range []string{
		"portico.example", "ftp://portico.example", "https://", "https://.", "https://:443", "https://ada@portico.example",
		"https://portico.example?x", "https://portico.example#x", "https://portico.example:0", "https://portico.example:65536",
		"http://192.168.1:8080", "http://1.2.3.4.5", "http://nas.0x7f", "https://a\u200db.example", "https://xn--a.example",
	} {
		if got, err := settings.NormaliseURL(address); err == nil {
			t.Errorf("%s: got %q, want an error", address, got)
		}
	}
}

func TestFilesURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, addr, base, files string
		want                    string
	}{
		{"the other loopback name", "127.0.0.1:8080", "", "", "http://localhost:8080/files"},
		{"of a name", "localhost:8080", "", "", "http://127.0.0.1:8080/files"},
		{"of IPv6", "[::1]:8080", "", "", "http://localhost:8080/files"},
		{"of a server that listens everywhere", "0.0.0.0:8080", "", "", "http://127.0.0.1:8080/files"},
		{"with the port of the base", "0.0.0.0:8080", "http://LOCALHOST:9000/", "", "http://127.0.0.1:9000/files"},
		{"of an absolute name", "0.0.0.0:8080", "http://localhost.:9000", "", "http://127.0.0.1:9000/files"},
		{"without a port", "0.0.0.0:8080", "http://localhost", "", "http://127.0.0.1/files"},
		{"none behind a name of the world", "127.0.0.1:8080", "https://portico.example", "", ""},
		{"none at another address", "192.0.2.1:8080", "", "", ""},
		{"none with TLS, whose certificate has one name", "127.0.0.1:8080", "https://localhost", "", ""},
		{"in the form of browsers", "127.0.0.1:8080", "https://portico.example", "https://Files.Example.:443/", "https://files.example"},
		{"as set", "127.0.0.1:8080", "https://portico.example", "https://files.example/", "https://files.example"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := &Program{Config: settings.Config{Addr: test.addr, BaseURL: test.base, FilesURL: test.files}}
			if got := p.FilesURL(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestIsFiles_finds_requests_to_the_host_of_files(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		base, files, host string
		want              bool
	}{
		{"http://127.0.0.1:8080", "", "localhost:8080", true},
		{"http://127.0.0.1:8080", "", "LocalHost", true},
		{"http://127.0.0.1:8080", "", "127.0.0.1:8080", false},
		{"http://127.0.0.1:8080", "", "portico.lan:8080", false},
		{"http://localhost:8080", "", "127.0.0.1:8080", true},
		{"http://127.0.0.1:8080", "", "localhost.:8080", true},
		{"http://localhost:8080", "", "localhost.:8080", false},
		{"https://portico.example", "https://files.example/x", "Files.Example.", true},
		{"https://portico.example", "https://files.example/x", "files.example..", false},
		{"https://portico.example", "https://files.example./x", "files.example", true},
		{"http://portico.example:80", "http://portico.example:81", "portico.example.:81", true},
		{"https://portico.example", "https://files.example/x", "files.example", true},
		{"https://portico.example", "https://files.example/x", "files.example:443", true},
		{"https://portico.example", "https://files.example/x", "portico.example", false},
		{"https://portico.example", "https://files.example/x", "xfiles.example", false},
		{"http://portico.example:80", "http://portico.example:81", "portico.example:81", true},
		{"http://portico.example:80", "http://portico.example:81", "portico.example:80", false},
	} {
		p := &Program{Config: settings.Config{BaseURL: test.base, FilesURL: test.files}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = test.host
		if got := p.filesOriginMatcher()(r); got != test.want {
			t.Errorf("base %s, files %s, request for %s: got %v, want %v", test.base, test.files, test.host, got, test.want)
		}
	}
	for _, shared := range []settings.Config{
		{BaseURL: "https://portico.example"},
		{BaseURL: "https://portico.example", FilesURL: "https://portico.example/x"},
		{BaseURL: "https://portico.example", FilesURL: "https://portico.example./x"},
	} {
		if (&Program{Config: shared}).filesOriginMatcher() != nil {
			t.Errorf("base %s, files %q: got an origin of their own, want none", shared.BaseURL, shared.FilesURL)
		}
	}
}

// TestListen_takes_both_loopback_addresses also has the port taken by another program at
// one of them: uploads must not go there.
func TestListen_takes_both_loopback_addresses(t *testing.T) {
	t.Parallel()
	open := func(address string) (*Program, []net.Listener) {
		p := &Program{Config: settings.Config{Addr: address}, Logger: slog.New(slog.DiscardHandler)}
		opened, err := p.Listen(t.Context())
		check(t, err)
		t.Cleanup(func() { check(t, p.Close()) })
		return p, opened.listeners
	}
	p, listeners := open("127.0.0.1:0")
	_, port, err := net.SplitHostPort(p.address)
	check(t, err)
	if len(listeners) != 2 {
		t.Skip("needs IPv6")
	}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		conn, err := net.Dial("tcp", net.JoinHostPort(host, port))
		check(t, err)
		check(t, conn.Close())
	}
	check(t, listeners[0].Close())
	second, listeners := open("127.0.0.1:" + port)
	if got := second.FilesURL(); got != "" || len(listeners) != 1 {
		t.Errorf("beside a program at ::1: got files at %q and %d listeners, want none and one", got, len(listeners))
	}
}
