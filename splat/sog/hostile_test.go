package sog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/sog"
	"portico/splat/vp8l"
)

// object is a JSON object that a test changes.
type object = map[string]any

// smallFolder returns the files of a small capture of degree 1.
func smallFolder(t testing.TB) folder.Memory {
	t.Helper()
	files, err := writeSmallFolder()
	if err != nil {
		t.Fatal(err)
	}
	return maps.Clone(files)
}

// writeSmallFolder writes the files of smallFolder once for all tests.
var writeSmallFolder = sync.OnceValues(func() (folder.Memory, error) {
	written := newRecordingFolder()
	_, err := sog.WriteFolder(context.Background(), gaussian.NewMemorySource(nil, capture(100, 1, 1)), written, sog.Options{})
	return written.Memory, err
})

// webpImage returns a WebP image of one colour.
func webpImage(t testing.TB, width, height int, pixel ...byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := vp8l.Encode(&out, bytes.Repeat(pixel, width*height), width, height); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// hostileManifest is a change of a good manifest, and why the changed one is refused.
type hostileManifest struct {
	change func(m object)
	reason string
}

func TestOpen_refuses_hostile_manifests(t *testing.T) {
	t.Parallel()
	for name, test := range hostileManifests() {
		t.Run(name, func(t *testing.T) { t.Parallel(); wantManifestRefused(t, test) })
	}
}

func TestOpen_refuses_hostile_palettes(t *testing.T) {
	t.Parallel()
	for name, test := range hostilePalettes() {
		t.Run(name, func(t *testing.T) { t.Parallel(); wantManifestRefused(t, test) })
	}
}

func TestOpen_refuses_hostile_names_of_images(t *testing.T) {
	t.Parallel()
	for name, test := range hostileImageNames() {
		t.Run(name, func(t *testing.T) { t.Parallel(); wantManifestRefused(t, test) })
	}
}

// wantManifestRefused opens a good capture with the changed manifest.
func wantManifestRefused(t *testing.T, test hostileManifest) {
	t.Helper()
	files := smallFolder(t)
	var m object
	if err := json.Unmarshal(files["meta.json"], &m); err != nil {
		t.Fatal(err)
	}
	test.change(m)
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	changed := folder.Memory{"scan/meta.json": data}
	for name, content := range files {
		if name != "meta.json" {
			changed["scan/"+name] = content
		}
	}
	_, err = sog.Open(t.Context(), changed, "scan/meta.json")
	wantInputError(t, err, test.reason)
}

// hostileManifests returns manifests with a wrong version, count, bound or codebook.
func hostileManifests() map[string]hostileManifest {
	return map[string]hostileManifest{
		"no means":                              {func(m object) { delete(m, "means") }, "is not a SOG manifest: it names no images"},
		"another file":                          {func(m object) { clear(m); m["name"] = "package" }, "is not a SOG manifest"},
		"version 1 without ranges of harmonics": {func(m object) { delete(m, "version"); m["means"].(object)["shape"] = []int{100, 3} }, "its harmonics do not have a range"},
		"version 1 without ranges": {func(m object) {
			delete(m, "version")
			delete(m, "shN")
			m["means"].(object)["shape"] = []int{100, 3}
		}, "it does not have 3 ranges of scales"},
		"version 1 without a shape": {func(m object) { m["version"] = 1 }, "it does not have the number of its Gaussians"},
		"version 3":                 {func(m object) { m["version"] = 3 }, "is a SOG of version 3"},
		"no version":                {func(m object) { delete(m, "version") }, "is a SOG of version 0"},
		"no count":                  {func(m object) { delete(m, "count") }, "has no Gaussians"},
		"a negative count":          {func(m object) { m["count"] = -1 }, "has no Gaussians"},
		"half a count":              {func(m object) { m["count"] = 1.5 }, "its JSON cannot be read"},
		"too high a count":          {func(m object) { m["count"] = 1 << 30 }, "at most 536870912 can be read"},
		"more than the images":      {func(m object) { m["count"] = 145 }, "too few for 145 values"},
		"two bounds":                {func(m object) { m["means"].(object)["mins"] = []int{0, 0} }, "does not have three bounds and two images for the positions"},
		"turned bounds":             {func(m object) { m["means"].(object)["mins"] = []int{80, 0, 0} }, "invalid bounds of the positions"},
		"wide bounds":               {func(m object) { m["means"].(object)["maxs"] = []int{0, 0, 200} }, "invalid bounds of the positions"},
		"endless bounds":            {func(m object) { m["means"].(object)["maxs"] = []any{json.Number("1e99"), 0, 0} }, "its JSON cannot be read"},
		"one image of means":        {func(m object) { m["means"].(object)["files"] = []string{"means_l.webp"} }, "three bounds and two images"},
		"no quats":                  {func(m object) { delete(m, "quats") }, "names 0 images of quats"},
		"two images of scales":      {func(m object) { m["scales"].(object)["files"] = []string{"a", "b"} }, "names 2 images of scales"},
		"no codebook":               {func(m object) { delete(m["sh0"].(object), "codebook") }, "codebook of sh0 with 0 values"},
		"a long codebook":           {func(m object) { m["scales"].(object)["codebook"] = make([]int, 257) }, "codebook of scales with 257 values"},
		"a hole in the codebook":    {func(m object) { m["sh0"].(object)["codebook"] = []any{0, nil, 1} }, "its JSON cannot be read"},
		"a codebook of text":        {func(m object) { m["sh0"].(object)["codebook"] = []any{"0"} }, "its JSON cannot be read"},
	}
}

// hostilePalettes returns manifests with wrong harmonics.
func hostilePalettes() map[string]hostileManifest {
	return map[string]hostileManifest{
		"degree 4":               {func(m object) { m["shN"].(object)["bands"] = 4 }, "has harmonics of degree 4"},
		"degree -1":              {func(m object) { m["shN"].(object)["bands"] = -1 }, "has harmonics of degree -1"},
		"another degree":         {func(m object) { m["shN"].(object)["bands"] = 2 }, "too few for 1024 values"},
		"an empty palette":       {func(m object) { m["shN"].(object)["count"] = 0 }, "has a palette of 0 harmonics"},
		"too large a palette":    {func(m object) { m["shN"].(object)["count"] = 65537 }, "has a palette of 65537 harmonics"},
		"a larger palette":       {func(m object) { m["shN"].(object)["count"] = 129 }, "too few for 576 values"},
		"one image of harmonics": {func(m object) { m["shN"].(object)["files"] = []string{"shN_labels.webp"} }, "names 1 images of harmonics"},
		"no harmonics' codebook": {func(m object) { delete(m["shN"].(object), "codebook") }, "codebook of harmonics with 0 values"},
	}
}

// hostileImageNames returns manifests that name an image outside of the folder, or none.
func hostileImageNames() map[string]hostileManifest {
	return map[string]hostileManifest{
		"a way out":        {func(m object) { m["quats"].(object)["files"] = []string{"../quats.webp"} }, `refers to "../quats.webp", which is not a file in its folder`},
		"an absolute path": {func(m object) { m["quats"].(object)["files"] = []string{"/etc/passwd"} }, "which is not a file in its folder"},
		"a drive":          {func(m object) { m["quats"].(object)["files"] = []string{"C:quats.webp"} }, "which is not a file in its folder"},
		"an address":       {func(m object) { m["quats"].(object)["files"] = []string{"https://host/quats.webp"} }, "which is not a file in its folder"},
		"backslashes":      {func(m object) { m["quats"].(object)["files"] = []string{`..\quats.webp`} }, "which is not a file in its folder"},
		"an empty name":    {func(m object) { m["quats"].(object)["files"] = []string{""} }, "which is not a file in its folder"},
		"the folder":       {func(m object) { m["quats"].(object)["files"] = []string{"./."} }, "which is not a file in its folder"},
		"a missing image":  {func(m object) { m["quats"].(object)["files"] = []string{"turns.webp"} }, `"scan/turns.webp" is missing, although "scan/meta.json" refers to it`},
	}
}

func TestOpen_refuses_other_files_as_manifests(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"nothing":  "",
		"text":     "hello",
		"an array": "[]",
		"cut":      `{"version":2,"count":`,
		"deep":     strings.Repeat(`{"means":`, 100_000),
		"binary":   "\x00\x01\x02",
	} {
		for _, manifest := range []string{"meta.json", "lod-meta.json"} {
			_, err := sog.Open(t.Context(), folder.Memory{manifest: []byte(data)}, manifest)
			wantInputError(t, err, `"`+manifest+`" is not `)
			if t.Failed() {
				t.Fatalf("%s as %s", name, manifest)
			}
		}
	}
	for _, manifest := range []string{"meta.json", "a/lod-meta.json"} {
		_, err := sog.Open(t.Context(), folder.Memory{}, manifest)
		wantInputError(t, err, `"`+manifest+`" is missing`)
		_, err = sog.Limits{}.Open(t.Context(), folder.Memory{manifest: []byte("{}")}, manifest)
		wantInputError(t, err, "has 2 bytes; at most 0 can be read")
	}
}

func TestOpen_accepts_deviations_of_other_tools(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(data string) string{
		"a byte order mark":      func(s string) string { return "\xef\xbb\xbf" + s },
		"unknown keys":           func(s string) string { return `{"antialias":true,"x":[{}],` + s[1:] },
		"a path with a dot":      func(s string) string { return strings.Replace(s, "quats.webp", "./quats.webp", 1) },
		"an empty palette entry": func(s string) string { before, _, _ := strings.Cut(s, `,"shN"`); return before + `,"shN":{}}` },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := smallFolder(t)
			files["meta.json"] = []byte(change(string(files["meta.json"])))
			if got := readAll(t, open(t, files, "meta.json"), 0).Len(); got != 100 {
				t.Errorf("Gaussians: got %d, want 100", got)
			}
		})
	}
}

func TestOpen_extrapolates_codebooks_that_start_with_null(t *testing.T) {
	t.Parallel()
	files := smallFolder(t)
	var m object
	if err := json.Unmarshal(files["meta.json"], &m); err != nil {
		t.Fatal(err)
	}
	book := make([]any, 256)
	for i := range book {
		book[i] = float64(i) - 10
	}
	book[0] = nil
	m["scales"].(object)["codebook"] = book
	files["meta.json"], _ = json.Marshal(m) // cannot fail: it was parsed from JSON
	files["scales.webp"] = webpImage(t, 12, 12, 0, 1, 2, 255)
	c := readAll(t, open(t, files, "meta.json"), 0)
	// Viewers extrapolate by the mean step of the others: 255 values, 254 steps of 1.
	if want := float32(-9 - 254.0/255); c.Scales[0] != want || c.Scales[1] != -9 {
		t.Errorf("scales: got %g, want %g and -9", c.Scales[:2], want)
	}
}

func TestRead_refuses_damaged_images(t *testing.T) {
	t.Parallel()
	files := smallFolder(t)
	lossy := []byte("RIFF\x1e\x00\x00\x00WEBPVP8 \x12\x00\x00\x00\x10\x00\x00\x9d\x01\x2a\x0c\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	for name, test := range map[string]struct {
		file    string
		content []byte
		reason  string
		opens   bool // the header is valid
	}{
		"no image":         {"quats.webp", []byte("GIF89a"), `"quats.webp" is not a readable WebP or PNG image`, false},
		"an empty file":    {"means_u.webp", nil, `"means_u.webp" is not a readable WebP or PNG image`, false},
		"a lossy image":    {"scales.webp", lossy, "is not a lossless WebP image", false},
		"a small image":    {"sh0.webp", webpImage(t, 4, 4, 1, 2, 3, 4), "has 4 x 4 pixels, too few for 100 values", false},
		"an endless image": {"sh0.webp", webpImage(t, 4000, 4000, 0, 0, 0, 0), "has 4000 x 4000 pixels, far too many for 100 values", false},
		"a wide palette":   {"shN_centroids.webp", webpImage(t, 200, 4, 0, 0, 0, 0), "is 200 pixels wide; harmonics of degree 1 need 192", false},
		"a cut image":      {"means_l.webp", files["means_l.webp"][:60], `"means_l.webp" is damaged`, true},
		"a high label":     {"shN_labels.webp", webpImage(t, 12, 12, 100, 0, 0, 255), "refers to entry 100 of a palette of 100", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := maps.Clone(files)
			changed[test.file] = test.content
			reader, err := sog.Open(t.Context(), changed, "meta.json")
			if test.opens {
				if err != nil {
					t.Fatalf("open: %v", err)
				}
				var c gaussian.Cloud
				err = reader.Read(t.Context(), 0, []uint32{0}, &c)
			}
			wantInputError(t, err, test.reason)
		})
	}
}

func TestOpen_refuses_millions_of_Gaussians_in_a_few_bytes(t *testing.T) {
	t.Parallel()
	files, empty := folder.Memory{}, webpImage(t, 1200, 1000, 0, 0, 0, 255)
	for name, content := range smallFolder(t) {
		files[name] = empty
		if name == "meta.json" {
			files[name] = bytes.Replace(content, []byte(`"count":100,`), []byte(`"count":1200000,`), 1)
		}
	}
	_, err := sog.Open(t.Context(), files, "meta.json")
	wantInputError(t, err, "too few for 1200000 distinct positions")
}
