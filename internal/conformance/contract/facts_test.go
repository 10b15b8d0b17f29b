package contract

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/model"
	"portico/splat"
)

// Package model may not import splat, and repeats what is found in a file.
func TestFileFacts_are_those_of_splat(t *testing.T) {
	t.Parallel()
	found, kept := reflect.TypeFor[splat.Facts](), reflect.TypeFor[model.FileFacts]()
	for i := range found.NumField() {
		want := found.Field(i)
		if got, ok := kept.FieldByName(want.Name); !ok || got.Tag.Get("json") != want.Tag.Get("json") || got.Type.Kind() != want.Type.Kind() {
			t.Errorf("%s: got %v, want it as in splat", want.Name, got)
		}
	}
	// And Fault, and Outliers, which is known when the view was made.
	if got, want := kept.NumField(), found.NumField()+2; got != want {
		t.Errorf("fields: got %d, want %d", got, want)
	}
	facts := splat.Facts{
		Format: splat.FormatGLB, Splats: 1, Levels: []int64{1}, Bounds: &splat.Bounds{Max: [3]float64{1, 2, 3}},
		SuggestedView: &splat.View{Position: [3]float64{4, 5, 6}, Target: [3]float64{7, 8, 9}},
		Collision:     &splat.Collision{Meshes: 2, Vertices: 3, Triangles: 4},
		Extensions:    []string{"KHR_gaussian_splatting"}, Attribution: splat.AttributionXGRIDS,
	}
	var read model.FileFacts
	text, err := json.Marshal(facts)
	check(t, err)
	check(t, json.Unmarshal(text, &read))
	again, err := json.Marshal(read)
	check(t, err)
	if diff := cmp.Diff(string(text), string(again)); diff != "" {
		t.Errorf("facts in JSON (-splat +model)\n%s", diff)
	}
}

func TestFormats_are_those_of_splat(t *testing.T) {
	t.Parallel()
	for got, want := range map[model.FileFormat]splat.Format{
		model.FormatLCC: splat.FormatLCC, model.FormatLCC2: splat.FormatLCC2, model.FormatSOG: splat.FormatSOG,
		model.FormatStreamedSOG: splat.FormatStreamedSOG, model.FormatSPZ: splat.FormatSPZ, model.FormatPLY: splat.FormatPLY,
		model.FormatSplat: splat.FormatSplat, model.FormatKSplat: splat.FormatKSplat,
		model.FormatCompressedPLY: splat.FormatCompressedPLY, model.FormatMeshPLY: splat.FormatMeshPLY,
		model.FormatGLB: splat.FormatGLB, model.FormatGLTF: splat.FormatGLTF, model.FormatJPEG: splat.FormatJPEG,
		model.FormatPNG: splat.FormatPNG, model.FormatGIF: splat.FormatGIF, model.FormatWebP: splat.FormatWebP,
		model.FormatOther: splat.FormatOther,
	} {
		if string(got) != string(want) {
			t.Errorf("format: got %q, want %q", got, want)
		}
	}
	if model.AttributionXGRIDS != splat.AttributionXGRIDS {
		t.Errorf("attribution: got %q, want %q", model.AttributionXGRIDS, splat.AttributionXGRIDS)
	}
}
