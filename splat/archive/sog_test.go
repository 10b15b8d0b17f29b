package archive_test

import (
	"slices"
	"strings"
	"testing"

	"portico/splat/archive"
	"portico/splat/splattest"
)

func TestSOG_keeps_its_images_only(t *testing.T) {
	t.Parallel()
	pairs := append(sogFiles("out/"), "out/preview.webp", "x", "readme.txt", "x")
	_, extracted, err := unpack(t, splattest.Zip(files(pairs...)...))
	if err != nil {
		t.Fatalf("unpack: %v", err)
	}
	if want := []string{"l.webp", "u.webp", "s.webp", "q.webp", "c.webp", "meta.json"}; !slices.Equal(extracted.names, want) {
		t.Errorf("files: got %q, want %q", extracted.names, want)
	}
}

func TestSOG_keeps_its_higher_bands(t *testing.T) {
	t.Parallel()
	pairs := append(sogFiles(""), "n.webp", "x")
	pairs[1] = strings.TrimSuffix(sogMeta, "}") + `,"shN":{"files":["n.webp"]}}`
	_, extracted, err := unpack(t, splattest.Zip(files(pairs...)...))
	if err != nil || !slices.Contains(extracted.names, "n.webp") {
		t.Errorf("got %q, %v, want n.webp among them", extracted.names, err)
	}
}

func TestSOG_refuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, reason string }{
		"an image that is missing": {"l.webp", "gone.webp", `"gone.webp", which is not in the archive`},
		"an image outside":         {"l.webp", "../l.webp", "outside the archive"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			pairs := sogFiles("out/")
			pairs[1] = strings.Replace(pairs[1], test.from, test.to, 1)
			_, _, err := unpack(t, splattest.Zip(files(append(pairs, "l.webp", "x")...)...))
			wantInputError(t, err, "out/meta.json", test.reason)
		})
	}
}

func TestStreamedSOG_keeps_its_chunks(t *testing.T) {
	t.Parallel()
	pairs := slices.Concat(sogFiles("0_0/"), sogFiles("1_0/"), sogFiles("env/"), sogFiles("unused/"), []string{
		"2_0.sog", tile,
		"lod-meta.json", `{"filenames":["0_0/meta.json","1_0/meta.json","2_0.sog","0_0/meta.json"],"environment":"env/meta.json"}`,
	})
	_, extracted, err := unpack(t, splattest.Zip(files(pairs...)...))
	if err != nil {
		t.Fatalf("unpack: %v", err)
	}
	want := slices.Concat(chunkNames("0_0/"), chunkNames("1_0/"), chunkNames("env/"), []string{"2_0.sog", "lod-meta.json"})
	if !slices.Equal(extracted.names, want) {
		t.Errorf("files: got %q, want %q", extracted.names, want)
	}
}

func TestStreamedSOG_needs_no_environment(t *testing.T) {
	t.Parallel()
	for _, manifest := range []string{`{"filenames":["0_0/meta.json"]}`, `{"filenames":["0_0/meta.json"],"environment":null}`} {
		plan, extracted, err := unpack(t, splattest.Zip(files(append(sogFiles("0_0/"), "lod-meta.json", manifest)...)...))
		if err != nil || plan.Kind != archive.KindStreamedSOG {
			t.Errorf("%s: got %s, %v, want %s", manifest, plan.Kind, err, archive.KindStreamedSOG)
		}
		if want := append(chunkNames("0_0/"), "lod-meta.json"); !slices.Equal(extracted.names, want) {
			t.Errorf("%s: got %q, want %q", manifest, extracted.names, want)
		}
	}
}

func TestStreamedSOG_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, manifest, entry, reason string }{
		{"a chunk that is missing", `{"filenames":["9_9/meta.json"]}`, "lod-meta.json", `"9_9/meta.json", which is not`},
		{"an environment that is missing", `{"filenames":["0_0/meta.json"],"environment":"env/meta.json"}`, "lod-meta.json", `"env/meta.json", which is not`},
		{"a chunk without its images", `{"filenames":["bare/meta.json"]}`, "lod-meta.json", `"bare/l.webp", which is not`},
		{"a chunk that is not a SOG", `{"filenames":["other/meta.json"]}`, "other/meta.json", "is not a SOG"},
		{"a chunk outside", `{"filenames":["../0_0/meta.json"]}`, "lod-meta.json", "outside the archive"},
		{"no chunks", `{"filenames":[]}`, "lod-meta.json", "names no chunks"},
		{"invalid JSON", `{"filenames":["0_0/meta.json"],}`, "lod-meta.json", "not a streamed SOG"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			pairs := append(sogFiles("0_0/"), "bare/meta.json", sogMeta, "other/meta.json", "[]", "lod-meta.json", test.manifest)
			_, _, err := unpack(t, splattest.Zip(files(pairs...)...))
			wantInputError(t, err, test.entry, test.reason)
		})
	}
}
