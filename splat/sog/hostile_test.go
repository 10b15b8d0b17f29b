package sog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/sog"
	"portico/splat/vp8l"
)

// object is JSON that a test changes.
type object = map[string]any

// written returns the files of a small folder of degree 1.
func written(t testing.TB) folder.Memory {
	t.Helper()
	files, err := writeOnce()
	if err != nil {
		t.Fatal(err)
	}
	return maps.Clone(files)
}

// writeOnce does the work of written, which many tests begin with.
var writeOnce = sync.OnceValues(func() (folder.Memory, error) {
	written := newMemory()
	_, err := sog.WriteFolder(context.Background(), gaussian.NewMemory(nil, capture(100, 1, 1)), written, sog.Options{})
	return written.Memory, err
})

// image returns a WebP image of one colour.
func image(t testing.TB, width, height int, pixel ...byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := vp8l.Encode(&out, bytes.Repeat(pixel, width*height), width, height); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOpen_refuses_hostile_manifests(t *testing.T) {
	t.Parallel()
	files := written(t)
	for name, test := range map[string]struct {
		change func(m object)
		reason string
	}{
		"no means":               {func(m object) { delete(m, "means") }, "is no SOG manifest: it names no images"},
		"another file":           {func(m object) { clear(m); m["name"] = "package" }, "is no SOG manifest"},
		"version 1":              {func(m object) { delete(m, "version"); m["means"].(object)["shape"] = []int{100, 3} }, "is a SOG of version 1, which cannot be read"},
		"version 3":              {func(m object) { m["version"] = 3 }, "is a SOG of version 3"},
		"no version":             {func(m object) { delete(m, "version") }, "is a SOG of version 0"},
		"no count":               {func(m object) { delete(m, "count") }, "has no Gaussians"},
		"a negative count":       {func(m object) { m["count"] = -1 }, "has no Gaussians"},
		"half a count":           {func(m object) { m["count"] = 1.5 }, "its JSON cannot be read"},
		"too high a count":       {func(m object) { m["count"] = 1 << 30 }, "at most 536870912 can be read"},
		"more than the images":   {func(m object) { m["count"] = 145 }, "too few for 145 values"},
		"two bounds":             {func(m object) { m["means"].(object)["mins"] = []int{0, 0} }, "does not give the positions three bounds"},
		"turned bounds":          {func(m object) { m["means"].(object)["mins"] = []int{80, 0, 0} }, "bounds of the positions that cannot be"},
		"wide bounds":            {func(m object) { m["means"].(object)["maxs"] = []int{0, 0, 200} }, "bounds of the positions that cannot be"},
		"endless bounds":         {func(m object) { m["means"].(object)["maxs"] = []any{json.Number("1e99"), 0, 0} }, "its JSON cannot be read"},
		"one image of means":     {func(m object) { m["means"].(object)["files"] = []string{"means_l.webp"} }, "three bounds and two images"},
		"no quats":               {func(m object) { delete(m, "quats") }, "names 0 images of quats"},
		"two images of scales":   {func(m object) { m["scales"].(object)["files"] = []string{"a", "b"} }, "names 2 images of scales"},
		"no codebook":            {func(m object) { delete(m["sh0"].(object), "codebook") }, "codebook of sh0 with 0 values"},
		"a long codebook":        {func(m object) { m["scales"].(object)["codebook"] = make([]int, 257) }, "codebook of scales with 257 values"},
		"a hole in the codebook": {func(m object) { m["sh0"].(object)["codebook"] = []any{0, nil, 1} }, "its JSON cannot be read"},
		"a codebook of text":     {func(m object) { m["sh0"].(object)["codebook"] = []any{"0"} }, "its JSON cannot be read"},
		"degree 4":               {func(m object) { m["shN"].(object)["bands"] = 4 }, "has harmonics of degree 4"},
		"degree -1":              {func(m object) { m["shN"].(object)["bands"] = -1 }, "has harmonics of degree -1"},
		"another degree":         {func(m object) { m["shN"].(object)["bands"] = 2 }, "too few for 1024 values"},
		"an empty palette":       {func(m object) { m["shN"].(object)["count"] = 0 }, "has a palette of 0 harmonics"},
		"too large a palette":    {func(m object) { m["shN"].(object)["count"] = 65537 }, "has a palette of 65537 harmonics"},
		"a larger palette":       {func(m object) { m["shN"].(object)["count"] = 129 }, "too few for 576 values"},
		"one image of harmonics": {func(m object) { m["shN"].(object)["files"] = []string{"shN_labels.webp"} }, "names 1 images of harmonics"},
		"no harmonics' codebook": {func(m object) { delete(m["shN"].(object), "codebook") }, "codebook of harmonics with 0 values"},
		"a way out":              {func(m object) { m["quats"].(object)["files"] = []string{"../quats.webp"} }, `refers to "../quats.webp", which is no file beside it`},
		"an absolute path":       {func(m object) { m["quats"].(object)["files"] = []string{"/etc/passwd"} }, "which is no file beside it"},
		"a drive":                {func(m object) { m["quats"].(object)["files"] = []string{"C:quats.webp"} }, "which is no file beside it"},
		"an address":             {func(m object) { m["quats"].(object)["files"] = []string{"https://host/quats.webp"} }, "which is no file beside it"},
		"backslashes":            {func(m object) { m["quats"].(object)["files"] = []string{`..\quats.webp`} }, "which is no file beside it"},
		"an empty name":          {func(m object) { m["quats"].(object)["files"] = []string{""} }, "which is no file beside it"},
		"the folder":             {func(m object) { m["quats"].(object)["files"] = []string{"./."} }, "which is no file beside it"},
		"a missing image":        {func(m object) { m["quats"].(object)["files"] = []string{"turns.webp"} }, `Entry "scan/turns.webp": is missing, although "scan/meta.json" refers to it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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
		})
	}
}

func TestOpen_refuses_what_is_no_manifest(t *testing.T) {
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
			wantInputError(t, err, `Entry "`+manifest+`": is no `)
			if t.Failed() {
				t.Fatalf("%s as %s", name, manifest)
			}
		}
	}
	for _, manifest := range []string{"meta.json", "a/lod-meta.json"} {
		_, err := sog.Open(t.Context(), folder.Memory{}, manifest)
		wantInputError(t, err, `Entry "`+manifest+`": is missing`)
		_, err = sog.Limits{}.Open(t.Context(), folder.Memory{manifest: []byte("{}")}, manifest)
		wantInputError(t, err, "has 2 bytes; at most 0 can be read")
	}
}

func TestOpen_forgives(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(data string) string{
		"a byte order mark":      func(s string) string { return "\xef\xbb\xbf" + s },
		"unknown keys":           func(s string) string { return `{"antialias":true,"x":[{}],` + s[1:] },
		"a path with a dot":      func(s string) string { return strings.Replace(s, "quats.webp", "./quats.webp", 1) },
		"an empty palette entry": func(s string) string { before, _, _ := strings.Cut(s, `,"shN"`); return before + `,"shN":{}}` },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := written(t)
			files["meta.json"] = []byte(change(string(files["meta.json"])))
			if got := all(t, open(t, files, "meta.json"), 0).Len(); got != 100 {
				t.Errorf("Gaussians: got %d, want 100", got)
			}
		})
	}
}

func TestOpen_continues_codebooks_that_begin_with_null(t *testing.T) {
	t.Parallel()
	files := written(t)
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
	files["meta.json"], _ = json.Marshal(m) // it was JSON
	files["scales.webp"] = image(t, 12, 12, 0, 1, 2, 255)
	c := all(t, open(t, files, "meta.json"), 0)
	// Viewers take the mean step of the others: 255 numbers, 254 steps of 1.
	if want := float32(-9 - 254.0/255); c.Scales[0] != want || c.Scales[1] != -9 {
		t.Errorf("scales: got %g, want %g and -9", c.Scales[:2], want)
	}
}

func TestRead_refuses_damaged_images(t *testing.T) {
	t.Parallel()
	files := written(t)
	lossy := []byte("RIFF\x1e\x00\x00\x00WEBPVP8 \x12\x00\x00\x00\x10\x00\x00\x9d\x01\x2a\x0c\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	for name, test := range map[string]struct {
		file    string
		content []byte
		reason  string
		opens   bool // the header is right
	}{
		"no image":         {"quats.webp", []byte("GIF89a"), `Entry "quats.webp": is no WebP image`, false},
		"an empty file":    {"means_u.webp", nil, `Entry "means_u.webp": is no WebP image`, false},
		"a lossy image":    {"scales.webp", lossy, "is not compressed without loss", false},
		"a small image":    {"sh0.webp", image(t, 4, 4, 1, 2, 3, 4), "has 4 x 4 pixels, too few for 100 values", false},
		"an endless image": {"sh0.webp", image(t, 4000, 4000, 0, 0, 0, 0), "has 4000 x 4000 pixels, far too many for 100 values", false},
		"a wide palette":   {"shN_centroids.webp", image(t, 200, 4, 0, 0, 0, 0), "is 200 pixels wide; harmonics of degree 1 need 192", false},
		"a cut image":      {"means_l.webp", files["means_l.webp"][:60], `Entry "means_l.webp": is damaged`, true},
		"a high label":     {"shN_labels.webp", image(t, 12, 12, 100, 0, 0, 255), "refers to entry 100 of a palette of 100", true},
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
	files, empty := folder.Memory{}, image(t, 1200, 1000, 0, 0, 0, 255)
	for name, content := range written(t) {
		files[name] = empty
		if name == "meta.json" {
			files[name] = bytes.Replace(content, []byte(`"count":100,`), []byte(`"count":1200000,`), 1)
		}
	}
	_, err := sog.Open(t.Context(), files, "meta.json")
	wantInputError(t, err, "too few for 1200000 different positions")
}

func TestOpen_refuses_hostile_indexes(t *testing.T) {
	t.Parallel()
	files := written(t)
	chunk := folder.Memory{}
	for name, content := range files {
		chunk["0_0/"+name] = content
	}
	leaf := func(level string, file, offset, count int) string {
		return fmt.Sprintf(`{"bound":{"min":[0,0,0],"max":[1,1,1]},"lods":{%q:{"file":%d,"offset":%d,"count":%d}}}`, level, file, offset, count)
	}
	index := func(levels, counts, names, tree string) string {
		return fmt.Sprintf(`{"version":1,"lodLevels":%s,"counts":%s,"filenames":%s,"tree":%s}`, levels, counts, names, tree)
	}
	const one = `["0_0/meta.json"]`
	good := index("1", "[100]", one, leaf("0", 0, 0, 100))
	for name, test := range map[string]struct{ data, reason string }{
		"good":                     {good, ""},
		"two leaves":               {index("1", "[100]", one, `{"children":[`+leaf("0", 0, 60, 40)+","+leaf("0", 0, 0, 60)+"]}"), ""},
		"a gap":                    {index("1", "[90]", one, `{"children":[`+leaf("0", 0, 60, 40)+","+leaf("0", 0, 0, 50)+"]}"), ""},
		"old, without counts":      {`{"lodLevels":1,"filenames":` + one + `,"tree":` + leaf("0", 0, 0, 100) + `}`, ""},
		"a byte order mark":        {"\xef\xbb\xbf" + good, ""},
		"version 2":                {strings.Replace(good, `"version":1`, `"version":2`, 1), "is a streamed SOG of version 2"},
		"no levels":                {index("0", "[]", one, leaf("0", 0, 0, 100)), "has 0 levels"},
		"65 levels":                {index("65", "[100]", one, leaf("0", 0, 0, 100)), "has 65 levels, not 1 to 64"},
		"half a level":             {index("1.5", "[100]", one, leaf("0", 0, 0, 100)), "its JSON cannot be read"},
		"other counts":             {index("1", "[99]", one, leaf("0", 0, 0, 100)), "has 100 Gaussians in its leaves at level 0, not 99"},
		"more counts":              {index("1", "[100,0]", one, leaf("0", 0, 0, 100)), "has 1 levels but counts for 2"},
		"a level too many":         {index("1", "[100]", one, leaf("1", 0, 0, 100)), "has a leaf with level 1 among 1"},
		"a level that is none":     {index("1", "[100]", one, leaf("x", 0, 0, 100)), "its JSON cannot be read"},
		"level 64":                 {index("1", "[100]", one, leaf("64", 0, 0, 100)), "its JSON cannot be read"},
		"no tree":                  {index("1", "[100]", one, "{}"), "has no Gaussians"},
		"no such chunk":            {index("1", "[100]", one, leaf("0", 1, 0, 100)), "refers to chunk 1 among 1"},
		"chunk -1":                 {index("1", "[100]", one, leaf("0", -1, 0, 100)), "its JSON cannot be read"},
		"no chunk":                 {index("1", "[100]", one, `{"lods":{"0":{"count":3}}}`), "refers to chunk -1 among 1"},
		"a chunk of 2^40":          {index("1", "[100]", one, leaf("0", 1<<40, 0, 100)), "refers to chunk 2147483647 among 1"},
		"more than the chunk":      {index("1", "[101]", one, leaf("0", 0, 0, 101)), `has 100 Gaussians, but "lod-meta.json" refers to 101`},
		"more than is allowed":     {index("1", "[1]", one, leaf("0", 0, 0, 1<<40)), "has more than the 536870912 Gaussians"},
		"leaves that overlap":      {index("1", "[100]", one, `{"children":[`+leaf("0", 0, 0, 60)+","+leaf("0", 0, 50, 40)+"]}"), "has leaves that share Gaussians"},
		"a chunk named twice":      {index("1", "[200]", `["0_0/meta.json","./0_0//meta.json"]`, `{"children":[`+leaf("0", 0, 0, 100)+","+leaf("0", 1, 0, 100)+"]}"), "has leaves that share Gaussians"},
		"a level twice":            {index("1", "[100]", one, `{"lods":{"0":{"file":0,"offset":0,"count":100},"0":{"file":0,"offset":0,"count":100}}}`), "has leaves that share Gaussians"},
		"a deep tree":              {index("1", "[100]", one, strings.Repeat(`{"children":[`, 100_000)), "its JSON cannot be read"},
		"a deep stranger":          {`{"x":` + strings.Repeat("[", 100_000), "its JSON cannot be read"},
		"a tree of text":           {index("1", "[100]", one, `"tree"`), "its JSON cannot be read"},
		"a name of numbers":        {index("1", "[100]", "[1]", leaf("0", 0, 0, 100)), "its JSON cannot be read"},
		"a way out":                {index("1", "[100]", `["../meta.json"]`, leaf("0", 0, 0, 100)), "which is no file beside it"},
		"a missing chunk":          {index("1", "[100]", `["0_1/meta.json"]`, leaf("0", 0, 0, 100)), "is missing, although"},
		"a missing environment":    {strings.Replace(good, "{", `{"environment":"env/meta.json",`, 1), `Entry "env/meta.json": is missing`},
		"a chunk that is an index": {index("1", "[100]", `["lod-meta.json"]`, leaf("0", 0, 0, 100)), "is no SOG manifest"},
		"a bundle that is none":    {index("1", "[100]", `["0_0/quats.webp.sog"]`, leaf("0", 0, 0, 100)), "is missing"},
		"bounds of four":           {index("1", "[100]", one, `{"bound":{"min":[0,0,0,0]}}`), "its JSON cannot be read"},
		"a count of text":          {strings.Replace(good, `"count":100`, `"count":"100"`, 1), "its JSON cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(chunk)
			files["lod-meta.json"] = []byte(test.data)
			reader, err := sog.Open(t.Context(), files, "lod-meta.json")
			if test.reason != "" {
				wantInputError(t, err, test.reason)
				return
			}
			if err != nil {
				t.Fatalf("got %v, want it accepted", err)
			}
			if got, want := all(t, reader, 0).Len(), reader.Levels()[0]; got != want || want < 90 {
				t.Errorf("Gaussians: got %d, want %d", got, want)
			}
		})
	}
}
