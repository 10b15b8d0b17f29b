package limit

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"portico/model"
)

func TestSubject_is_the_account_of_the_caller(t *testing.T) {
	t.Parallel()
	caller := &model.Caller{UserID: "10000001", KeyID: "abc"}
	r := httptest.NewRequest("GET", "/", nil)
	r = r.WithContext(model.WithCaller(r.Context(), caller))
	var off *Limiter
	for _, l := range []*Limiter{off, {proxies: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}}} {
		if got, want := l.Subject(r), Subject("user:10000001"); got != want {
			t.Errorf("subject: got %q, want %q", got, want)
		}
	}
	if got, want := UserSubject(caller.UserID), Subject("user:10000001"); got != want {
		t.Errorf("UserSubject: got %q, want %q", got, want)
	}
}

// TestSubject_is_the_address_without_a_caller has "Bearer" keys too: whether one
// is valid only auth knows, which sets the caller.
func TestSubject_is_the_address_without_a_caller(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, peer string
		want       Subject
	}{
		{"IPv4", "192.0.2.1:1234", "ip:192.0.2.1"},
		{"another port", "192.0.2.1:9", "ip:192.0.2.1"},
		{"IPv6 by its network", "[2001:db8:1:2:3:4:5:6]:1234", "ip:2001:db8:1:2::/64"},
		{"another host of that network", "[2001:db8:1:2::7]:1234", "ip:2001:db8:1:2::/64"},
		{"another network", "[2001:db8:1:3::7]:1234", "ip:2001:db8:1:3::/64"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:1234", "ip:192.0.2.1"},
		{"a zone", "[fe80::1%eth0]:1234", "ip:fe80::/64"},
		{"loopback", "[::1]:1234", "ip:::/64"},
		{"a socket", "@", "ip:unknown"},
		{"nothing", "", "ip:unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = c.peer
			r.Header.Set("Authorization", "Bearer portico_guess")
			r.Header.Set("X-Forwarded-For", "198.51.100.1")
			var off *Limiter
			for _, l := range []*Limiter{off, {}} {
				if got := l.Subject(r); got != c.want {
					t.Errorf("subject: got %q, want %q", got, c.want)
				}
			}
		})
	}
}

func TestSubject_of_an_address_is_not_an_account(t *testing.T) {
	t.Parallel()
	for subject, want := range map[Subject]bool{
		UserSubject("ip:192.0.2.1"):                          true,
		addressSubject(netip.Addr{}):                         false,
		addressSubject(netip.MustParseAddr("192.0.2.1")):     false,
		addressSubject(netip.MustParseAddr("2001:db8::1")):   false,
		addressSubject(netip.MustParseAddr("fe80::1%key:a")): false,
	} {
		if got := subject.isUser(); got != want {
			t.Errorf("%s is an account: got %v, want %v", subject, got, want)
		}
	}
}
