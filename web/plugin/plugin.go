// Package plugin serves the frame in which pages of spaces run plugins: .mjs files of the
// owner of a space. Only package server uses it.
//
// The frame is sandboxed and has an opaque origin, so that it can access neither cookies nor
// storage nor the page that contains it. Its policy allows the file of the plugin as a script, or the
// files of its folder, and no other request. It runs the plugin in a worker, which cannot block the
// page and has no document with which to navigate or open windows.
package plugin

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"portico/internal/method"
	"portico/model"
	"portico/web/asset"
)

// Path is the path of the frame. The parameter module is the address of the plugin's file.
const Path = "/plugin-frame"

var (
	//go:embed frame.js
	frameSource string
	//go:embed worker.js
	workerSource string
)

// document is the HTML of the frame, which is invisible on the page of a space.
var document = template.Must(template.New("frame").Parse(
	`<!DOCTYPE html><html lang="en" data-page="{{.Page}}"><meta charset="utf-8"><title>Plugin</title><script>{{.Script}}</script></html>`))

// Frame is the http.Handler of the frame.
type Frame struct {
	page    string   // the origin of the pages of spaces; only they may start a plugin
	origins []string // the origins of files, without the origin of the pages
	script  string
	hash    string // of the script, as a source of a policy
}

// New returns the frame for pages at the base URL. It runs files at these origins and at the origin
// of the base URL.
func New(base string, origins []string) (*Frame, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("parse the base URL: %w", err)
	}
	page := u.Scheme + "://" + u.Host
	worker, err := json.Marshal(workerSource)
	if err != nil {
		return nil, fmt.Errorf("encode the worker: %w", err)
	}
	script := "'use strict'; const workerSource = " + string(worker) + ";\n" + frameSource
	sum := sha256.Sum256([]byte(script))
	return &Frame{
		page: page, origins: slices.Clone(origins), script: script,
		hash: "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
	}, nil
}

// ServeHTTP responds with the frame of one plugin.
func (f *Frame) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "Method not allowed", method.Refuse(w.Header(), http.MethodGet, http.MethodHead))
		return
	}
	sources := f.scriptSources(r.URL.Query().Get("module"))
	if sources == "" {
		http.Error(w, "This is not the address of a plugin of this server", http.StatusBadRequest)
		return
	}
	h := w.Header()
	// The worker is created from a blob: URL, so it has the policy of the frame.
	h.Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; script-src "+f.hash+" "+sources+
		"; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors *")
	// For pages of spaces in frames of sites that require this of every frame.
	h.Set("Cross-Origin-Embedder-Policy", asset.RequireCORP)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=()")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", "text/html; charset=utf-8")
	// The script is constant and contains nothing from the request.
	content := map[string]any{"Page": f.page, "Script": template.JS(f.script)} //nolint:gosec // see above
	_ = document.Execute(w, content)                                           // fails only when the browser has disconnected
}

// folderOfPlugin matches the path of a plugin folder. The key of a single file has its id in its
// last part (model.NewUpload), so that no file matches. A source that ends in a slash allows all
// files below it (CSP 3, section 6.7.2.10), which the module imports by relative addresses.
var folderOfPlugin = regexp.MustCompile(`/api_uploads/[a-z0-9]+_[^/]*/$`)

// scriptSources returns the source expressions of a policy that allow only this address, or the
// folder of a plugin. It returns "" if the address is not a .mjs file at one of the origins.
//
// The address of a file in a private bucket redirects to the bucket. A policy allows a redirect
// to any path of an origin that it names (CSP 3, section 6.7.2.8), so it names the other origins
// of files too, with a path at which they have no other file.
func (f *Frame) scriptSources(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || !strings.EqualFold(path.Ext(u.Path), ".mjs") {
		return ""
	}
	origin := u.Scheme + "://" + u.Host
	if origin != f.page && !slices.Contains(f.origins, origin) {
		return ""
	}
	// Blanks, semicolons and commas separate the parts of a policy. Without the query, such as a
	// signature, because source expressions have none.
	file := strings.NewReplacer(";", "%3B", ",", "%2C").Replace(u.EscapedPath())
	if folder := strings.TrimSuffix(file, model.PluginIndex); folderOfPlugin.MatchString(folder) {
		file = folder
	}
	sources := origin + file
	for _, other := range f.origins {
		if other != origin {
			sources += " " + other + file
		}
	}
	return sources
}
