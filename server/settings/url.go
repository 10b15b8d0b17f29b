package settings

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// hostNames converts host names to the form that browsers send (UTS 46, non-transitional). It
// accepts what they accept, such as underscores.
var hostNames = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.Transitional(false),
	idna.StrictDomainName(false), idna.CheckHyphens(false))

// numberPattern matches a label that makes browsers read the whole host as an IPv4 address.
var numberPattern = regexp.MustCompile(`^([0-9]+|0[xX][0-9a-fA-F]*)$`)

var errNotAddress = errors.New("is not an http or https address without query")

// NormaliseURL returns an address in the one form that browsers use for its origin: lower case, an
// international name in Punycode, and no default port. Otherwise what a browser sends in Origin
// would differ from our own address. The name has no final dot and the path no final slash.
func NormaliseURL(address string) (string, error) {
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

// Normalised returns what NormaliseURL returns. Validate has checked the address.
func Normalised(address string) string {
	if form, err := NormaliseURL(address); err == nil {
		return form
	}
	return address
}
