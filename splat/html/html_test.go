package html_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"portico/splat/folder"
	"portico/splat/html"
)

// page returns a page with some text, a picture and these contents as data URIs.
func page(before int, contents ...string) []byte {
	b := []byte("<!DOCTYPE html><title>;base64</title><img src=\"data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("\x89PNG....")) + "\">")
	b = append(b, strings.Repeat(" ", before)...)
	for _, content := range contents {
		b = append(b, `<script>fetch("data:application/octet-stream;base64,`+base64.StdEncoding.EncodeToString([]byte(content))+`")</script>`...)
	}
	return append(b, "</html>"...)
}

func file(t testing.TB, b []byte) folder.File {
	t.Helper()
	f, err := folder.Memory{"a": b}.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFind_finds_captures_of_any_length_anywhere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 3<<20)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for _, test := range []struct{ magic, extension string }{{"PK\x03\x04", ".sog"}, {"ply\n", ".ply"}, {"ply\r\n", ".ply"}, {"NGSP", ".spz"}} {
		for _, length := range []int{2, 3, 4, 1000, len(random)} {
			// The start of the data crosses the end of a window.
			for _, before := range []int{0, 1<<20 - 185, 1<<20 - 190} {
				want := test.magic + string(random[:length])
				found, err := html.Find(t.Context(), file(t, page(before, "\x00\x01\x02\x03\x04\x05 other", want)))
				if err != nil || found == nil {
					t.Fatalf("%q of %d bytes: got %v, %v, want a capture", test.magic, length, found, err)
				}
				got, err := io.ReadAll(io.NewSectionReader(found, 0, found.Size()))
				if err != nil || string(got) != want || found.Extension != test.extension {
					t.Errorf("%q of %d bytes: got %d bytes as %s, %v", test.magic, length, len(got), found.Extension, err)
				}
				if length != 1000 {
					continue // Contains reads only the start of a capture
				}
				if contains, err := html.Contains(bytes.NewReader(page(before, want))); !contains || err != nil {
					t.Errorf("%q after %d bytes: Contains got %t, %v, want true", test.magic, before, contains, err)
				}
			}
		}
	}
}

func TestReadAt_reads_any_part(t *testing.T) {
	t.Parallel()
	content := "ply\n" + strings.Repeat("abcdefg", 100)
	found, err := html.Find(t.Context(), file(t, page(0, content)))
	if err != nil {
		t.Fatal(err)
	}
	for from := range 20 {
		for length := range 20 {
			b := make([]byte, length)
			if n, err := found.ReadAt(b, int64(from)); n != length || err != nil || string(b) != content[from:from+length] {
				t.Fatalf("%d bytes at %d: got %q, %v", length, from, b[:n], err)
			}
		}
	}
	if n, err := found.ReadAt(make([]byte, 9), found.Size()-4); n != 4 || err != io.EOF {
		t.Errorf("past the end: got %d, %v, want 4 bytes and the end", n, err)
	}
	if _, err := found.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("a negative offset: got no error")
	}
}

func TestFind_finds_none_in_other_pages(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"nothing": nil, "a page": page(0), "a script": page(0, "console.log(1)"), "a short one": page(0, "PK\x03\x04"),
		"what is not base64": []byte(`"data:;base64,{}{}{}{}{}"`), "an end": []byte(";base64,"), "many": bytes.Repeat([]byte(";base64,"), 20_000),
	} {
		if found, err := html.Find(t.Context(), file(t, b)); found != nil || err != nil {
			t.Errorf("%s: got %v, %v, want none", name, found, err)
		}
		if contains, err := html.Contains(bytes.NewReader(b)); contains || err != nil {
			t.Errorf("%s: Contains got %t, %v, want false", name, contains, err)
		}
	}
}

func TestContains_returns_the_error_of_its_reader(t *testing.T) {
	t.Parallel()
	want := errors.New("x")
	if contains, err := html.Contains(io.MultiReader(strings.NewReader("<p>"), iotest.ErrReader(want))); contains || !errors.Is(err, want) {
		t.Errorf("got %t, %v, want %v", contains, err, want)
	}
}

func TestFind_ends_with_its_context(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := html.Find(ended, file(t, page(0, "ply\nabcdef"))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// FuzzFind reads what is found in any page. Whatever is found starts like a capture.
func FuzzFind(f *testing.F) {
	f.Add(page(3, "ply\nformat"))
	f.Add(page(0, "PK\x03\x04 zip", "NGSP...."))
	f.Fuzz(func(t *testing.T, b []byte) {
		found, err := html.Find(t.Context(), file(t, b))
		if err != nil {
			t.Fatal(err)
		}
		if contains, err := html.Contains(bytes.NewReader(b)); contains != (found != nil) || err != nil {
			t.Errorf("Contains: got %t, %v, where Find found %v", contains, err, found)
		}
		if found == nil {
			return
		}
		content, err := io.ReadAll(io.NewSectionReader(found, 0, found.Size()))
		if err != nil || len(content) < 6 || len(content) > len(b) {
			t.Errorf("got %d bytes, %v, from a page of %d", len(content), err, len(b))
		}
	})
}

// Settings are found where the viewers of several years have them, and nothing else is taken for them.
func TestSettings_of_a_page(t *testing.T) {
	t.Parallel()
	capture := "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString([]byte("PK\x03\x04 a bundle"))
	const settings = `{"version":2,"cameras":[{"initial":{"fov":60}}],"annotations":[{"title":"a } in a text"}]}`
	for name, test := range map[string]struct{ page, want string }{
		"in the JSON before the capture": {`<script type="application/json" id="sse-bootstrap">{"settings":` + settings + `,"contentUrl":"` + capture + `"}</script>`, settings},
		"in the script after it":         {`<script>window.content = "` + capture + `"; const settings = ` + settings + `;</script>`, settings},
		"as a field, after another": {
			`<script>load("` + capture + `"); const x = {settings: {quality: 1}, y: {settings:{"a":1}}, z: { settings : ` + settings + `}}</script>`, settings,
		},
		"of version 1":           {`<script>settings={"camera":{"fov":50}}; "` + capture + `"</script>`, `{"camera":{"fov":50}}`},
		"none":                   {`<script>settingsUrl={"camera":1}; settings=load(); "` + capture + `"</script>`, ""},
		"cut off":                {`"` + capture + `" settings={"camera":{"fov":50}`, ""},
		"too large":              {`"` + capture + `" settings={"camera":"` + strings.Repeat("x", 300_000) + `"}`, ""},
		"hidden among a million": {`"` + capture + `"` + strings.Repeat(`settings:{`, 100_000) + `settings:` + settings, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := html.Find(t.Context(), file(t, []byte(test.page)))
			if err != nil || found == nil {
				t.Fatalf("got %v, %v, want a capture", found, err)
			}
			got, err := html.Settings(t.Context(), found)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}
