// Package style has what the pages of the server share: the colours and sizes, the font, the mark and
// the icon. The console and the page of a space are built with the same files. It is for the packages
// below web.
package style

import (
	_ "embed"
	"html/template"
	"net/http"

	"portico/web/asset"
)

var (
	// Tokens is the start of every style sheet.
	//
	//go:embed tokens.css
	Tokens string
	// Icon is the icon of the pages in browsers, an SVG.
	//
	//go:embed icon.svg
	Icon []byte
	//go:embed mark.svg
	mark string
	//go:embed figtree.woff2
	font []byte
	//go:embed figtree.OFL.txt
	licence []byte
)

// FontPath is the address of the font, which Tokens names. It has the version of the font.
const FontPath = "/pages/figtree-5.3.0.woff2"

// Mark returns the mark of Portico, an arch that one looks through, for templates.
func Mark() template.HTML { return template.HTML(mark) } //nolint:gosec // a file of ours

// FontFile returns the bytes of the font, for pages that are files.
func FontFile() []byte { return font }

// FontLicenceText returns the licence of the font, which has to come with it.
func FontLicenceText() []byte { return licence }

// Font returns the handler of the font. Every page may load it: the page of a space in a frame with the
// attribute sandbox has no origin.
func Font() http.Handler {
	file := asset.New(font, "font/woff2", asset.Forever)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asset.AllowAnyPage(w.Header())
		file.ServeHTTP(w, r)
	})
}

// FontLicencePath is the address of the licence of the font, which has to come with it.
const FontLicencePath = "/pages/figtree.OFL.txt"

// FontLicence returns the handler of the licence.
func FontLicence() http.Handler {
	return asset.New(licence, "text/plain; charset=utf-8", "public, max-age=86400")
}
