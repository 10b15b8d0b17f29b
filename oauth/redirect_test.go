package oauth

import (
	"net/url"
	"strings"
	"testing"

	"portico/db"
)

func TestCheckRedirectURI_refuses_unsafe_addresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://a.example":                 true,
		"https://a.example/cb?x=1":          true,
		"http://localhost:8080/cb":          true,
		"http://[::1]:8080/":                true,
		"http://127.0.0.1":                  true,
		"http://a.example/":                 true,
		"HTTPS://A.example/":                true,
		"":                                  false,
		"/cb":                               false,
		"//a.example/":                      false,
		"a.example":                         false,
		"https:a.example":                   false,
		"https:///cb":                       false,
		"https://":                          false,
		"https://:80/":                      false,
		"https://a.example/#":               false,
		"https://a.example/#x":              false,
		"https://user@a.example/":           false,
		"https://a.example@evil.example/":   false,
		"https://a.example/ x":              false,
		"https://a.example/\t":              false,
		"https://a.example\\@evil.example/": false,
		"https://ä.example/":                false,
		"https://a.example;evil/":           false,
		"https://a,b/":                      false,
		"https://a.example:port/":           false,
		"https://a.example/\"":              false,
		"javascript:alert(1)":               false,
		"app://callback":                    false,
		"urn:ietf:wg:oauth:2.0:oob":         false,
		"https://a.example/" + strings.Repeat("x", 2000): false,
	} {
		if got := parseRedirectURI(address) != nil; got != want {
			t.Errorf("parseRedirectURI(%q): got %v, want %v", address, got, want)
		}
	}
}

func TestRegistered_ignores_the_port_of_a_loopback_address(t *testing.T) {
	t.Parallel()
	client := &db.OAuthClient{RedirectURIs: []string{
		"https://a.example/cb", "http://127.0.0.1:3000/cb?x=1", "http://localhost/cb", "http://[::1]:1/cb",
	}}
	for asked, want := range map[string]bool{
		"https://a.example/cb": true,
		// A loopback address with another port, or none (RFC 8252 section 7.3).
		"http://127.0.0.1:3000/cb?x=1": true, "http://127.0.0.1:49152/cb?x=1": true, "http://127.0.0.1/cb?x=1": true,
		"http://localhost:5173/cb": true, "http://[::1]:65535/cb": true,
		// All else is to the letter.
		"":                                          false,
		"https://a.example/cb/":                     false,
		"https://a.example/":                        false,
		"https://a.example/cb?":                     false,
		"https://a.example/cb?x=1":                  false,
		"https://a.example/CB":                      false,
		"https://A.example/cb":                      false,
		"HTTPS://a.example/cb":                      false,
		"http://a.example/cb":                       false,
		"https://a.example:443/cb":                  false,
		"https://a.example:8443/cb":                 false,
		"https://a.example/cb#x":                    false,
		"https://a.example/cb#":                     false,
		"https://a.example/x/../cb":                 false,
		"https://a.example/./cb":                    false,
		"https://a.example/cb/..":                   false,
		"https://a.example/%63b":                    false,
		"https://a.example.evil.example/cb":         false,
		"https://evil-a.example/cb":                 false,
		"https://x.a.example/cb":                    false,
		"https://a.example@evil.example/cb":         false,
		"https://evil@a.example/cb":                 false,
		"https://a.example\\@evil/cb":               false,
		"\thttps://a.example/cb":                    false,
		"https://a.example/cb\n":                    false,
		"http://127.0.0.1:3000/cb":                  false,
		"http://127.0.0.1:3000/cb?x=2":              false,
		"http://127.0.0.2:3000/cb?x=1":              false,
		"https://127.0.0.1:3000/cb?x=1":             false,
		"http://127.0.0.1@evil.example/cb?x=1":      false,
		"http://127.0.0.1.evil.example/cb?x=1":      false,
		"http://127.0.0.1:3000@evil.example/cb?x=1": false,
		"http://localhost.evil.example/cb":          false,
		"http://evil.example:80/cb":                 false,
		"http://127.0.0.1:99999999/../cb?x=1":       false,
		"http://LOCALHOST/cb":                       false,
		"http://localhost:80/cb?":                   false,
		"http://0x7f.1/cb":                          false,
	} {
		if got := registeredURI(client, asked) != nil; got != want {
			t.Errorf("registeredURI(%q): got %v, want %v", asked, got, want)
		}
	}
}

func TestWithParameters_keeps_the_query(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://a.example":                "https://a.example?code=1+%262",
		"https://a.example/cb?":            "https://a.example/cb?code=1+%262",
		"https://a.example/cb?b=%20&a&b=2": "https://a.example/cb?b=%20&a&b=2&code=1+%262",
	} {
		if got := withParameters(parseRedirectURI(address), url.Values{"code": {"1 &2"}}); got != want {
			t.Errorf("withParameters(%q): got %q, want %q", address, got, want)
		}
	}
}

// FuzzRegistered holds that nothing but a registered address, or another port of
// a loopback one, is ever answered.
func FuzzRegistered(f *testing.F) {
	client := &db.OAuthClient{RedirectURIs: []string{"https://a.example/cb", "http://127.0.0.1:3000/cb"}}
	for _, seed := range []string{"https://a.example/cb", "http://127.0.0.1:1/cb", "http://127.0.0.1:1@b/cb", "https://a.example/cb#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, asked string) {
		u := registeredURI(client, asked)
		if u == nil || asked == "https://a.example/cb" {
			return
		}
		if u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.EscapedPath() != "/cb" || u.RawQuery != "" || u.User != nil || u.Fragment != "" {
			t.Errorf("registeredURI(%q): got %v, want nothing", asked, u)
		}
	})
}
