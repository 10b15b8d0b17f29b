package page

import (
	"embed"
	"fmt"
	"net/http"
	"path"

	"portico/web/asset"
	"portico/web/dist"
	"portico/web/style"
)

//go:embed pages
var pages embed.FS

// iconPath is the address of the icon, which other pages of the server show too.
const iconPath = "/favicon.svg"

// componentPath is the address of the script with the element portico-space, which pages of other
// sites load. The number is the version of the messages (docs/embed.md).
const componentPath = "/pages/portico-space-1.js"

// addFiles adds the style sheet, the script of the gallery, the element for other sites and the icon.
func (p *Pages) addFiles() error {
	sheet, err := pages.ReadFile("pages/style.css")
	if err != nil {
		return err
	}
	p.files = map[string]http.Handler{
		iconPath: forAnyPage(asset.New(style.Icon, "image/svg+xml", "public, max-age=86400")),
	}
	p.files[style.StylePath] = http.HandlerFunc(style.ServeStyle)
	if address := p.brand.LogoURL(); address != "" {
		p.files[address] = forAnyPage(p.brand.LogoFile())
	}
	component, err := pages.ReadFile("pages/portico-space.js")
	if err != nil {
		return err
	}
	p.files[componentPath] = forAnyPage(asset.New(component, "text/javascript; charset=utf-8", "public, max-age=3600"))
	script, err := pages.ReadFile("pages/gallery.js")
	if err != nil {
		return err
	}
	p.gallery = p.file("gallery", ".js", asset.New(script, "text/javascript; charset=utf-8", asset.Forever))
	p.style = p.file("style", ".css", asset.New(append([]byte(style.Tokens), sheet...), "text/css; charset=utf-8", asset.Forever))
	return nil
}

// forAnyPage lets pages of every origin load a file (see asset.AllowAnyPage).
func forAnyPage(file http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asset.AllowAnyPage(w.Header())
		file.ServeHTTP(w, r)
	})
}

// scene has the addresses of what the 3D view of a space loads first.
type scene struct {
	Script string
	Styles []string
	// Imports are the other scripts that the view needs, by the language of the page.
	Imports map[string][]string
}

// firstLoad is what browsers load together with the page of a space.
type firstLoad struct {
	Scripts []string // the module script first
	Styles  []string
	// Manifests and Images are what the first picture is drawn from. The engine reads
	// images as blobs, for which browsers use no preloaded response, only their cache.
	Manifests, Images []string
}

// firstLoadFor returns what a page in this language loads, with these files of a capture.
func (s scene) firstLoadFor(l *language, files []string) *firstLoad {
	load := &firstLoad{Scripts: append([]string{s.Script}, s.Imports[l.tag]...), Styles: s.Styles}
	for _, file := range files {
		if path.Ext(file) == ".json" {
			load.Manifests = append(load.Manifests, file)
		} else {
			load.Images = append(load.Images, file)
		}
	}
	return load
}

// addDist adds the built files.
//
// A missing file stops the start of the server.
func (p *Pages) addDist() (scene, error) {
	built, err := asset.Tree(dist.Files())
	if err != nil {
		return scene{}, err
	}
	for name, file := range built {
		p.files[dist.Path+name] = file
	}
	script, styles, err := dist.Entry("space")
	if err != nil {
		return scene{}, fmt.Errorf("find the script of a space: %w", err)
	}
	loaded := scene{Script: dist.Path + script, Styles: addresses(styles), Imports: map[string][]string{}}
	for _, l := range p.languages {
		imports, err := dist.Imports("space", "src/visit.ts", "src/messages/"+l.tag+".json")
		if err != nil {
			return scene{}, fmt.Errorf("find what the script of a space imports: %w", err)
		}
		loaded.Imports[l.tag] = addresses(imports)
	}
	return loaded, nil
}

// addresses returns the addresses of built files.
func addresses(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = dist.Path + name
	}
	return list
}
