package door

import (
	"fmt"
	"net/url"
	"strings"

	"portico/storage"
)

// Address is the base of the addresses of objects: an object's address is the base, a
// slash, and the escaped key.
type Address struct {
	// text is the base without its final slash.
	text string
	// origin is the scheme and the host in the form of originOf, for comparison.
	origin string
	// path is the escaped path of the base, without its final slash.
	path string
}

// ParseAddress parses an absolute http or https URL. It refuses a query, a fragment and a
// user, which would end up in the middle of the objects' addresses.
func ParseAddress(text string) (Address, error) {
	text = strings.TrimRight(text, "/")
	u, err := url.Parse(text)
	if err != nil {
		return Address{}, fmt.Errorf("parse address: %w", err)
	}
	web := u.Scheme == "http" || u.Scheme == "https"
	if !web || u.Hostname() == "" || u.User != nil || strings.ContainsAny(text, "?#") {
		return Address{}, fmt.Errorf("address %q is not a plain http or https URL", text)
	}
	return Address{text: text, origin: originOf(u), path: u.EscapedPath()}, nil
}

// Join returns the address of a folder below this one.
func (a Address) Join(folder string) Address {
	path := "/" + escapeKey(folder)
	return Address{text: a.text + path, origin: a.origin, path: a.path + path}
}

// SameHost reports whether two bases have the same host and port. It ignores the scheme,
// which a server behind a proxy does not see.
func (a Address) SameHost(b Address) bool {
	_, hostA, _ := strings.Cut(a.origin, "://")
	_, hostB, _ := strings.Cut(b.origin, "://")
	return hostA == hostB
}

// ObjectURL returns the address of an object.
func (a Address) ObjectURL(key string) string { return a.SignedURL("", key) }

// SignedURL returns the address of an object with the folder of a signed address, as Serve passes
// it.
func (a Address) SignedURL(folder, key string) string { return a.text + "/" + folder + escapeKey(key) }

// key returns the key of an object's address; false if u is not below this base.
func (a Address) key(u *url.URL) (string, bool) {
	if u.User != nil || u.Fragment != "" || originOf(u) != a.origin {
		return "", false
	}
	_, key, ok := a.split(u)
	return key, ok
}

// split returns the key, and the folder of a signed address or "" for an unsigned one. It splits
// the escaped path: an unescaped one would not distinguish a slash from an escaped slash.
func (a Address) split(u *url.URL) (folder, key string, ok bool) {
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

// escapeKey returns the key as a URL path. It escapes each segment, so that a "?", "#" or
// "%" stays part of the name.
func escapeKey(key string) string {
	segments := strings.Split(key, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/")
}

// unescapeKey is the reverse of escapeKey. It splits the path before it unescapes the
// segments: otherwise an escaped slash within a segment would make an address match the key
// of another object.
func unescapeKey(escaped string) (key string, ok bool) {
	segments := strings.Split(escaped, "/")
	for i, segment := range segments {
		plain, err := url.PathUnescape(segment)
		if err != nil || strings.Contains(plain, "/") {
			return "", false
		}
		segments[i] = plain
	}
	key = strings.Join(segments, "/")
	if storage.CheckKey(key) != nil {
		return "", false
	}
	return key, true
}
