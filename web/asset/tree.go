package asset

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

// kinds are the media types of built files.
var kinds = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".md": "text/plain; charset=utf-8",
	".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp",
}

// workerPolicy is the Content-Security-Policy of the workers that decode models. A worker with a
// file of its own has the policy of that file and not the page's. This one may run the
// WebAssembly that the page sends it, and load nothing.
const workerPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'"

// Tree returns a handler for each file of a build, by its path. Each is compressed when it is
// first asked for: the 3D engine takes a noticeable part of a second.
func Tree(files fs.FS) (map[string]http.Handler, error) {
	handlers := map[string]http.Handler{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		kind := kinds[path.Ext(name)]
		if err != nil || entry.IsDir() || kind == "" {
			return err
		}
		cache := Forever
		if strings.Contains(name, "/.vite/") { // its name has no hash
			cache = "no-cache"
		}
		policy := ""
		if strings.Contains(name, ".worker-") && kind == kinds[".js"] {
			policy = workerPolicy
		}
		compressed := sync.OnceValues(func() (*File, error) {
			content, err := fs.ReadFile(files, name)
			return New(content, kind, cache), err
		})
		handlers[name] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
			}
			if file, err := compressed(); err == nil { // embedded files can always be read
				file.ServeHTTP(w, r)
			}
		})
		return nil
	})
	return handlers, err
}
