// Package preview shows spaces in a browser with the 3D view of the pages of spaces and without a
// Portico server: a local capture, which package server serves for "portico view" on the loopback
// interface, and a space in a folder that any web server can serve, for "portico export --static".
package preview

import (
	"encoding/json"
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

// file is the File of an Entity.
type file struct {
	Name         string  `json:"name"`
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

// describe returns the capture as a space with nothing else in it.
func (c Capture) describe() Space {
	described := file{Name: c.Name, ViewURL: capturePath + c.View, ReadURL: capturePath + c.View}
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
	data := json.RawMessage(`{}`)
	if c.Gaussians { // as the spaces that a server makes of them
		data = json.RawMessage(`{"rotation":{"x":0,"y":0,"z":180}}`)
	}
	return Space{Title: c.Name, Entities: []Entity{{EntityID: c.Name, Type: model.TypeUserModel, Data: data, ReadURL: &described.ReadURL, File: described}}}
}

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
	var text strings.Builder
	p := page{Language: "en", Title: c.Name, Sheet: "/preview.css", Icon: "data:,"}
	if c.Attribution != "" {
		p.Attributions = []string{c.Attribution}
	}
	err := p.write(&text, c.describe(), distPath)
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
