package oauth

import (
	"net/url"
	"slices"
	"strings"

	"portico/db"
	"portico/internal/publicnet"
	"portico/web"
)

// maxURI is the maximum length of a redirect URI in bytes.
const maxURI = 2000

// parseRedirectURI parses an address to which a code may be sent: absolute, http or https, without
// fragment, and without characters that people or browsers may read differently. It returns nil for
// any other address.
func parseRedirectURI(address string) *url.URL {
	if len(address) > maxURI || strings.Contains(address, "#") {
		return nil
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' || strings.IndexByte("\\\"<>^`{|}", c) >= 0 {
			return nil // not a character of RFC 3986
		}
	}
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.Opaque != "" || !web.HasPlainHost(u) {
		return nil
	}
	return u
}

// usableRedirectURIs returns the addresses of a client to which the server can send a code. Others,
// such as private schemes, may be for other servers.
func usableRedirectURIs(addresses []string) []string {
	return slices.DeleteFunc(slices.Clone(addresses), func(uri string) bool { return parseRedirectURI(uri) == nil })
}

// registeredURI returns the requested address if the client has registered it; nil for any other
// address. Addresses are compared exactly, except that the port of a loopback address may differ
// (RFC 8252 section 7.3).
//
// A prefix or a pattern would let a page of the client that redirects anywhere leak the code (RFC
// 9700 section 4.1).
func registeredURI(client *db.OAuthClient, requested string) *url.URL {
	u := parseRedirectURI(requested)
	if u == nil {
		return nil
	}
	if slices.Contains(client.RedirectURIs, requested) {
		return u
	}
	portless := withoutPort(requested)
	for _, own := range client.RedirectURIs {
		if portless != "" && withoutPort(own) == portless {
			return u
		}
	}
	return nil
}

// withoutPort returns a loopback address without its scheme and port; "" for any other address. The
// scheme is http, as browsers treat loopback addresses as safe without TLS.
func withoutPort(address string) string {
	u := parseRedirectURI(address)
	if u == nil || u.Scheme != "http" || !publicnet.IsLoopback(u.Hostname()) {
		return ""
	}
	_, after, _ := strings.Cut(address, "//")
	rest := ""
	if i := strings.IndexAny(after, "/?"); i >= 0 {
		rest = after[i:]
	}
	return u.Hostname() + rest
}

// withParameters returns the address with the parameters added to its query (RFC 6749 section
// 3.1.2).
func withParameters(to *url.URL, parameters url.Values) string {
	target := *to
	if target.RawQuery != "" {
		target.RawQuery += "&"
	}
	target.RawQuery += parameters.Encode()
	return target.String()
}
