package place

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"portico/web/asset"
	"portico/web/dist"
)

//go:embed pages
var pages embed.FS

// iconPath is the address of the icon, which other pages of the server show too.
const iconPath = "/favicon.svg"

// addFiles adds the style sheet and the icon.
func (p *Pages) addFiles() error {
	style, err := pages.ReadFile("pages/style.css")
	if err != nil {
		return err
	}
	icon, err := pages.ReadFile("pages/icon.svg")
	if err != nil {
		return err
	}
	p.files = map[string]http.Handler{
		iconPath: asset.New(icon, "image/svg+xml", "public, max-age=86400"),
	}
	p.style = p.file("style", ".css", asset.New(style, "text/css; charset=utf-8", asset.Forever))
	return nil
}

// scene has the addresses of what the 3D view of a space loads first.
type scene struct {
	Script string
	Styles []string
}

// distPath is where the files of package dist are.
const distPath = "/dist/"

// kinds are the media types of built files.
var kinds = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".md": "text/plain; charset=utf-8",
	".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp",
}

// addDist adds the built files. Each is compressed when it is first asked for: the engine
// takes a noticeable part of a second.
func (p *Pages) addDist() (scene, error) {
	files := dist.Files()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		kind := kinds[path.Ext(name)]
		if err != nil || entry.IsDir() || kind == "" {
			return err
		}
		cache := asset.Forever
		if strings.Contains(name, "/.vite/") { // its name has no hash
			cache = "no-cache"
		}
		compressed := sync.OnceValues(func() (*asset.File, error) {
			content, err := fs.ReadFile(files, name)
			return asset.New(content, kind, cache), err
		})
		p.files[distPath+name] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if file, err := compressed(); err == nil { // embedded files can always be read
				file.ServeHTTP(w, r)
			}
		})
		return nil
	})
	if err != nil {
		return scene{}, err
	}
	script, styles, err := dist.Entry("space")
	if err != nil {
		return scene{}, fmt.Errorf("find the script of a space: %w", err)
	}
	loaded := scene{Script: distPath + script}
	for _, style := range styles {
		loaded.Styles = append(loaded.Styles, distPath+style)
	}
	return loaded, nil
}
