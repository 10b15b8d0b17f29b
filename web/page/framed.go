package page

import (
	"net/url"
	"slices"
	"strings"

	"portico/model"
	"portico/web"
)

// maxFramedOrigins limits the origins in a policy: servers and proxies limit headers.
const maxFramedOrigins = 40

// framedOrigins returns the origins of the web pages that gates show in the space, sorted. It
// includes only https origins of other sites. If this server has no TLS, it also includes http
// origins.
//
// The policy of a page names what it may frame, and the gates of the page decide what that is. So a
// gate that is added later is framed after the page is loaded again.
func (p *Pages) framedOrigins(items []*model.SpaceItem) []string {
	var origins []string
	for _, item := range items {
		if !item.IsGate() || !item.Embedded || len(origins) == maxFramedOrigins {
			continue
		}
		if origin := p.framedOrigin(item.LinkedURL()); origin != "" && !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	slices.Sort(origins)
	return origins
}

// framedOrigin returns the origin of an address that may be shown in a frame; otherwise "".
func (p *Pages) framedOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || !web.HasPlainHost(u) {
		return ""
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !strings.HasPrefix(p.base, "http:")) {
		return ""
	}
	origin := strings.ToLower(u.Scheme + "://" + u.Host)
	if base, err := url.Parse(p.base); err != nil || strings.EqualFold(base.Host, u.Host) {
		return "" // our own pages are reached as spaces
	}
	return origin
}
