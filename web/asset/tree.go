package asset

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// mediaTypes are the media types of built files, by their extensions.
var mediaTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".md": "text/plain; charset=utf-8",
	".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp",
}

// workerPolicy is the Content-Security-Policy of the workers that decode models. A worker has the
// policy of its script, not of the page. This policy lets the worker run the WebAssembly that the
// page sends it, and load nothing.
const workerPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'"

// RequireCORP is the Cross-Origin-Embedder-Policy of pages that other sites with such a policy may
// show in a frame.
const RequireCORP = "require-corp"

// AllowAnyPage lets pages of every origin load the content of a response, which must be the same for
// everybody. Our own pages have no origin (null) in a frame with the attribute sandbox, which
// WordPress puts around everything that it embeds.
func AllowAnyPage(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// Tree returns a handler for each file of a build, by its path. It compresses a file at its first
// request, because compressing the 3D engine takes a noticeable part of a second. It skips files
// with an unknown extension.
func Tree(files fs.FS) (map[string]http.Handler, error) {
	handlers := map[string]http.Handler{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		mediaType := mediaTypes[path.Ext(name)]
		if err != nil || entry.IsDir() || mediaType == "" {
			return err
		}
		cacheControl := Forever
		if strings.Contains(name, "/.vite/") { // the name of the file contains no hash
			cacheControl = "no-cache"
		}
		policy := ""
		if strings.Contains(name, ".worker-") && mediaType == mediaTypes[".js"] {
			policy = workerPolicy
		}
		compressed := sync.OnceValues(func() (*File, error) {
			content, err := fs.ReadFile(files, name)
			return New(content, mediaType, cacheControl), err
		})
		handlers[name] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			AllowAnyPage(w.Header())
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
				// A page with this policy starts no worker without it.
				w.Header().Set("Cross-Origin-Embedder-Policy", RequireCORP)
			}
			if file, err := compressed(); err == nil { // embedded files can always be read
				file.ServeHTTP(w, r)
			}
		})
		return nil
	})
	return handlers, err
}
