package sog_test

import (
	"archive/zip"
	"maps"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/sog"
)

// generations holds an index of each version of the known writers: two leaves of one level
// and, in "environment", a chunk around them.
var generations = map[string]string{
	// Before the format had the number of levels.
	"filenames and tree": `{FILES,TREE}`,
	// splat-transform 0.14, and the first example of PlayCanvas' engine.
	"lodLevels": `{"lodLevels":1,FILES,TREE}`,
	// splat-transform 0.15 to 2.5.
	"environment null": `{"lodLevels":1,"environment":null,FILES,TREE}`,
	"environment":      `{"lodLevels":1,"environment":"env/meta.json",FILES,TREE}`,
	// The example in the engine's pull request 8110.
	"environment in a bundle": `{"lodLevels":1,FILES,"environment":"env/env.sog",TREE}`,
	// splat-transform 2.6 to 3.6.
	"version 1": `{"version":1,"asset":{"generator":"splat-transform v2.7.0"},"count":100,"counts":[100],"lodLevels":1,` +
		`"environment":"env/meta.json",FILES,TREE}`,
	// splat-transform 3.7.
	"version 1 with errors": `{"version":1,"asset":{"generator":"splat-transform v3.7.0","chunkGaussians":524288,"chunkExtent":16,` +
		`"chunkMinGaussians":8192},"count":100,"counts":[100],"lodLevels":1,"lodErrors":false,FILES,TREE}`,
}

func TestOpen_reads_indexes_of_every_generation(t *testing.T) {
	t.Parallel()
	chunk := smallFolder(t)
	files := folder.Memory{"env/env.sog": zipFiles(t, chunk, zip.Store, "")}
	for name, content := range chunk {
		files["0_0/"+name], files["env/"+name] = content, content
	}
	fill := strings.NewReplacer("FILES", `"filenames":["0_0/meta.json"]`, "TREE", `"tree":{"bound":{"min":[-1,-2,-3],"max":[1,2,3]},"children":[`+
		`{"bound":{"min":[-1,-2,-3],"max":[0,2,3]},"lods":{"0":{"file":0,"offset":0,"count":60}}},`+
		`{"bound":{"min":[0,-2,-3],"max":[1,2,3]},"lods":{"0":{"file":0,"offset":60,"count":40}}}]}`)
	for name, index := range generations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scene := maps.Clone(files)
			scene["lod-meta.json"] = []byte(fill.Replace(index))
			reader := open(t, scene, "lod-meta.json")
			// Writers of some versions rotated the boxes of the index, so the chunks have the say.
			around, err := reader.Check(t.Context())
			if low, high, _ := open(t, chunk, "meta.json").Bounds(); err != nil || around == nil || around.Min != low || around.Max != high {
				t.Errorf("check: got %v, %v, want the box of the chunk, %v to %v", around, err, low, high)
			}
			compare(t, capture(100, 1, 1), readAll(t, reader, 0))
			want := 0
			if strings.Contains(index, `"env/`) {
				want = 100
			}
			if got := reader.EnvironmentCount(); got != want {
				t.Errorf("environment: got %d Gaussians, want %d", got, want)
			}
			if low, high, ok := reader.Bounds(); !ok || low != [3]float64{-1, -2, -3} || high != [3]float64{1, 2, 3} {
				t.Errorf("bounds: got %v to %v, %t, want the root's", low, high, ok)
			}
		})
	}
}

// splat-transform starts a box with infinities, which JavaScript writes as null. A leaf in
// which all Gaussians have infinite scales keeps them.
func TestOpen_ignores_bounds_that_are_not_finite(t *testing.T) {
	t.Parallel()
	files := folder.Memory{}
	for name, content := range smallFolder(t) {
		files["0_0/"+name] = content
	}
	files["lod-meta.json"] = []byte(`{"lodLevels":1,"environment":null,"filenames":["0_0/meta.json"],"tree":{` +
		`"bound":{"min":[null,null,null],"max":[null,null,null]},"lods":{"0":{"file":0,"offset":0,"count":100}}}}`)
	reader, err := sog.Open(t.Context(), files, "lod-meta.json")
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if low, high, ok := reader.Bounds(); ok {
		t.Errorf("bounds: got %v to %v, want none", low, high)
	}
}
