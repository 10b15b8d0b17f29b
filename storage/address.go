package storage

import (
	"fmt"
	"net/url"
	"strings"
)

// address is a base that objects live below: the base, a slash, the escaped
// key.
type address struct {
	// text is the base without its final slash.
	text string
	// origin is the scheme and the host in one spelling, for comparison.
	origin string
	// path is the escaped path of the base, without its final slash.
	path string
}

// parseAddress reads an absolute http or https URL; a query, a fragment or a
// user would end up in the middle of the objects' addresses.
func parseAddress(text string) (address, error) {
	text = strings.TrimRight(text, "/")
	u, err := url.Parse(text)
	if err != nil {
		return address{}, fmt.Errorf("parse address: %w", err)
	}
	web := u.Scheme == "http" || u.Scheme == "https"
	if !web || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, "?#") {
		return address{}, fmt.Errorf("address %q is not a plain http or https URL", text)
	}
	return address{text: text, origin: originOf(u), path: u.EscapedPath()}, nil
}

// below returns the address of a path under this one.
func (a address) below(path string) address {
	return address{text: a.text + path, origin: a.origin, path: a.path + path}
}

// sameHost reports whether two bases have host and port in common. A server cannot tell
// by a request which scheme it was sent with.
func (a address) sameHost(b address) bool {
	_, hostA, _ := strings.Cut(a.origin, "://")
	_, hostB, _ := strings.Cut(b.origin, "://")
	return hostA == hostB
}

// of returns the address of an object.
func (a address) of(key string) string { return a.text + "/" + escapeKey(key) }

// key returns the key of an object's address, if u is one below this base.
func (a address) key(u *url.URL) (string, bool) {
	if u.User != nil || u.Fragment != "" || originOf(u) != a.origin {
		return "", false
	}
	_, key, ok := a.split(u)
	return key, ok
}

// split returns the folder of a signed address, "" for any other, and the key.
func (a address) split(u *url.URL) (folder, key string, ok bool) {
	escaped, ok := strings.CutPrefix(u.EscapedPath(), a.path+"/")
	if !ok {
		return "", "", false
	}
	folder = signedFolder.FindString(escaped)
	key, ok = unescapeKey(escaped[len(folder):])
	return folder, key, ok
}

// originOf spells scheme and host as browsers do: lower case, and no port
// where it is the scheme's own.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}
