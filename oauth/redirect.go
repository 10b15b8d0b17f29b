package oauth

import (
	"net/url"
	"slices"
	"strings"

	"portico/db"
	"portico/web"
)

// maxURI is how many bytes a redirect URI may have.
const maxURI = 2000

// redirectURI reads an address that a code may be sent to: absolute, http or
// https, without fragment (contract, OAuth), and without anything that people or
// browsers read in another way than we do. It returns nil for any other.
func redirectURI(address string) *url.URL {
	if len(address) > maxURI || strings.Contains(address, "#") {
		return nil
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' || strings.IndexByte("\\\"<>^`{|}", c) >= 0 {
			return nil // not in RFC 3986
		}
	}
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.Opaque != "" || !isHost(u.Hostname()) {
		return nil
	}
	return u
}

// isHost reports whether the text is a host as browsers know it: a name or an IP
// address, and nothing that ends the host in a policy or a list.
func isHost(host string) bool {
	return host != "" && strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:") == ""
}

// registered returns the address that a client asks for, if it is one of its own:
// the same to the letter, except that a loopback address may have another port
// (RFC 8252 section 7.3). It returns nil for any other.
func registered(client *db.OAuthClient, asked string) *url.URL {
	u := redirectURI(asked)
	if u == nil {
		return nil
	}
	if slices.Contains(client.RedirectURIs, asked) {
		return u
	}
	portless := withoutPort(asked)
	for _, own := range client.RedirectURIs {
		if portless != "" && withoutPort(own) == portless {
			return u
		}
	}
	return nil
}

// withoutPort returns a loopback address to the letter, but for its port; "" for
// any other address.
func withoutPort(address string) string {
	u := redirectURI(address)
	if u == nil || u.Scheme != "http" || !web.IsLoopback(u.Hostname()) {
		return ""
	}
	_, after, _ := strings.Cut(address, "//")
	rest := ""
	if i := strings.IndexAny(after, "/?"); i >= 0 {
		rest = after[i:]
	}
	return u.Hostname() + rest
}

// withParameters returns the address with the parameters behind the query that it
// has already (RFC 6749 section 3.1.2).
func withParameters(to *url.URL, parameters url.Values) string {
	target := *to
	if target.RawQuery != "" {
		target.RawQuery += "&"
	}
	target.RawQuery += parameters.Encode()
	return target.String()
}
