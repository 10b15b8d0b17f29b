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
		compressed := sync.OnceValues(func() (*File, error) {
			content, err := fs.ReadFile(files, name)
			return New(content, kind, cache), err
		})
		handlers[name] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if file, err := compressed(); err == nil { // embedded files can always be read
				file.ServeHTTP(w, r)
			}
		})
		return nil
	})
	return handlers, err
}
