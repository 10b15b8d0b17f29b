package sog_test

import (
	"encoding/json"
	"math"
	"testing"

	"portico/splat/folder"
)

// version1 changes a folder of version 2 to version 1: the images stay, and ranges take
// the place of the codebooks. It returns the codebooks.
func version1(t testing.TB, files folder.Memory) (scales, colours, harmonics []float64) {
	t.Helper()
	var m map[string]map[string]any
	var all map[string]any
	if err := json.Unmarshal(files["meta.json"], &all); err != nil {
		t.Fatal(err)
	}
	count := all["count"]
	delete(all, "version")
	delete(all, "count")
	delete(all, "asset")
	text, _ := json.Marshal(all)
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	books := map[string][]float64{}
	for _, name := range []string{"scales", "sh0", "shN"} {
		for _, v := range m[name]["codebook"].([]any) {
			books[name] = append(books[name], v.(float64))
		}
		delete(m[name], "codebook")
	}
	m["means"]["shape"] = []any{count, 3}
	m["scales"]["mins"], m["scales"]["maxs"] = []int{-8, -7, -6}, []int{-4, -3, -2}
	m["sh0"]["mins"], m["sh0"]["maxs"] = []int{-1, -2, -3, -5}, []int{1, 2, 3, 5}
	delete(m["shN"], "count")
	delete(m["shN"], "bands")
	m["shN"]["mins"], m["shN"]["maxs"] = -0.5, 0.25
	files["meta.json"], _ = json.Marshal(m)
	return books["scales"], books["sh0"], books["shN"]
}

func TestOpen_reads_version_1(t *testing.T) {
	t.Parallel()
	files := smallFolder(t)
	want := readAll(t, open(t, smallFolder(t), "meta.json"), 0)
	scales, colours, harmonics := version1(t, files)
	reader := open(t, files, "meta.json")
	if reader.Version() != 1 || reader.Degree() != 1 || reader.Levels()[0] != 100 {
		t.Errorf("got version %d, degree %d and %v Gaussians, want 1, 1 and 100", reader.Version(), reader.Degree(), reader.Levels())
	}
	if _, err := reader.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	got := readAll(t, reader, 0)
	// lerp returns the value that version 1 has for the byte with this value in version 2.
	lerp := func(codebook []float64, value float32, low, high float64) float64 {
		for i, v := range codebook {
			if float32(v) == value {
				return low + (high-low)*float64(i)/255
			}
		}
		t.Fatalf("%g is not in the codebook", value)
		return 0
	}
	near := func(what string, got float32, want float64) {
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	for i := range want.Len() {
		for k := range 3 {
			n, low := 3*i+k, float64(k)
			near("position", got.Positions[n], float64(want.Positions[n]))
			near("scale", got.Scales[n], lerp(scales, want.Scales[n], low-8, low-4))
			near("colour", got.Colours[n], lerp(colours, want.Colours[n], -low-1, low+1))
		}
		near("rotation", got.Rotations[4*i], float64(want.Rotations[4*i]))
		near("opacity", got.Opacities[i], 1/(1+math.Exp(5-10*float64(want.Opacities[i]))))
		for k := range 9 {
			near("harmonic", got.Harmonics[9*i+k], lerp(harmonics, want.Harmonics[9*i+k], -0.5, 0.25))
		}
	}
}
