package archive_test

import (
	"bytes"
	"slices"
	"testing"

	"portico/splat/archive"
	"portico/splat/splattest"
)

func TestPlan_extracts_an_LCC2_capture(t *testing.T) {
	t.Parallel()
	c := splattest.Capture{Manifest: "My Scan.LCC2", Folder: "export/run 1", Tiles: 5, TileBytes: 3000, Collision: true}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatalf("WriteTo: %v", err)
	}
	plan, extracted, err := unpack(t, b.Bytes())
	if err != nil {
		t.Fatalf("unpack: %v", err)
	}
	if plan.Kind != archive.KindLCC2 || plan.Primary != "My Scan.LCC2" || plan.Root != "export/run 1" {
		t.Errorf("plan: got %q %q below %q, want the manifest's", plan.Kind, plan.Primary, plan.Root)
	}
	want := []string{"data/3dgs/0.sog", "data/3dgs/1.sog", "data/3dgs/2.sog", "data/3dgs/3.sog", "data/3dgs/4.sog", "My Scan.LCC2"}
	if !slices.Equal(extracted.names, want) {
		t.Errorf("files: got %q, want %q", extracted.names, want)
	}
	if got, want := extracted.files["My Scan.LCC2"], string(c.ManifestJSON()); got != want {
		t.Errorf("manifest: got %q, want %q", got, want)
	}
	if got, want := plan.Bytes, int64(5*3000+len(c.ManifestJSON())); got != want {
		t.Errorf("bytes: got %d, want %d", got, want)
	}
}

func TestPlan_reads_old_and_new_LCC2_manifests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, manifest string
		want           []string // besides the manifest
	}{
		{"the new protocol", `{"splatType":".sog","root":{"splatFiles":["data/a.sog"]}}`, []string{"data/a.sog", "data/b.sog"}},
		{"the old protocol", `{"total_splats":1,"lod_3dgs_info":[1],"lod_level":1,"root":{"files":["/data/a","/data/b.sog"]}}`, []string{"data/a.sog", "data/b.sog"}},
		{"trailing commas and a mark", "\ufeff" + `{"root":{"splatFiles":["data/a.sog",],},}`, []string{"data/a.sog", "data/b.sog"}},
		{"backslashes", `{"root":{"splatFiles":["\\data\\a.sog",".\\data\\b.sog"]}}`, []string{"data/a.sog", "data/b.sog"}},
		{"another case, which viewers ask for", `{"root":{"splatFiles":["Data/A.sog"]}}`, []string{"Data/A.sog", "data/b.sog"}},
		{"no list of tiles", `{"version":"0.0.4"}`, []string{"data/a.sog", "data/b.sog"}},
		{"a type without its dot", `{"splatType":"SOG"}`, []string{"data/a.sog", "data/b.sog"}},
		{"a tile that is SPZ", `{"splatType":".spz","root":{"splatFiles":["data/c.spz"]}}`, []string{"data/a.sog", "data/b.sog", "data/c.spz"}},
		{"an old tile that is SPZ", `{"splatType":"spz","root":{"files":["/data/c"]}}`, []string{"data/a.sog", "data/b.sog", "data/c.spz"}},
		{"a tile that is PLY, and no mesh", `{"root":{"splatFiles":["data/a.ply"]}}`, []string{"data/a.sog", "data/b.sog", "data/a.ply"}},
	} {
		t.Run("understands "+test.name, func(t *testing.T) {
			t.Parallel()
			_, extracted, err := unpack(t, splattest.Zip(files("s.lcc2", test.manifest, "data/a.sog", tile, "data/b.sog", tile, "data/c.spz", "NGSP", "data/a.ply", "mesh", "data/b.ply", "mesh", "readme.txt", "x")...))
			if err != nil {
				t.Fatalf("unpack: %v", err)
			}
			if want := slices.Concat(test.want, []string{"s.lcc2"}); !slices.Equal(extracted.names, want) {
				t.Errorf("files: got %q, want %q", extracted.names, want)
			}
		})
	}
}

func TestLCC2_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, manifest, reason string }{
		{"a tile that is missing", `{"root":{"splatFiles":["data/a.sog","data/7.sog"]}}`, `refers to "data/7.sog", which is not in the archive`},
		{"an old tile that is missing", `{"root":{"files":["/data/7"]}}`, `"data/7.sog", which is not in the archive`},
		{"a tile outside", `{"root":{"splatFiles":["../outside.sog"]}}`, "outside the archive"},
		{"a tile on a drive", `{"root":{"splatFiles":["C:\\a.sog"]}}`, "with a drive letter"},
		{"another type of tiles", `{"splatType":".ksplat","root":{"splatFiles":["data/a.ksplat"]}}`, `tiles of type ".ksplat"`},
		{"a path as a type", `{"splatType":"../sog","root":{"splatFiles":["data/a"]}}`, `tiles of type "../sog"`},
		{"a missing tile of another type", `{"splatType":".spz","root":{"files":["/data/a"]}}`, `refers to "data/a.spz", which is not in the archive`},
		{"invalid JSON", "LCC2", "its JSON cannot be read"},
		{"nothing", "", "its JSON cannot be read"},
		{"another form", `{"root":[1]}`, "its JSON cannot be read"},
	} {
		t.Run("refuses "+test.name, func(t *testing.T) {
			t.Parallel()
			_, extracted, err := unpack(t, splattest.Zip(files("scan/s.lcc2", test.manifest, "scan/data/a.sog", tile, "outside.sog", tile)...))
			wantInputError(t, err, "scan/s.lcc2", test.reason)
			if len(extracted.names) != 0 {
				t.Errorf("files: got %q, want none", extracted.names)
			}
		})
	}
}

func TestLCC2_without_tiles(t *testing.T) {
	t.Parallel()
	_, _, err := unpack(t, splattest.Zip(files("scan/s.lcc2", "{}", "elsewhere/a.sog", tile)...))
	wantInputError(t, err, "scan/s.lcc2", "no tiles beside it")
}

func TestTiles_are_recognised_by_content(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"a web page": "<!doctype html>", "too short": "PK", "empty": ""} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			b := splattest.Zip(files("s.lcc2", "{}", "a.sog", body)...)
			_, extracted, err := unpack(t, b)
			wantInputError(t, err, "a.sog", "not a SOG bundle")
			if len(extracted.names) != 0 {
				t.Errorf("files: got %q, want none", extracted.names)
			}
		})
	}
}

func TestAnyTile_accepts_the_start_of_every_tile_format(t *testing.T) {
	t.Parallel()
	limits := archive.DefaultLimits()
	limits.AnyTile = true
	a, err := open(splattest.Zip(files("s.lcc2", "{}", "a.sog", "x", "b.sog", "")...), limits)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	if err := a.Extract(t.Context(), plan, &memory{}, nil); err != nil {
		t.Errorf("Extract: got %v, want nil", err)
	}
}
