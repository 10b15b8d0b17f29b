package style

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A colour that few can read would make links and buttons vanish.
func TestParseColour_refuses_what_cannot_be_read(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"#2450c8": true, "#0A7D4B": true, "#000000": true, "#767676": false, "#ffff00": false, "#fff": false, "red": false, "": false,
		"#2450c8;}*{display:none": false, "#12345g": false,
	} {
		if _, err := ParseColour(text); (err == nil) != want {
			t.Errorf("%q: got %v, want accepted %v", text, err, want)
		}
	}
}

// Every colour that is accepted can be read in light and in dark, and so can what is written on it.
func TestSheet_has_enough_contrast_for_every_colour(t *testing.T) {
	t.Parallel()
	token := regexp.MustCompile(`--(accent|on-accent|soft): #([0-9a-f]{6});`)
	accepted := 0
	for n := 0; n < 1<<24; n += 4999 {
		c, err := ParseColour(fmt.Sprintf("#%06x", n))
		if err != nil {
			continue
		}
		accepted++
		found := token.FindAllStringSubmatch(c.Sheet(), -1)
		if len(found) != 6 {
			t.Fatalf("%s: got %v", c, found)
		}
		for i, pages := range [][]rgb{lightPages, darkPages} {
			part := found[3*i : 3*i+3]
			accent, on, soft := Colour("#"+part[0][2]).rgb(), Colour("#"+part[1][2]).rgb(), Colour("#"+part[2][2]).rgb()
			if leastContrast(accent, append(pages[:2:2], soft)) < minContrast || contrast(accent, on) < minContrast {
				t.Errorf("%s: got %v", c, part)
			}
		}
	}
	if accepted < 500 {
		t.Errorf("got %d accepted colours", accepted)
	}
}

func TestServeStyle_writes_nothing_that_is_no_colour(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]int{"colour=%232450c8": 200, "colour=%23ffff00": 404, "colour=%23000000%7D*%7B": 404, "": 404} {
		w := httptest.NewRecorder()
		ServeStyle(w, httptest.NewRequest(http.MethodGet, StylePath+"?"+query, nil))
		if w.Code != want || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: got %d with %v", query, w.Code, w.Header())
		}
	}
}

// An SVG can have scripts, and a file can be both a picture and something else.
func TestReadLogo_keeps_only_the_pixels(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	encoded := func(side int) []byte {
		picture := image.NewNRGBA(image.Rect(0, 0, side, side))
		picture.Set(0, 0, color.NRGBA{R: 200, A: 255})
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	const script = "<script>alert(1)</script>"
	for name, row := range map[string]struct {
		content []byte
		want    string // a part of the error; "" for none
	}{
		"good.png": {append(encoded(64), script...), ""}, "evil.svg": {[]byte(`<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`), "PNG or a JPEG"},
		"cut.png": {encoded(64)[:60], "damaged"}, "wide.png": {encoded(maxLogoSide + 1), "pixels"}, "large.png": {make([]byte, maxLogoBytes+1), "1 MiB"},
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, row.content, 0o600); err != nil {
			t.Fatal(err)
		}
		logo, err := ReadLogo(path)
		switch {
		case row.want == "" && (err != nil || bytes.Contains(logo, []byte(script)) || !bytes.HasPrefix(logo, []byte("\x89PNG"))):
			t.Errorf("%s: got %d bytes and %v", name, len(logo), err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: got %v, want %q", name, err, row.want)
		}
	}
	if _, err := ReadLogo(filepath.Join(folder, "none.png")); err == nil {
		t.Error("a file that does not exist: got no error")
	}
}
