package viewer_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/lcc"
	"portico/splat/picture"
	"portico/splat/splattest"
)

// viewpoint is the camera in the captures' coordinates: y is down, and the captures end
// at z = 20. It is off-centre, so that rotated and mirrored pictures differ.
var viewpoint = picture.Camera{Eye: [3]float64{2, -2.5, 12}, Target: [3]float64{0, -1.5, 25}, FieldOfView: 45}

// TestPlayCanvas compares the engine's display of our output with the captures.
func TestPlayCanvas(t *testing.T) {
	t.Parallel()
	v := newViewer(t)
	plain := splattest.LCCCapture{Splats: 12_000, Levels: 2, Columns: 1, Rows: 1, Environment: 1500, Seed: 1}
	shiny := plain
	shiny.Splats, shiny.Harmonics = 4000, true
	dir := t.TempDir()
	convertToStreamed(t, plain, filepath.Join(dir, "plain"))
	convertToStreamed(t, shiny, filepath.Join(dir, "shiny"))
	convertToBundle(t, shiny, filepath.Join(dir, "scan.sog"))

	tests := []struct {
		name, file  string
		capture     splattest.LCCCapture
		level       int
		environment int // number of environment splats on the screen
	}{
		{"shows the finest level of a streamed SOG", "plain/lod-meta.json", plain, 0, plain.Environment},
		{"shows the coarsest level of a streamed SOG", "plain/lod-meta.json", plain, 1, plain.Environment},
		{"shows the harmonics of a streamed SOG", "shiny/lod-meta.json", shiny, 0, shiny.Environment},
		{"shows a bundle, which has no environment", "scan.sog", shiny, 0, 0},
	}
	address := serve(t, dir)
	var views []view
	for _, test := range tests {
		// The engine's y is up, so the entity is rotated by half a turn about z.
		rotate := func(p [3]float64) [3]float64 { return [3]float64{-p[0], -p[1], p[2]} }
		views = append(views, view{
			URL: address + "/" + test.file, Level: test.level,
			Eye: rotate(viewpoint.Eye), Target: rotate(viewpoint.Target), FieldOfView: viewpoint.FieldOfView,
		})
	}
	for i, got := range v.show(t, views) {
		test := tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			t.Logf("took %d ms", got.Milliseconds)
			if len(got.Said) > 0 {
				t.Errorf("the browser complains: %q", got.Said)
			}
			if want := test.capture.Counts()[test.level] + test.environment; got.Splats != want {
				t.Errorf("the engine draws %d splats, want %d", got.Splats, want)
			}
			screen := decode(t, got.Screen)
			scene := readOriginal(t, test.capture, test.level, test.environment > 0)
			want := render(t, scene)
			savePictures(t, screen, want)
			compare(t, screen, want)
			if test.capture.Harmonics {
				compareHarmonics(t, screen, want, scene)
			}
		})
	}
}

// convertToStreamed converts a capture to a streamed SOG in a new folder.
func convertToStreamed(t *testing.T, c splattest.LCCCapture, at string) {
	t.Helper()
	check(t, os.Mkdir(at, 0o755))
	files, err := folder.OpenLocal(at)
	check(t, err)
	defer files.Close()
	capture := open(t, c)
	_, _, err = capture.WriteStreamedSOG(t.Context(), files, splat.ConvertOptions{})
	check(t, err)
}

// convertToBundle converts a capture to a .sog file.
func convertToBundle(t *testing.T, c splattest.LCCCapture, at string) {
	t.Helper()
	var b bytes.Buffer
	_, _, err := open(t, c).WriteSOG(t.Context(), &b, splat.ConvertOptions{})
	check(t, err)
	check(t, os.WriteFile(at, b.Bytes(), 0o600))
}

func open(t *testing.T, c splattest.LCCCapture) *splat.Capture {
	t.Helper()
	capture, err := splat.Open(t.Context(), folder.Memory(c.Memory()), splattest.LCCManifest)
	check(t, err)
	t.Cleanup(func() { check(t, capture.Close()) })
	return capture
}

// readOriginal returns a level of the original capture, with its environment if wanted.
func readOriginal(t *testing.T, c splattest.LCCCapture, level int, environment bool) *gaussian.Cloud {
	t.Helper()
	capture, err := lcc.Open(t.Context(), folder.Memory(c.Memory()), splattest.LCCManifest)
	check(t, err)
	defer capture.Close()
	indices := make([]uint32, c.Counts()[level])
	for i := range indices {
		indices[i] = uint32(i)
	}
	var cloud, sky gaussian.Cloud
	check(t, capture.Read(t.Context(), level, indices, &cloud))
	if environment {
		check(t, capture.Environment(t.Context(), &sky))
	}
	cloud.Positions = append(cloud.Positions, sky.Positions...)
	cloud.Rotations = append(cloud.Rotations, sky.Rotations...)
	cloud.Scales = append(cloud.Scales, sky.Scales...)
	cloud.Colours = append(cloud.Colours, sky.Colours...)
	cloud.Opacities = append(cloud.Opacities, sky.Opacities...)
	cloud.Harmonics = append(cloud.Harmonics, sky.Harmonics...)
	return &cloud
}

// render returns the picture that the browser should show.
func render(t *testing.T, scene *gaussian.Cloud) *image.RGBA {
	t.Helper()
	drawn, err := picture.Render(t.Context(), scene, picture.Options{
		Width: 320, Height: 200, Camera: &viewpoint, Top: color.Black, Bottom: color.Black,
	})
	check(t, err)
	return drawn
}

func decode(t *testing.T, screen []byte) image.Image {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(screen))
	check(t, err)
	return decoded
}

// compare checks that a screenshot resembles the wanted picture, and much more than it
// resembles the picture mirrored or rotated.
func compare(t *testing.T, screen image.Image, want *image.RGBA) {
	t.Helper()
	if screen.Bounds() != want.Bounds() {
		t.Fatalf("screen: got %v, want %v", screen.Bounds(), want.Bounds())
	}
	if got := countColours(screen); got < 1000 {
		t.Errorf("screen: got %d colours, want at least 1000", got)
	}
	maxX, maxY := want.Bounds().Dx()-1, want.Bounds().Dy()-1
	upright := meanDifference(screen, want, func(x, y int) (int, int) { return x, y })
	otherMin := min(
		meanDifference(screen, want, func(x, y int) (int, int) { return maxX - x, y }),
		meanDifference(screen, want, func(x, y int) (int, int) { return x, maxY - y }),
		meanDifference(screen, want, func(x, y int) (int, int) { return maxX - x, maxY - y }),
	)
	// Renderers differ slightly in the size below which they skip Gaussians.
	t.Logf("differs by %.1f of 255, and by %.1f from the mirrored or rotated picture", upright, otherMin)
	if upright > 10 || upright > otherMin/3 {
		t.Errorf("screen: got a mean difference of %.1f of 255, mirrored or rotated %.1f, want at most 10 and a third", upright, otherMin)
	}
}

// compareHarmonics checks that harmonics have the same effect on the screen as in the
// picture. The share of their effect on the screen is 0 without harmonics or with wrong
// ones, whatever else differs. It is below 1, because the capture's harmonics are noise,
// which palettes approximate worst.
func compareHarmonics(t *testing.T, screen image.Image, want *image.RGBA, scene *gaussian.Cloud) {
	t.Helper()
	scene.Degree, scene.Harmonics = 0, nil
	without := render(t, scene)
	shown, whole := 0.0, 0.0
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			s, w, o := rgb(screen, x, y), rgb(want, x, y), rgb(without, x, y)
			for k := range 3 {
				shown += (s[k] - o[k]) * (w[k] - o[k])
				whole += (w[k] - o[k]) * (w[k] - o[k])
			}
		}
	}
	t.Logf("shows %.2f of what harmonics change", shown/whole)
	if part := shown / whole; part < 0.5 || part > 1.2 {
		t.Errorf("screen: shows %.2f of what harmonics change, want 0.5 to 1.2", part)
	}
}

// savePictures writes the pictures into the folder VIEWER_PICTURES, if that is set, for
// inspection by people.
func savePictures(t *testing.T, screen image.Image, want *image.RGBA) {
	t.Helper()
	dir := os.Getenv("VIEWER_PICTURES")
	if dir == "" {
		return
	}
	for name, m := range map[string]image.Image{"screen": screen, "want": want} {
		f, err := os.Create(filepath.Join(dir, filepath.Base(t.Name())+"-"+name+".png"))
		check(t, err)
		check(t, png.Encode(f, m))
		check(t, f.Close())
	}
}

// countColours returns the number of distinct colours of a picture.
func countColours(m image.Image) int {
	seen := map[color.Color]bool{}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			seen[m.At(x, y)] = true
		}
	}
	return len(seen)
}

// meanDifference returns the mean difference of red, green and blue from 0 to 255 between
// two pictures. It compares the pixel x, y of a with the pixel at(x, y) of b.
func meanDifference(a, b image.Image, at func(x, y int) (int, int)) float64 {
	sum, n := 0.0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			u, v := at(x, y)
			one, other := rgb(a, x, y), rgb(b, u, v)
			for k := range 3 {
				sum += math.Abs(one[k] - other[k])
				n++
			}
		}
	}
	return sum / float64(n)
}

// rgb returns a pixel's channels from 0 to 255.
func rgb(m image.Image, x, y int) [3]float64 {
	r, g, b, _ := m.At(x, y).RGBA()
	return [3]float64{float64(r) / 257, float64(g) / 257, float64(b) / 257}
}
