package page

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/web"
)

const (
	// sitemapSize is the maximum number of addresses of a sitemap (sitemaps.org, FAQ).
	sitemapSize = 50_000
	// sitemapRead is how many spaces are read at a time, and kept in memory. It divides
	// sitemapSize.
	sitemapRead = 1000
	// sitemapCost is how many requests a sitemap counts as: it reads as much.
	sitemapCost = 10
)

// robots handles GET /robots.txt. Pages that must not be listed say so themselves, because a
// crawler that is kept out would not see that.
func (p *Pages) robots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = fmt.Fprintf(w, "User-agent: *\nAllow: /\nDisallow: /graphql\nDisallow: /v1/\nDisallow: /api/\nDisallow: /playground\n\nSitemap: %s\n",
		p.base+sitemapPath) // fails only when the client has left
}

// sitemap handles GET /sitemap.xml: the addresses of all Public spaces, or an index of
// sitemaps if there are more than one may have.
func (p *Pages) sitemap(w http.ResponseWriter, r *http.Request) {
	if !p.limitSitemap(w, r) {
		return
	}
	parts, err := p.queries.SitemapParts(r.Context(), sitemapSize)
	if err != nil {
		p.failSitemap(w, r, err)
		return
	}
	if len(parts) <= 1 {
		first := int64(0)
		if len(parts) == 1 {
			first = parts[0]
		}
		p.respondSitemap(w, r, first)
		return
	}
	xmlHeader(w)
	index := bufio.NewWriter(w)
	_, _ = index.WriteString(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, start := range parts {
		_, _ = fmt.Fprintf(index, "<sitemap><loc>%s%s%d.xml</loc></sitemap>\n", html.EscapeString(p.base), sitemapPartPrefix, start)
	}
	_, _ = index.WriteString("</sitemapindex>\n")
	_ = index.Flush() // fails only when the client has left, as the writes before
}

// sitemapPart handles GET /sitemap/{start}.xml, which the index names.
func (p *Pages) sitemapPart(w http.ResponseWriter, r *http.Request) {
	digits, ok := strings.CutSuffix(r.PathValue("id"), ".xml")
	start, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || start < 0 {
		p.other.ServeHTTP(w, r)
		return
	}
	if p.limitSitemap(w, r) {
		p.respondSitemap(w, r, start)
	}
}

// limitSitemap counts a request for a sitemap. It responds, and returns false, where there were too
// many.
func (p *Pages) limitSitemap(w http.ResponseWriter, r *http.Request) bool {
	err := p.countAddress(r, sitemapCost)
	if err != nil {
		p.failSitemap(w, r, err)
	}
	return err == nil
}

// respondSitemap writes the spaces of a part while it reads them.
//
// It holds at most sitemapRead spaces in memory, so the list is not a snapshot: spaces that are
// deleted or published while it is written may be in the list or not.
func (p *Pages) respondSitemap(w http.ResponseWriter, r *http.Request, start int64) {
	spaces, err := p.queries.SitemapPage(r.Context(), start, sitemapRead)
	if err != nil {
		p.failSitemap(w, r, err)
		return
	}
	xmlHeader(w)
	list := bufio.NewWriter(w)
	_, _ = list.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for written := len(spaces); ; written += len(spaces) {
		for _, space := range spaces {
			_, _ = fmt.Fprintf(list, "<url><loc>%s%s</loc><lastmod>%s</lastmod></url>\n",
				html.EscapeString(p.base), cmp.Or(space.SpacePath(), "/"+space.ID), space.ChangedAt.UTC().Format(time.DateOnly))
		}
		if len(spaces) < sitemapRead || written >= sitemapSize {
			break
		}
		spaces, err = p.queries.SitemapPage(r.Context(), spaces[len(spaces)-1].Sequence+1, sitemapRead)
		if err != nil {
			p.logFault(r, err)
			panic(http.ErrAbortHandler) // a dropped connection shows that the list is incomplete
		}
	}
	_, _ = list.WriteString("</urlset>\n")
	_ = list.Flush() // fails only when the client has left, as the writes before
}

func xmlHeader(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	w.Header().Set("Cache-Control", cacheRevalidated)
	_, _ = w.Write([]byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")) // fails only when the client has left
}

// failSitemap responds with the error as plain text, and logs it if it is internal.
func (p *Pages) failSitemap(w http.ResponseWriter, r *http.Request, err error) {
	p.logFault(r, err)
	web.RefuseInText(w, err)
}
