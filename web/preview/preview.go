// Package preview shows a local capture in a browser, with the 3D view of the pages of spaces and
// without a Portico server. Package server serves it for "portico view" on the loopback interface.
package preview

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"portico/internal/publicnet"
	"portico/model"
	"portico/web/asset"
	"portico/web/dist"
	"portico/web/style"
)

// Capture is what the page shows.
type Capture struct {
	// Name is the name of the file, for people.
	Name string
	// Files holds the capture alone: the page's visitors can read all of it.
	Files fs.FS
	// View is the path in Files that the page loads.
	View string
	// Gaussians reports whether the capture holds Gaussians, and not a mesh or an image.
	Gaussians bool
	// Collision is the path in Collisions of what visitors walk on; empty for none.
	Collision  string
	Collisions fs.FS
	// Start is where a visit begins; nil if nothing says so.
	Start *model.Start
	// Attribution must be shown beside the capture; empty for none.
	Attribution string
}

// The addresses of the page's files.
const (
	capturePath   = "/capture/"
	collisionPath = "/collision/"
	distPath      = "/dist/"
)

// file is a capture as the script of the page reads it (web/space/src/local.ts).
//
// The fields have the names of the type File in GraphQL that the script of a space selects, so one
// script serves both pages. Fields that a local capture does not have are null.
type file struct {
	Name         string  `json:"name"`
	Gaussians    bool    `json:"gaussians"`
	ViewURL      string  `json:"viewUrl"`
	ReadURL      string  `json:"readUrl"`
	PosterURL    *string `json:"posterUrl"`
	CollisionURL *string `json:"collisionUrl"`
	Attribution  *string `json:"attribution"`
	Start        *start  `json:"start"`
	Facts        *string `json:"facts"`
}

type start struct {
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
	Up       [3]float64 `json:"up"`
	Scene    string     `json:"scene"`
}

// describe returns the description of the capture that the page loads.
func (c Capture) describe() file {
	described := file{Name: c.Name, Gaussians: c.Gaussians, ViewURL: capturePath + c.View, ReadURL: capturePath + c.View}
	if c.Collision != "" {
		address := collisionPath + c.Collision
		described.CollisionURL = &address
	}
	if c.Attribution != "" {
		described.Attribution = &c.Attribution
	}
	if s := c.Start; s != nil {
		described.Start = &start{Position: s.Position, Target: s.Target, Up: s.Up, Scene: strings.ToUpper(string(s.Scene))}
	}
	return described
}

var (
	//go:embed page.html
	pageText string
	//go:embed preview.css
	sheet []byte

	page = template.Must(template.New("page").Parse(pageText))
)

// policy is the Content-Security-Policy of the page: its own files only, and the workers and
// pictures that the engine makes itself.
const policy = "default-src 'none'; font-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self' blob: data:; media-src 'self' blob:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// New returns the page at /, and its files. It handles requests for a loopback host only, so
// that a page of another site cannot read the capture by a name that it gives to 127.0.0.1.
func New(c Capture) (http.Handler, error) {
	built, err := asset.Tree(dist.Files())
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for name, handler := range built {
		mux.Handle("GET "+distPath+name, handler)
	}
	mux.Handle("GET "+style.FontPath, style.Font())
	mux.Handle("GET /preview.css", asset.New(sheet, "text/css; charset=utf-8", "no-cache"))
	mux.Handle("GET "+capturePath, http.StripPrefix(capturePath, http.FileServerFS(filesOnly{c.Files})))
	if c.Collision != "" {
		mux.Handle("GET "+collisionPath, http.StripPrefix(collisionPath, http.FileServerFS(filesOnly{c.Collisions})))
	}
	render, err := c.render()
	if err != nil {
		return nil, err
	}
	mux.Handle("GET /{$}", render)
	return loopbackOnly(mux), nil
}

// render returns the page, which does not change.
func (c Capture) render() (http.Handler, error) {
	described, err := json.Marshal(c.describe())
	if err != nil {
		return nil, err
	}
	script, styles, err := dist.Entry("space")
	if err != nil {
		return nil, err
	}
	for i, name := range styles {
		styles[i] = distPath + name
	}
	var text strings.Builder
	err = page.Execute(&text, map[string]any{
		"Language": "en", "Title": c.Name, "Script": distPath + script, "Styles": styles,
		"Capture": string(described), "Attribution": c.Attribution,
	})
	return asset.New([]byte(text.String()), "text/html; charset=utf-8", "no-store"), err
}

// loopbackOnly refuses requests whose Host is not a loopback address, so that other sites cannot
// read the capture by DNS rebinding.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !publicnet.IsLoopback(strings.Trim(host, "[]")) {
			http.Error(w, "This page answers at a loopback address only", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// filesOnly hides folders, so that none is listed.
type filesOnly struct{ fs.FS }

// Open implements fs.FS.
func (f filesOnly) Open(name string) (fs.File, error) {
	opened, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := opened.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = opened.Close() // read only
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return opened, nil
}
