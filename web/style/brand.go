package style

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"image"
	_ "image/jpeg" // formats of a logo
	"image/png"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"portico/web/asset"
)

// DefaultName is the name of a server that the operator gives none.
const DefaultName = "Portico"

// DefaultColour is the blue of Portico.
const DefaultColour = "#2450c8"

// Brand is how a server calls itself and looks. The zero value is Portico's own.
type Brand struct {
	Name        string // "" for DefaultName
	Colour      Colour // "" for the blue of Portico
	Logo        []byte // a PNG, from ReadLogo; nil for the mark of Portico
	Title, Text string // of the start page; "" for those of Portico
	Imprint     string // an address; "" for none
	Privacy     string // an address; "" for none
}

// Called returns the name of the server.
func (b Brand) Called() string {
	if b.Name == "" {
		return DefaultName
	}
	return b.Name
}

// InText returns a text of ours with the name of the server instead of Portico's.
func (b Brand) InText(text string) string { return strings.ReplaceAll(text, DefaultName, b.Called()) }

// StylePath is the address of the style sheet of a brand, with the colour in its query. It is a file and
// not a part of the page, because the pages allow no inline style.
const StylePath = "/place/brand.css"

// StyleURL returns the address of the style sheet of the brand; "" for none.
func (b Brand) StyleURL() string {
	if b.Colour == "" {
		return ""
	}
	return StylePath + "?" + url.Values{"colour": {string(b.Colour)}}.Encode()
}

// LogoURL returns the address of the logo; "" for none.
func (b Brand) LogoURL() string {
	if b.Logo == nil {
		return ""
	}
	sum := sha256.Sum256(b.Logo)
	return "/place/logo-" + hex.EncodeToString(sum[:8]) + ".png"
}

// Mark returns the logo, or the mark of Portico, for templates.
func (b Brand) Mark() template.HTML {
	if b.Logo == nil {
		return Mark()
	}
	return template.HTML(`<img class="mark" src="` + b.LogoURL() + `" alt="">`) //nolint:gosec // our address, with a hash
}

// IconURL returns the address and the type of the icon in browsers.
func (b Brand) IconURL() (address, kind string) {
	if b.Logo == nil {
		return "/favicon.svg", "image/svg+xml"
	}
	return b.LogoURL(), "image/png"
}

// LogoFile returns the handler of the logo.
func (b Brand) LogoFile() *asset.File { return asset.New(b.Logo, "image/png", asset.Forever) }

const (
	maxLogoBytes = 1 << 20
	maxLogoSide  = 2048
)

// ReadLogo reads a logo from a PNG or a JPEG, and returns it as a PNG of only its pixels: browsers get
// nothing else that the file contains.
func ReadLogo(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(file, maxLogoBytes+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxLogoBytes {
		return nil, errors.New("a logo has at most 1 MiB")
	}
	header, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, errors.New("a logo is a PNG or a JPEG")
	}
	if header.Width > maxLogoSide || header.Height > maxLogoSide {
		return nil, fmt.Errorf("a logo has at most %d pixels on each side", maxLogoSide)
	}
	picture, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("the logo is damaged: %w", err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Colour is the colour of links and buttons, as #2450c8. It can be read on the pages in light.
type Colour string

var colourForm = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// minContrast is the contrast of text (WCAG 2.2, 1.4.3).
const minContrast = 4.5

// The backgrounds of links, in light and in dark, as in tokens.css.
var (
	lightPages = []rgb{{0xfa, 0xf8, 0xf5}, {0xff, 0xff, 0xff}}
	darkPages  = []rgb{{0x14, 0x13, 0x12}, {0x1b, 0x1a, 0x18}}
)

// ParseColour returns a colour that can be read on the pages.
func ParseColour(text string) (Colour, error) {
	c := Colour(strings.ToLower(text))
	if !colourForm.MatchString(string(c)) {
		return "", fmt.Errorf("%q is not a colour such as #2450c8", text)
	}
	if contrast := leastContrast(c.rgb(), lightPages); contrast < minContrast {
		return "", fmt.Errorf("%s has a contrast of %.1f on the pages, and needs %.1f: choose a darker colour", text, math.Floor(contrast*10)/10, minContrast)
	}
	return c, nil
}

// Sheet returns the style sheet of the colour. In dark it is as much lighter as its contrast needs.
func (c Colour) Sheet() string {
	light := c.rgb()
	dark := light
	for share := 0.0; leastContrast(dark, darkPages) < minContrast; share += 0.05 {
		dark = light.mixed(rgb{255, 255, 255}, share)
	}
	return ":root:root {\n" + tokens(light, lightPages) + "}\n@media (prefers-color-scheme: dark) {\n:root:root {\n" + tokens(dark, darkPages) + "}\n}\n"
}

// tokens returns the tokens of a colour on a page. What is drawn on the colour is white or black, of
// which one has a contrast of at least 4.58 on every colour.
func tokens(colour rgb, pages []rgb) string {
	on := rgb{255, 255, 255}
	if contrast(colour, on) < contrast(colour, rgb{}) {
		on = rgb{}
	}
	soft := pages[0]
	for share := 0.12; share > 0; share -= 0.02 {
		if mixed := pages[0].mixed(colour, share); contrast(colour, mixed) >= minContrast {
			soft = mixed
			break
		}
	}
	return fmt.Sprintf("--accent: %s;\n--on-accent: %s;\n--soft: %s;\n", colour, on, soft)
}

// ServeStyle responds with the style sheet of the colour in the query.
func ServeStyle(w http.ResponseWriter, r *http.Request) {
	colour, err := ParseColour(r.URL.Query().Get("colour"))
	if err != nil {
		http.Error(w, "Not found", http.StatusNotFound)
		return
	}
	asset.AllowAnyPage(w.Header())
	w.Header().Set("X-Content-Type-Options", "nosniff")
	asset.New([]byte(colour.Sheet()), "text/css; charset=utf-8", asset.Forever).ServeHTTP(w, r)
}

// rgb is a colour in sRGB.
type rgb [3]uint8

func (c Colour) rgb() rgb {
	n, _ := strconv.ParseUint(string(c[1:]), 16, 32) // the form is checked
	return rgb{uint8(n >> 16), uint8(n >> 8), uint8(n)}
}

func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// mixed returns the colour with a share of another one.
func (c rgb) mixed(other rgb, share float64) (mixed rgb) {
	for i := range c {
		mixed[i] = uint8(math.Round(float64(c[i])*(1-share) + float64(other[i])*share))
	}
	return mixed
}

// luminance returns the relative luminance (WCAG 2.2).
func (c rgb) luminance() float64 {
	var linear [3]float64
	for i, v := range c {
		s := float64(v) / 255
		if linear[i] = s / 12.92; s > 0.04045 {
			linear[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}

// contrast returns the contrast ratio of two colours, 1 to 21 (WCAG 2.2).
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func leastContrast(c rgb, pages []rgb) float64 {
	least := math.Inf(1)
	for _, page := range pages {
		least = min(least, contrast(c, page))
	}
	return least
}
