package storage

import (
	"fmt"
	"net/url"
	"strings"
)

// address is the base of the addresses of objects: an object's address is the base, a
// slash, and the escaped key.
type address struct {
	// text is the base without its final slash.
	text string
	// origin is the scheme and the host in the form of originOf, for comparison.
	origin string
	// path is the escaped path of the base, without its final slash.
	path string
}

// parseAddress parses an absolute http or https URL. It refuses a query, a fragment and a
// user, which would end up in the middle of the objects' addresses.
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

// join returns the address of a path below this one.
func (a address) join(path string) address {
	return address{text: a.text + path, origin: a.origin, path: a.path + path}
}

// sameHost reports whether two bases have the same host and port. It ignores the scheme,
// which a server behind a proxy does not see.
func (a address) sameHost(b address) bool {
	_, hostA, _ := strings.Cut(a.origin, "://")
	_, hostB, _ := strings.Cut(b.origin, "://")
	return hostA == hostB
}

func (a address) objectURL(key string) string { return a.text + "/" + escapeKey(key) }

// key returns the key of an object's address; false if u is not below this base.
func (a address) key(u *url.URL) (string, bool) {
	if u.User != nil || u.Fragment != "" || originOf(u) != a.origin {
		return "", false
	}
	_, key, ok := a.split(u)
	return key, ok
}

// split returns the key, and the folder of a signed address or "" for an unsigned one.
func (a address) split(u *url.URL) (folder, key string, ok bool) {
	escaped, ok := strings.CutPrefix(u.EscapedPath(), a.path+"/")
	if !ok {
		return "", "", false
	}
	folder = signedFolder.FindString(escaped)
	key, ok = unescapeKey(escaped[len(folder):])
	return folder, key, ok
}

// originOf writes scheme and host as browsers do: in lower case, and without the default
// port of the scheme.
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
