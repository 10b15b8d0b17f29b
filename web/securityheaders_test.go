package web

import (
	"net/url"
	"testing"
)

// The characters ; , ' and * have a meaning in a policy.
func TestHasPlainHost_refuses_hosts_that_would_change_a_policy(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://portico.example/a;b": true, "https://Portico.example:8443": true, "https://xn--mnchen-3ya.example": true,
		"https://my_host-1": true, "http://127.0.0.1:80": true, "http://[2001:db8::1]:80": true,
		"https://:80": false, "https:///path": false, "/path": false, "": false,
		"https://a;b": false, "https://a,b": false, "https://a'b": false, "https://*": false,
		"https://münchen.example": false, "http://[fe80::1%25lo]": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Errorf("parse %q: %v", address, err)
			continue
		}
		if got := HasPlainHost(u); got != want {
			t.Errorf("HasPlainHost(%q): got %t, want %t", address, got, want)
		}
	}
}
