package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"portico/web/style"
)

//go:embed pages
var files embed.FS

// pages contains the templates and the static files that they use.
type pages struct {
	languages []*language                                 // English first
	templates map[*language]map[string]*template.Template // by name
	assets    map[string]http.Handler                     // by path
}

// layout is the content of layout.html.
type layout struct {
	Language  string // its tag
	Languages []languageLink
	Title     string
	Content   any
}

// The paths of the files that pages load. Their addresses contain a hash of the content, so that
// browsers can cache them forever.
const (
	stylePath  = "/pages/style.css"
	scriptPath = "/pages/copy.js"
	// shareScriptPath is the script of the page that opens a space by a link.
	shareScriptPath = "/pages/share.js"
	// passkeyScriptPath is the script of the sign-in page.
	passkeyScriptPath = "/pages/passkey.js" //nolint:gosec // a path, no credential
)

// newPages parses all templates, so that a mistake in one is found when the server starts.
func newPages(brand style.Brand) (*pages, error) {
	languages, err := readLanguages()
	if err != nil {
		return nil, fmt.Errorf("read the messages: %w", err)
	}
	p := &pages{languages: languages, templates: map[*language]map[string]*template.Template{}, assets: map[string]http.Handler{style.FontPath: style.Font(), style.FontLicencePath: style.FontLicence()}}
	versions := map[string]string{}
	for path, kind := range map[string]string{stylePath: "text/css", scriptPath: "text/javascript", shareScriptPath: "text/javascript", passkeyScriptPath: "text/javascript"} {
		content, err := files.ReadFile(path[1:])
		if err != nil {
			return nil, fmt.Errorf("read the pages: %w", err)
		}
		if path == stylePath {
			content = append([]byte(style.Tokens), content...)
		}
		sum := sha256.Sum256(content)
		versions[path] = path + "?v=" + hex.EncodeToString(sum[:6])
		p.assets[path] = assetHandler(content, kind+"; charset=utf-8")
	}
	for _, l := range languages {
		if p.templates[l], err = parsePages(l, versions, brand); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// parsePages parses the templates in a language, each with the layout. versions are the addresses
// of the files, by path.
func parsePages(l *language, versions map[string]string, brand style.Brand) (map[string]*template.Template, error) {
	functions := template.FuncMap{
		"style": func() string { return versions[stylePath] }, "script": func() string { return versions[scriptPath] },
		"mark": brand.Mark, "brand": func() style.Brand { return brand }, "font": func() string { return style.FontPath },
		"shareScript":   func() string { return versions[shareScriptPath] },
		"passkeyScript": func() string { return versions[passkeyScriptPath] }, "t": func(text string) string { return brand.InText(l.translate(text)) }, "say": l.say,
	}
	templates := map[string]*template.Template{}
	for _, name := range []string{"login", "signup", "welcome", "consent", "key", "error", "form", "message", "share"} {
		t, err := template.New("layout.html").Funcs(functions).
			ParseFS(files, "pages/layout.html", "pages/field.html", "pages/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("parse page %s: %w", name, err)
		}
		templates[name] = t
	}
	return templates, nil
}

// assetHandler responds with the content for every version in the address, so that a page of an
// earlier version of the server finds its style.
func assetHandler(content []byte, kind string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // fails only when the browser has disconnected
	})
}

// pageResponse is a response with a page.
type pageResponse struct {
	status   int
	template string // its name
	title    string
}

// render responds with the page, in the language of the request. It writes nothing if the template
// fails, so that the caller can still render the error page.
//
// html/template escapes every value for the place where it stands.
func (s *Site) render(w http.ResponseWriter, r *http.Request, page pageResponse, content any) error {
	l := s.pages.language(r)
	var b bytes.Buffer
	if err := s.pages.templates[l][page.template].Execute(&b, layout{Language: l.tag, Languages: s.pages.links(r, l, page.template), Title: page.title, Content: content}); err != nil {
		return fmt.Errorf("render page %s: %w", page.template, err)
	}
	w.Header().Add("Vary", "Accept-Language")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(page.status)
	_, _ = w.Write(b.Bytes()) // fails only when the browser has disconnected
	return nil
}

// withProblem returns the title in the language of the request, with "Error" at its start if there is a
// problem, because screen readers read the title first.
func (s *Site) withProblem(r *http.Request, title string, hasProblem bool) string {
	l := s.pages.language(r)
	if hasProblem {
		return l.say("Error: {title}", "title", l.translate(title))
	}
	return l.translate(title)
}
