package page

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"portico/internal/method"
	"portico/internal/semaphore"
	"portico/model"
	"portico/web"
	"portico/web/asset"
	"portico/web/style"
	"portico/web/takeaway"
)

// Options are the dependencies and settings of the pages.
type Options struct {
	// Queries reads the spaces and the accounts, and Mutations changes whom an account follows.
	Queries   Queries
	Mutations Mutations
	// Site knows who is signed in.
	Site *web.Site
	// TakeAway reads a space that the owner, who sent the request, takes away.
	TakeAway func(r *http.Request, space *model.Space) (*takeaway.Space, error)
	// CountRequest counts a request for a page: for the caller in its context, or for its address
	// if nobody is signed in. If it returns an error, the request is refused.
	CountRequest func(r *http.Request) error
	// CountAddress counts n requests for the address, even if somebody is signed in. If it returns
	// an error, the request is refused.
	CountAddress func(r *http.Request, n int) error
	// BaseURL is the public address of the server, without a final slash.
	BaseURL string
	// FileOrigins are the origins from which browsers load files and to which they upload
	// them, besides the origin of BaseURL.
	FileOrigins []string
	// PluginFrame is the address of the frame in which the pages run plugins.
	PluginFrame string
	// Brand is how the server calls itself and looks.
	Brand style.Brand
	// Retention is how long the server keeps what its operator decides.
	Retention Retention
	// IsOperator reports whether the caller may operate the server.
	IsOperator func(ctx context.Context) (bool, error)
	// Other handles requests for unknown paths by clients that are not browsers. Nil means
	// http.NotFound.
	Other http.Handler
	// Logger logs internal errors; nil means slog.Default.
	Logger *slog.Logger
}

// Pages serves the pages. Its fields are set once.
type Pages struct {
	queries      Queries
	mutations    Mutations
	site         *web.Site
	takeAway     func(r *http.Request, space *model.Space) (*takeaway.Space, error)
	countRequest func(r *http.Request) error
	countAddress func(r *http.Request, n int) error
	base         string
	brand        style.Brand
	isOperator   func(ctx context.Context) (bool, error)
	branding     http.Handler
	privacy      http.Handler
	retention    Retention
	other        http.Handler
	log          *slog.Logger
	policies     policies
	// fileOrigins has the origins of files, with blanks between them.
	fileOrigins string
	plugins     string      // the address of the frame of plugins
	languages   []*language // the default first
	files       map[string]http.Handler
	style       string // the address of the style sheet
	gallery     string // the address of the script of the gallery
	scene       scene
	home        http.Handler
	space       http.Handler
	download    http.Handler
	taken       http.Handler
	zips        *semaphore.Room // the places of downloads that are zips
	person      http.Handler
	named       http.Handler
	copies      http.Handler
	unknown     http.Handler
}

// New returns the pages. An error means that an embedded file is invalid.
func New(o Options) (*Pages, error) {
	p := &Pages{
		queries: o.Queries, mutations: o.Mutations, site: o.Site, takeAway: o.TakeAway,
		countRequest: o.CountRequest, countAddress: o.CountAddress, base: strings.TrimRight(o.BaseURL, "/"), brand: o.Brand, retention: o.Retention, isOperator: o.IsOperator,
		other: o.Other, log: cmp.Or(o.Logger, slog.Default()), zips: newZips(),
		policies: newPolicies(o), fileOrigins: strings.Join(o.FileOrigins, " "), plugins: o.PluginFrame,
	}
	if p.other == nil {
		p.other = http.NotFoundHandler()
	}
	var err error
	if p.languages, err = readLanguages(o.Brand); err != nil {
		return nil, err
	}
	if err := p.addFiles(); err != nil {
		return nil, err
	}
	if err := p.addHub(); err != nil {
		return nil, err
	}
	if p.scene, err = p.addDist(); err != nil {
		return nil, fmt.Errorf("add the scripts of a space: %w", err)
	}
	p.home = p.site.Page(web.Methods{"GET": p.signedIn(p.showHome)})
	p.space = p.site.Page(web.Methods{"GET": p.signedIn(p.showSpace), "POST": p.signedIn(p.recordStay)})
	p.download = p.site.Page(web.Methods{"GET": p.signedIn(p.sendDownload), "POST": p.signedIn(p.makeDownload)})
	p.taken = p.site.Page(web.Methods{"GET": p.signedIn(p.sendSpace)})
	p.person = p.site.Page(web.Methods{"GET": p.signedIn(p.showPerson), "POST": p.signedIn(p.follow)})
	p.named = p.site.Page(web.Methods{"GET": p.signedIn(p.showNamed)})
	p.copies = p.site.Page(web.Methods{"GET": p.signedIn(p.showCopied), "POST": p.signedIn(p.copySpace)})
	p.privacy = p.site.Page(web.Methods{"GET": p.signedIn(p.showPrivacy)})
	p.branding = p.site.Page(web.Methods{"GET": p.signedIn(p.showBranding)})
	p.unknown = p.site.Page(web.Methods{"GET": p.signedIn(p.showUnknown)})
	return p, nil
}

// The paths of the pages, and of the sitemap, robots.txt and oEmbed. The page of a space is at the
// root, below its id: no other path looks like an id (see model.IsSpaceID).
const (
	personPath        = model.UserPath
	embedPath         = "/embed/"
	downloadPath      = "/download/"
	copyPath          = "/copy/"
	oEmbedPath        = "/oembed"
	robotsPath        = "/robots.txt"
	sitemapPath       = "/sitemap.xml"
	sitemapPartPrefix = "/sitemap/"
)

// ServeHTTP implements http.Handler. Empty segments of the path make no difference, and
// nothing is redirected for them.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := web.WithoutEmptySegments(r.URL.Path)
	if file, ok := p.files[path]; ok {
		readOnly(file).ServeHTTP(w, r)
		return
	}
	p.route(path, r).ServeHTTP(w, r)
}

// route returns the handler of a path, and sets the value "id" of the request. Every path without
// another handler ends here, see server.appRoutes.
func (p *Pages) route(path string, r *http.Request) http.Handler {
	switch path {
	case "":
		return p.home
	case privacyPath:
		return p.privacy
	case brandingPath:
		return p.branding
	case oEmbedPath:
		return readOnly(http.HandlerFunc(p.oEmbed))
	case robotsPath:
		return readOnly(http.HandlerFunc(p.robots))
	case sitemapPath:
		return readOnly(http.HandlerFunc(p.sitemap))
	}
	if id := strings.TrimPrefix(path, "/"); model.IsSpaceID(id) {
		r.SetPathValue("id", id)
		return p.space
	}
	if _, ok := model.ParseNamedPath(path); ok {
		return p.named
	}
	if download := p.routeDownload(path, r); download != nil {
		return download
	}
	for _, below := range []struct {
		path    string
		handler http.Handler
	}{
		{personPath, p.person}, {copyPath, p.copies}, {embedPath, readOnly(p.anonymous(p.showEmbed))},
		{sitemapPartPrefix, readOnly(http.HandlerFunc(p.sitemapPart))},
	} {
		if id, ok := strings.CutPrefix(path, below.path); ok && !strings.Contains(id, "/") {
			r.SetPathValue("id", id)
			return below.handler
		}
	}
	if !acceptsHTML(r) {
		return p.other
	}
	return p.unknown
}

// routeDownload is route for the path of a whole space or of an entity; nil for another path.
func (p *Pages) routeDownload(path string, r *http.Request) http.Handler {
	rest, ok := strings.CutPrefix(path, downloadPath)
	space, entity, below := strings.Cut(rest, "/")
	if !ok || !model.IsSpaceID(space) || below && entity == "" {
		return nil
	}
	r.SetPathValue("id", space)
	if !below {
		return p.taken
	}
	r.SetPathValue("entity", entity)
	return p.download
}

// acceptsHTML reports whether a browser requests a page.
func acceptsHTML(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// readOnly refuses all methods except GET and HEAD.
func readOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "Method not allowed", method.Refuse(w.Header(), http.MethodGet, http.MethodHead))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// file serves a fixed file under an address with a hash of its content, and returns that.
func (p *Pages) file(stem, extension string, file *asset.File) (address string) {
	address = "/place/" + stem + "-" + file.Hash() + extension
	p.files[address] = forAnyPage(file)
	return address
}
