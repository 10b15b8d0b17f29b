package settings

import "testing"

// Mail servers refuse bare names, and names of the machine itself from others.
func TestMailGreeting_is_a_name_that_others_know(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ base, helo, want string }{
		{"", "", ""},
		{"", "mail.example", "mail.example"},
		{"https://Portico.Example:8443/", "", "portico.example"},
		{"https://Bücher.example", "", "xn--bcher-kva.example"},
		{"https://portico.example", "mail.example", "mail.example"},
		{"http://nas:8080", "", ""},
		{"http://localhost:8080", "", ""},
		{"http://127.0.0.1:8080", "", ""},
		{"http://[::1]:8080", "", ""},
		{"http://192.0.2.1:8080", "", "[192.0.2.1]"},
		{"http://[2001:db8::1]", "", "[IPv6:2001:db8::1]"},
	} {
		c := Config{BaseURL: test.base, SMTPHelo: test.helo}
		if got := c.mailGreeting(); got != test.want {
			t.Errorf("base %q, setting %q: got %q, want %q", test.base, test.helo, got, test.want)
		}
	}
}
