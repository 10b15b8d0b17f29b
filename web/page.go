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
)

//go:embed pages
var files embed.FS

// pages are the templates and the files that they refer to.
type pages struct {
	languages []*language                                 // English first
	templates map[*language]map[string]*template.Template // by name
	assets    map[string]http.Handler                     // by path
}

// frame is the content of layout.html.
type frame struct {
	Language string // its tag
	Title    string
	Content  any
}

// The paths of the files that pages load. Their addresses contain a hash of the content, so
// browsers can keep them for ever.
const (
	stylePath  = "/pages/style.css"
	scriptPath = "/pages/copy.js"
	// passkeyScriptPath is the script of the sign-in page.
	passkeyScriptPath = "/pages/passkey.js" //nolint:gosec // a path, no credential
)

// newPages parses all templates, each with the layout around it: a mistake in one stops the
// start of the server, and not a visitor.
func newPages() (*pages, error) {
	languages, err := readLanguages()
	if err != nil {
		return nil, fmt.Errorf("read the messages: %w", err)
	}
	p := &pages{languages: languages, templates: map[*language]map[string]*template.Template{}, assets: map[string]http.Handler{}}
	versions := map[string]string{}
	for path, kind := range map[string]string{stylePath: "text/css", scriptPath: "text/javascript", passkeyScriptPath: "text/javascript"} {
		content, err := files.ReadFile(path[1:])
		if err != nil {
			return nil, fmt.Errorf("read the pages: %w", err)
		}
		sum := sha256.Sum256(content)
		versions[path] = path + "?v=" + hex.EncodeToString(sum[:6])
		p.assets[path] = asset(content, kind+"; charset=utf-8")
	}
	for _, l := range languages {
		if p.templates[l], err = parsePages(l, versions); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// parsePages parses the templates in a language, with the addresses of the files by path.
func parsePages(l *language, versions map[string]string) (map[string]*template.Template, error) {
	functions := template.FuncMap{
		"size": l.size, "when": l.when, "style": func() string { return versions[stylePath] }, "script": func() string { return versions[scriptPath] },
		"passkeyScript": func() string { return versions[passkeyScriptPath] }, "t": l.text,
	}
	templates := map[string]*template.Template{}
	for _, name := range []string{"login", "signup", "welcome", "consent", "account", "error", "form", "message"} {
		t, err := template.New("layout.html").Funcs(functions).
			ParseFS(files, "pages/layout.html", "pages/field.html", "pages/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("parse page %s: %w", name, err)
		}
		templates[name] = t
	}
	return templates, nil
}

// asset answers with the content, whichever version the address names: a page of the version
// before must still find its style.
func asset(content []byte, kind string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) // fails only when the browser has left
	})
}

// show answers with the page, in the language of the request. It writes nothing if the template
// fails, so that the error page can still be shown.
func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, name, title string, content any) error {
	l := s.pages.language(r)
	var b bytes.Buffer
	if err := s.pages.templates[l][name].Execute(&b, frame{Language: l.tag, Title: title, Content: content}); err != nil {
		return fmt.Errorf("render page %s: %w", name, err)
	}
	w.Header().Add("Vary", "Accept-Language")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // fails only when the browser has left
	return nil
}

// size writes a number of bytes for people.
func size(n int64) string {
	units := []string{"kB", "MB", "GB", "TB", "PB"}
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	value, unit := float64(n)/1000, 0
	for value >= 999.95 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + units[unit]
}
