package model

import (
	"encoding/json"
	"testing"
)

func TestFile_IsSplat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		key     string
		objects int
		want    bool
	}{
		{"a.ply", 1, true}, {"a.SPZ", 1, true}, {"a.sog", 1, true}, {"a/b.lcc2", 9, true},
		{"a/meta.json", 7, true}, {"a/lod-meta.json", 7, true},
		{"a_meta.json", 1, false}, {"a/other.json", 7, false}, {"a/meta.json", 1, false},
		{"a.glb", 1, false}, {"a.gltf", 3, false}, {"a.zip", 1, false}, {"a.png", 1, false}, {"ply", 1, false},
	} {
		if got := (&File{ResourceKey: test.key, Objects: test.objects}).IsSplat(); got != test.want {
			t.Errorf("%s of %d: got %v, want %v", test.key, test.objects, got, test.want)
		}
	}
}

func TestFile_IsSplat_depends_on_what_was_found(t *testing.T) {
	t.Parallel()
	for format, want := range map[FileFormat]bool{
		FormatLCC: true, FormatLCC2: true, FormatSOG: true, FormatStreamedSOG: true, FormatSPZ: true,
		FormatPLY: true, FormatCompressedPLY: true, FormatMeshPLY: false, FormatGLB: false, FormatOther: false,
		FormatInvalid: true, // by its name, as before
	} {
		file := &File{ResourceKey: "a.ply", Objects: 1, Facts: &FileFacts{Format: format}}
		if got := file.IsSplat(); got != want {
			t.Errorf("%s: got %v, want %v", format, got, want)
		}
	}
}

func TestFile_DefaultData_leaves_a_mesh_as_it_stands(t *testing.T) {
	t.Parallel()
	for format, want := range map[FileFormat]string{
		FormatPLY:     `{"scale":[1,1,1],"rotation":{"x":0,"y":0,"z":180},"position":[0,0,0]}`,
		FormatMeshPLY: `{"scale":[1,1,1],"rotation":{"x":0,"y":0,"z":0},"position":[0,0,0]}`,
	} {
		file := &File{ResourceKey: "a.ply", Objects: 1, Facts: &FileFacts{Format: format}}
		if got := string(file.DefaultData()); got != want {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
}

func TestFile_Attribution(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		file File
		want string
	}{
		{"is_what_was_found", File{ResourceKey: "a/lod-meta.json", Facts: &FileFacts{Attribution: "By Ada"}}, "By Ada"},
		{"is_XGRIDS_of_a_capture_not_looked_into", File{ResourceKey: "a/b.LCC2"}, AttributionXGRIDS},
		{"is_XGRIDS_of_a_damaged_capture", File{ResourceKey: "a/b.lcc2", Facts: &FileFacts{Format: FormatInvalid}}, AttributionXGRIDS},
		{"is_none_of_others", File{ResourceKey: "a.ply", Facts: &FileFacts{Format: FormatPLY}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.file.Attribution(); got != test.want {
				t.Errorf("attribution: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFileFacts_leave_out_what_does_not_apply(t *testing.T) {
	t.Parallel()
	for want, facts := range map[string]FileFacts{
		`{"format":"other"}`: {Format: FormatOther},
		`{"format":"spz","version":"3","splats":2,"bounds":{"min":[0,0,0],"max":[1,2,3]}}`: {
			Format: FormatSPZ, Version: "3", Splats: 2, Bounds: &Bounds{Max: [3]float64{1, 2, 3}},
		},
		`{"format":"invalid","fault":"the file is empty"}`: {Format: FormatInvalid, Fault: "the file is empty"},
	} {
		got, err := json.Marshal(facts)
		check(t, err)
		if string(got) != want {
			t.Errorf("JSON: got %s, want %s", got, want)
		}
	}
}

func TestBounds_have_their_corners_as_lists(t *testing.T) {
	t.Parallel()
	bounds := Bounds{Min: [3]float64{-1, -2, -3}, Max: [3]float64{4, 5, 6}}
	low, high := bounds.Lowest(), bounds.Highest()
	if len(low) != 3 || low[0] != -1 || low[2] != -3 || len(high) != 3 || high[0] != 4 || high[2] != 6 {
		t.Errorf("corners: got %v and %v, want the corners of %v", low, high, bounds)
	}
}
