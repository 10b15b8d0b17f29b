package server

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// filesPath is the path of files below their base address.
const filesPath = "/files"

// BaseURL returns the public address of the application, in the form of normaliseURL.
//
// It is right only after Listen, which finds the port of port 0.
func (p *Program) BaseURL() string {
	if p.Config.BaseURL != "" {
		return normalised(p.Config.BaseURL)
	}
	address := p.listenAddress()
	host, port, err := net.SplitHostPort(address)
	named, _, _ := net.SplitHostPort(p.Config.Addr) // Validate has checked it
	if ip := net.ParseIP(host); err == nil && (named == "localhost" || host == "" || (ip != nil && ip.IsUnspecified())) {
		// Clients cannot connect to the unspecified address, which means all addresses of
		// the machine. localhost stays a name, because passkeys require a domain name
		// (WebAuthn, "RP ID").
		address = net.JoinHostPort("localhost", port)
	}
	return normalised("http://" + address)
}

// hostNames converts host names to the form that browsers send (UTS 46, non-transitional). It
// accepts what they accept, such as underscores.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.Transitional(false),
	idna.StrictDomainName(false), idna.CheckHyphens(false))

// numberPattern matches a label that makes browsers read the whole host as an IPv4 address.
var numberPattern = regexp.MustCompile(`^([0-9]+|0[xX][0-9a-fA-F]*)$`)

var errNotAddress = errors.New("is not an http or https address without query")

// normaliseURL returns an address in the one form that browsers use for its origin: lower case, an
// international name in Punycode, and no default port. Otherwise what a browser sends in Origin
// would differ from our own address. The name has no final dot and the path no final slash.
func normaliseURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || strings.ContainsAny(address, "?#") {
		return "", errNotAddress
	}
	host, err := normaliseHost(u.Hostname())
	if err != nil {
		return "", err
	}
	if port := u.Port(); port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number == 0 {
			return "", errNotAddress
		}
		if number != map[string]uint64{"http": 80, "https": 443}[u.Scheme] {
			host += ":" + strconv.FormatUint(number, 10)
		}
	}
	return u.Scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// normaliseHost returns a host name or an IP address as it stands in an address.
func normaliseHost(host string) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Is6() {
			return "[" + ip.String() + "]", nil
		}
		return ip.String(), nil
	}
	name, err := hostNames.ToASCII(host)
	name = strings.TrimSuffix(name, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if err != nil || last == "" || numberPattern.MatchString(last) {
		return "", errNotAddress
	}
	return name, nil
}

// normalised returns what normaliseURL returns. Validate has checked the address.
func normalised(address string) string {
	if form, err := normaliseURL(address); err == nil {
		return form
	}
	return address
}

// listenAddress returns the address that Listen has opened. A program that does not listen, or not
// yet, has the configured address.
func (p *Program) listenAddress() string { return cmp.Or(p.address, p.Config.Addr) }

// FilesURL returns the base of the addresses of files. Its origin differs from the origin of
// BaseURL, so that no upload shares an origin with the sign-in pages. It is "" if the server has
// no second origin. Files are then below BaseURL.
//
// The cases:
//
//	PORTICO_FILES_URL is set          its value
//	http at a loopback address        the other name of it, such as localhost for 127.0.0.1
//	https, or another address         "": only the operator knows a second name
//	another program has the other     "": browsers could reach that program
func (p *Program) FilesURL() string {
	if p.Config.FilesURL != "" {
		return normalised(p.Config.FilesURL)
	}
	base, err := url.Parse(p.BaseURL())
	if err != nil || base.Scheme != "http" || p.otherLoopbackTaken {
		return ""
	}
	// Browsers treat localhost and 127.0.0.1 as different sites, and every system resolves
	// both.
	name, port := splitHost(base.Host)
	other := map[string]string{"localhost": "127.0.0.1", "127.0.0.1": "localhost", "::1": "localhost"}[name]
	if other == "" {
		return ""
	}
	if port != "" {
		other = net.JoinHostPort(other, port)
	}
	return "http://" + other + filesPath
}

// servesFiles reports whether this program handles requests for files. It does so if they are in
// the data folder, or in a private bucket to which it redirects.
func (p *Program) servesFiles() bool {
	return p.Config.StorageURL == "" || p.Config.FilesAccess == FilesProtected
}

// bucketFilesURL returns the base of the public addresses of files in a bucket, or "" for the
// addresses of the bucket itself.
func (p *Program) bucketFilesURL() string {
	if !p.servesFiles() && p.Config.FilesURL == "" {
		return ""
	}
	if files := p.FilesURL(); files != "" {
		return files
	}
	return p.BaseURL() + filesPath
}
