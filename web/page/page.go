package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"portico/internal/negotiate"
	"portico/model"
	"portico/web/asset"
	"portico/web/style"
)

// frame is what the layout shows around the content of a page.
type frame struct {
	Language    string // its tag
	Languages   []choice
	Title       string
	Description string
	// Canonical is the absolute address of the page; empty for a page that has none.
	Canonical string
	// NoIndex keeps search engines from listing the page.
	NoIndex bool
	// Image is the absolute address of a picture for link previews; empty for none.
	Image string
	// OEmbed is the absolute address of the page's oEmbed response; empty for none.
	OEmbed string
	// Licence is the licence of what is in the space; nil for none.
	Licence *model.Licence
	// Home, SignIn and Account are addresses of the header. SignIn is empty where somebody
	// is signed in, and Account otherwise.
	Home, SignIn, Account string
	Privacy               string // the address of /privacy
	Style                 string
	Script                string     // the address of a script; empty for none
	Scene                 *firstLoad // nil for a page without a script
	Content               any
}

// Previewed reports whether links to the page show a picture and a description in other programs.
func (f frame) Previewed() bool { return f.OEmbed != "" || f.Image != "" }

// choice is a link to the same page in another form.
type choice struct {
	Name    string
	Tag     string // of a language
	Address string
	Current bool
}

// newFrame returns the frame of a page with this path and query. The address of the page
// is canonical without its query.
func (p *Pages) newFrame(r *request, path string, query url.Values) frame {
	f := frame{Language: r.language.tag, Canonical: p.base + path, Home: r.link("/", nil), Privacy: r.link(privacyPath, nil), Style: p.style}
	for _, l := range p.languages {
		f.Languages = append(f.Languages, choice{
			Name: l.texts["language.name"], Tag: l.tag, Address: r.inLanguage(path, query, l.tag), Current: l == r.language,
		})
	}
	if r.isSignedIn() {
		f.Account = "/console/account"
	} else {
		f.SignIn = withQuery("/login", url.Values{"next": {r.link(path, query)}})
	}
	return f
}

// templateNames are the pages; each is a file in folder pages.
var templateNames = []string{"space", "embed", "gallery", "person", "branding", "privacy", "failure", "made"}

// icon is the icon of the pages in browsers.
type icon struct{ Address, Type string }

func brandIcon(brand style.Brand) func() icon {
	address, kind := brand.IconURL()
	return func() icon { return icon{address, kind} }
}

// parseTemplates parses the pages for a language: a mistake in one stops the start of the
// server, and not a visitor.
func parseTemplates(l *language, brand style.Brand) (map[string]*template.Template, error) {
	functions := template.FuncMap{"text": l.text, "count": l.count, "number": l.number, "mark": brand.Mark, "brand": func() style.Brand { return brand }, "icon": brandIcon(brand), "linked": linked, "font": func() string { return style.FontPath }}
	templates := map[string]*template.Template{}
	for _, name := range templateNames {
		t, err := template.New("layout.html").Funcs(functions).
			ParseFS(pages, "pages/layout.html", "pages/parts.html", "pages/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("parse page %s: %w", name, err)
		}
		templates[name] = t
	}
	return templates, nil
}

// pageResponse is a page that is ready to be shown.
type pageResponse struct {
	status int
	page   string // one of templateNames
	policy string
	cache  string // Cache-Control; a page that may be kept has an ETag
	frame  frame
}

// The Cache-Control of pages. A space may become Private at any time, so caches must ask
// again for each visitor; the ETag saves them the transfer.
const (
	cacheRevalidated = "no-cache"
	cachePersonal    = "private, no-cache"
	cacheNever       = "no-store"
)

// cacheFor returns the Cache-Control of a page that everybody may see. It is private for
// a signed-in visitor, whose header the page shows.
func cacheFor(r *request) string {
	if r.isSignedIn() {
		return cachePersonal
	}
	return cacheRevalidated
}

// respond sends the page. It writes nothing if the template fails, so that the page
// of the error can still be shown.
//
// It carries out conditional requests (RFC 9110 section 13.1.2): the ETag is of the bytes, the
// policy and the encoding, so a page that has not changed costs its rendering but no transfer.
func (p *Pages) respond(w http.ResponseWriter, r *request, response pageResponse) error {
	var b bytes.Buffer
	layout := "layout.html"
	if r.embedded {
		layout = "bare"
	}
	if err := r.language.templates[response.page].ExecuteTemplate(&b, layout, response.frame); err != nil {
		return fmt.Errorf("render page %s: %w", response.page, err)
	}
	h := w.Header()
	setSecurityHeaders(h, response.policy)
	h.Set("Cache-Control", response.cache)
	if response.frame.NoIndex {
		h.Set("X-Robots-Tag", "noindex")
	}
	zipped := negotiate.AcceptsGzip(r.Request)
	if response.cache != cacheNever {
		tag := entityTag(b.Bytes(), response.policy, zipped)
		h.Set("ETag", tag)
		if asset.Matches(r.Request, tag) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", r.language.tag)
	body := b.Bytes()
	if zipped {
		h.Set("Content-Encoding", "gzip")
		body = asset.Compress(body, gzip.DefaultCompression)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(response.status)
	_, _ = w.Write(body) // fails only when the browser has disconnected
	return nil
}

// entityTag returns the ETag of a page. It covers the policy, which a cache keeps with the
// page.
func entityTag(body []byte, policy string, zipped bool) string {
	sum := sha256.New()
	_, _ = sum.Write(body)           // never fails
	_, _ = sum.Write([]byte(policy)) // never fails
	tag := hex.EncodeToString(sum.Sum(nil)[:12])
	if zipped {
		tag += "-gzip"
	}
	return `"` + tag + `"`
}
