package place

import (
	"embed"
	"fmt"
	"net/http"

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

// addDist adds the built files.
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
	loaded := scene{Script: dist.Path + script}
	for _, style := range styles {
		loaded.Styles = append(loaded.Styles, dist.Path+style)
	}
	return loaded, nil
}
