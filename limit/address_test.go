package limit

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted, err := ParseNetworks("10.0.0.0/8, 192.0.2.9, fd00::/8, ::1")
	check(t, err)
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"a stranger that says nothing", "203.0.113.7:1", nil, "203.0.113.7"},
		{"a stranger that pretends", "203.0.113.7:1", []string{"198.51.100.1"}, "203.0.113.7"},
		{"a stranger that pretends to be a proxy", "203.0.113.7:1", []string{"10.0.0.1"}, "203.0.113.7"},
		{"a proxy that says nothing", "10.0.0.1:1", nil, "10.0.0.1"},
		{"a proxy with an empty header", "10.0.0.1:1", []string{""}, "10.0.0.1"},
		{"a proxy", "10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a proxy by its address", "192.0.2.9:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a neighbour of that address", "192.0.2.8:1", []string{"198.51.100.1"}, "192.0.2.8"},
		{"a client that pretends behind a proxy", "10.0.0.1:1", []string{"1.2.3.4, 10.9.9.9, 198.51.100.1"}, "198.51.100.1"},
		{"two proxies", "10.0.0.1:1", []string{"1.2.3.4, 198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"several headers", "10.0.0.1:1", []string{"1.2.3.4", "198.51.100.1", "10.0.0.2, 10.0.0.3"}, "198.51.100.1"},
		{"only proxies", "10.0.0.1:1", []string{"10.0.0.4, 10.0.0.3"}, "10.0.0.4"},
		{"no spaces", "10.0.0.1:1", []string{"1.2.3.4,198.51.100.1,10.0.0.2"}, "198.51.100.1"},
		{"many spaces", "10.0.0.1:1", []string{"  198.51.100.1 \t,   10.0.0.2  "}, "198.51.100.1"},
		{"garbage from a proxy", "10.0.0.1:1", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"garbage from the next proxy", "10.0.0.1:1", []string{"198.51.100.1, _hidden, 10.0.0.2"}, "10.0.0.2"},
		{"garbage from the client", "10.0.0.1:1", []string{"<script>, 198.51.100.1"}, "198.51.100.1"},
		{"a comma at the end", "10.0.0.1:1", []string{"198.51.100.1,"}, "10.0.0.1"},
		{"a port", "10.0.0.1:1", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"a port of IPv6", "10.0.0.1:1", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		{"brackets without a port", "10.0.0.1:1", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"IPv6", "[fd00::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		{"a zone", "[::1]:1", []string{"fe80::1%eth0"}, "fe80::1"},
		{"a proxy in IPv6's clothes", "[::ffff:10.0.0.1]:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"a hop in IPv6's clothes", "10.0.0.1:1", []string{"198.51.100.1, ::ffff:10.0.0.2"}, "198.51.100.1"},
		{"a client in IPv6's clothes", "10.0.0.1:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a host name", "10.0.0.1:1", []string{"client.example"}, "10.0.0.1"},
		{"a peer that is not an address", "@", []string{"198.51.100.1"}, "invalid IP"},
		{"a thousand hops", "10.0.0.1:1", []string{"198.51.100.1" + strings.Repeat(", 10.0.0.2", 1000)}, "198.51.100.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = c.peer
			r.Header["X-Forwarded-For"] = c.forwarded
			r.Header.Set("X-Real-Ip", "203.0.113.99") // believed of nobody
			r.Header.Set("Forwarded", "for=203.0.113.99")
			if got := ClientAddress(r, trusted).String(); got != c.want {
				t.Errorf("address: got %s, want %s", got, c.want)
			}
		})
	}
}

func TestParseNetworks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"none", "", nil},
		{"spaces and commas", " , ,", nil},
		{"an address", "10.0.0.1", []string{"10.0.0.1/32"}},
		{"an address of IPv6", "::1", []string{"::1/128"}},
		{"a block", "10.0.0.0/8", []string{"10.0.0.0/8"}},
		{"a block by an address in it", "10.1.2.3/8", []string{"10.0.0.0/8"}},
		{"several", "10.0.0.0/8,::1 , fd00::/8,", []string{"10.0.0.0/8", "::1/128", "fd00::/8"}},
		{"IPv4 in IPv6", "::ffff:10.0.0.1, ::ffff:10.0.0.0/104", []string{"10.0.0.1/32", "10.0.0.0/8"}},
		{"all of IPv6", "::/0", []string{"::/0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			networks, err := ParseNetworks(c.text)
			check(t, err)
			var got []string
			for _, p := range networks {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("ParseNetworks(%q): (-want +got)\n%s", c.text, diff)
			}
		})
	}
}

func TestParseNetworks_refuses_what_it_cannot_read(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"proxy.example", "10.0.0.1:80", "10.0.0.0/33", "10.0.0.0/", "/8", "fe80::1%eth0", "10.0.0.1 10.0.0.2", "10.0.0"} {
		got, err := ParseNetworks("127.0.0.1, " + text)
		if want := `"` + text + `" is neither an address nor a CIDR block`; err == nil || err.Error() != want {
			t.Errorf("ParseNetworks(%q): got %v, %v, want %s", text, got, err, want)
		}
	}
}

func FuzzClientAddress(f *testing.F) {
	for _, seed := range []string{"", ",", "10.0.0.2", "[::1", "198.51.100.1, 10.0.0.2"} {
		f.Add(seed)
	}
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, forwarded string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = "10.0.0.1:1"
		r.Header["X-Forwarded-For"] = []string{forwarded}
		if got := ClientAddress(r, trusted); !got.IsValid() || got.Is4In6() || got.Zone() != "" {
			t.Errorf("address for %q: got %v, want a plain one", forwarded, got)
		}
	})
}
