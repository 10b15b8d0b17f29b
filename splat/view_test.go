package splat_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"strings"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// captureWithStart returns a capture that starts at 1, 2, 3 with z up and looks along y.
func captureWithStart() folder.Memory {
	files := folder.Memory(scene().Memory())
	files["attrs.lcp"] = []byte(`{"spawnPoint":{"position":[1,2,3],"rotation":[0.70710678,0,0,0.70710678]}}`)
	return files
}

// wantView compares a start.
func wantView(t *testing.T, what string, got *splat.View, position, target [3]float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s: got no view", what)
		return
	}
	for k := range 3 {
		if math.Abs(got.Position[k]-position[k]) > 1e-5 || math.Abs(got.Target[k]-target[k]) > 1e-5 {
			t.Errorf("%s: got %v, want %v looking at %v", what, got, position, target)
			return
		}
	}
}

func TestFacts_keep_the_view_in_the_axes_of_each_file(t *testing.T) {
	t.Parallel()
	c := openCapture(t, captureWithStart(), splattest.LCCManifest)
	wantView(t, "LCC, z up", c.Facts.SuggestedView, [3]float64{1, 2, 3}, [3]float64{1, 3, 3})
	sog, _, err := c.WriteStreamedSOG(t.Context(), folder.Memory{}, splat.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantView(t, "streamed SOG, y down", sog.SuggestedView, [3]float64{1, -3, 2}, [3]float64{1, -3, 3})
	_, spz, _ := export(t, c, splat.FormatSPZ, splat.ConvertOptions{})
	wantView(t, "SPZ, y up and z back", spz.SuggestedView, [3]float64{1, 3, -2}, [3]float64{1, 3, -3})
	_, glb, _ := export(t, c, splat.FormatGLB, splat.ConvertOptions{})
	wantView(t, "glTF, y up", glb.SuggestedView, [3]float64{-1, 3, 2}, [3]float64{-1, 3, 3})
}

func TestEdit_moves_the_view_with_the_capture(t *testing.T) {
	t.Parallel()
	c := openCapture(t, captureWithStart(), splattest.LCCManifest)
	err := c.Edit(t.Context(), []splat.Edit{{Name: "translate", Value: "0,10,0"}, {Name: "scale", Value: "2"}, {Name: "filter-harmonics", Value: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	_, made, _ := export(t, c, splat.FormatPLY, splat.ConvertOptions{})
	wantView(t, "moved up by 10 and doubled", made.SuggestedView, [3]float64{2, -26, 4}, [3]float64{2, -26, 6})
}

// A collision of a small capture starts at the view itself, in the axes of viewers.
func TestWriteCollision_starts_at_the_view_of_the_file(t *testing.T) {
	t.Parallel()
	lcc := openCapture(t, captureWithStart(), splattest.LCCManifest)
	streamed := folder.Memory{}
	facts, _, err := lcc.WriteStreamedSOG(t.Context(), streamed, splat.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The result of the conversion has no place for the view, so it is given again.
	sog, err := splat.OpenOptions{View: facts.SuggestedView}.Open(t.Context(), streamed, splat.StreamedSOGName)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { wantNoError(t, sog.Close()) }()
	content, spz, _ := export(t, lcc, splat.FormatSPZ, splat.ConvertOptions{})
	packed, err := splat.OpenOptions{View: spz.SuggestedView}.Open(t.Context(), folder.Memory{"x.spz": content}, "x.spz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { wantNoError(t, packed.Close()) }()
	for name, c := range map[string]*splat.Capture{"LCC": lcc, "streamed SOG": sog, "SPZ": packed} {
		o := splat.CollisionOptions{}
		o.Scene, o.Resolution = "object", 1
		_, start, err := c.WriteCollision(t.Context(), folder.Memory{}, "x", o, splat.ConvertOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wantView(t, name, &splat.View{Position: start.Position, Target: start.Target}, [3]float64{-1, 3, 2}, [3]float64{-1, 3, 3})
	}
}

// A visitor first sees the side of an object that its poster shows.
func TestWriteCollision_starts_an_object_on_the_side_of_its_poster(t *testing.T) {
	t.Parallel()
	var rows [][]float32 // two walls, red in front of blue
	for x := float32(-0.5); x <= 0.5; x += 0.05 {
		for y := float32(-0.5); y <= 0.5; y += 0.05 {
			rows = append(rows, []float32{x, y, -0.2, 2, -2, -2, 9, -3.2, -3.2, -3.2, 1, 0, 0, 0}, []float32{x, y, 0.2, -2, -2, 2, 9, -3.2, -3.2, -3.2, 1, 0, 0, 0})
		}
	}
	c := openCapture(t, folder.Memory{"walls.ply": plyOfRows(rows)}, "walls.ply")
	_, start, err := c.WriteCollision(t.Context(), folder.Memory{}, "x", splat.CollisionOptions{}, splat.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]*splat.Viewpoint{"the poster": nil, "the start": {Position: start.Position, Target: start.Target, Up: start.Up}} {
		pictures, err := c.Pictures(t.Context(), from, image.Pt(64, 64))
		if err != nil {
			t.Fatal(err)
		}
		if red, _, blue, _ := pictures[0].At(32, 32).RGBA(); red < 2*blue || red == 0 {
			t.Errorf("%s: got red %d and blue %d in the middle, want the red wall", name, red, blue)
		}
	}
}

// wantNoError checks the result of closing.
func wantNoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestOpen_warns_about_a_collision_file_that_is_damaged(t *testing.T) {
	t.Parallel()
	files := captureWithStart()
	files["collision.lci"] = []byte("coll")
	c := openCapture(t, files, splattest.LCCManifest)
	if c.Facts.Collision != nil || !strings.Contains(strings.Join(c.Warnings, " "), `"collision.lci" is cut off`) {
		t.Errorf("got %v and warnings %q, want a warning", c.Facts.Collision, c.Warnings)
	}
}

func TestPicture_is_the_thumbnail_of_an_LCC_capture(t *testing.T) {
	t.Parallel()
	red := image.NewRGBA(image.Rect(0, 0, 80, 60))
	for i := range red.Pix {
		red.Pix[i] = []byte{255, 0, 0, 255}[i%4]
	}
	var thumbnail bytes.Buffer
	if err := jpeg.Encode(&thumbnail, red, nil); err != nil {
		t.Fatal(err)
	}
	files := captureWithStart()
	files["thumb.jpg"] = thumbnail.Bytes()
	isRed := func(files folder.Memory, size image.Point, edits ...splat.Edit) bool {
		t.Helper()
		c := openCapture(t, files, splattest.LCCManifest)
		if err := c.Edit(t.Context(), edits); err != nil {
			t.Fatal(err)
		}
		made, err := c.Picture(t.Context(), size)
		if err != nil {
			t.Fatal(err)
		}
		at := color.RGBAModel.Convert(made.At(3, 3)).(color.RGBA)
		return at.R > 200 && at.G < 50
	}
	if !isRed(files, image.Pt(40, 30)) {
		t.Error("a large thumbnail: is not used")
	}
	if isRed(files, image.Pt(160, 120)) {
		t.Error("a small thumbnail: is used")
	}
	if isRed(files, image.Pt(40, 30), splat.Edit{Name: "rotate", Value: "0,90,0"}) {
		t.Error("the thumbnail of a capture that was changed: is used")
	}
	files["thumb.jpg"] = thumbnail.Bytes()[:100]
	if isRed(files, image.Pt(40, 30)) {
		t.Error("a damaged thumbnail: is used")
	}
}
