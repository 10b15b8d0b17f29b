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

// from is where the captures are looked at from, in their own coordinates: y is
// down, and they lie in front of z = 20. It is off the middle, so that no turned or
// mirrored picture is alike.
var from = picture.Camera{Eye: [3]float64{2, -2.5, 12}, Target: [3]float64{0, -1.5, 25}, FieldOfView: 45}

// TestPlayCanvas shows what the engine makes of what we write.
func TestPlayCanvas(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("nothing of ours runs at once here")
	}
	v := newViewer(t)
	plain := splattest.LCCCapture{Splats: 12_000, Levels: 2, Columns: 1, Rows: 1, Environment: 1500, Seed: 1}
	shiny := plain
	shiny.Splats, shiny.Harmonics = 4000, true
	dir := t.TempDir()
	streamed(t, plain, filepath.Join(dir, "plain"))
	streamed(t, shiny, filepath.Join(dir, "shiny"))
	bundle(t, shiny, filepath.Join(dir, "scan.sog"))

	tests := []struct {
		name, file  string
		capture     splattest.LCCCapture
		level       int
		environment int // how many of its splats are shown
	}{
		{"shows the finest level of a streamed SOG", "plain/lod-meta.json", plain, 0, plain.Environment},
		{"shows the coarsest level of a streamed SOG", "plain/lod-meta.json", plain, 1, plain.Environment},
		{"shows the harmonics of a streamed SOG", "shiny/lod-meta.json", shiny, 0, shiny.Environment},
		{"shows a bundle, which has no environment", "scan.sog", shiny, 0, 0},
	}
	address := serve(t, dir)
	var views []view
	for _, test := range tests {
		// The engine's y is up: the entity is turned by half a turn about z.
		turn := func(p [3]float64) [3]float64 { return [3]float64{-p[0], -p[1], p[2]} }
		views = append(views, view{
			URL: address + "/" + test.file, Level: test.level,
			Eye: turn(from.Eye), Target: turn(from.Target), FieldOfView: from.FieldOfView,
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
			scene := read(t, test.capture, test.level, test.environment > 0)
			want := draw(t, scene)
			keep(t, screen, want)
			compare(t, screen, want)
			if test.capture.Harmonics {
				compareHarmonics(t, screen, want, scene)
			}
		})
	}
}

// streamed converts a capture to a streamed SOG in a new folder.
func streamed(t *testing.T, c splattest.LCCCapture, at string) {
	t.Helper()
	check(t, os.Mkdir(at, 0o755))
	files, err := folder.OpenLocal(at)
	check(t, err)
	defer files.Close()
	capture := open(t, c)
	_, _, err = capture.WriteStreamedSOG(t.Context(), files, splat.ConvertOptions{})
	check(t, err)
}

// bundle converts a capture to a .sog file.
func bundle(t *testing.T, c splattest.LCCCapture, at string) {
	t.Helper()
	var b bytes.Buffer
	_, _, err := open(t, c).WriteSOG(t.Context(), &b, splat.ConvertOptions{})
	check(t, err)
	check(t, os.WriteFile(at, b.Bytes(), 0o600))
}

// open opens a capture that is in memory.
func open(t *testing.T, c splattest.LCCCapture) *splat.Capture {
	t.Helper()
	capture, err := splat.Open(t.Context(), folder.Memory(c.Memory()), splattest.LCCManifest)
	check(t, err)
	t.Cleanup(func() { check(t, capture.Close()) })
	return capture
}

// read returns a level of the capture itself, and what is around it.
func read(t *testing.T, c splattest.LCCCapture, level int, environment bool) *gaussian.Cloud {
	t.Helper()
	capture, err := lcc.Open(t.Context(), folder.Memory(c.Memory()), splattest.LCCManifest)
	check(t, err)
	defer capture.Close()
	numbers := make([]uint32, c.Counts()[level])
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	var cloud, sky gaussian.Cloud
	check(t, capture.Read(t.Context(), level, numbers, &cloud))
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

// draw draws what the browser should show.
func draw(t *testing.T, scene *gaussian.Cloud) *image.RGBA {
	t.Helper()
	drawn, err := picture.Render(t.Context(), scene, picture.Options{
		Width: 320, Height: 200, Camera: &from, Top: color.Black, Bottom: color.Black,
	})
	check(t, err)
	return drawn
}

// decode returns the screen.
func decode(t *testing.T, screen []byte) image.Image {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(screen))
	check(t, err)
	return decoded
}

// compare compares a screen with the picture that it should show, and with that
// picture mirrored and turned, which it must not.
func compare(t *testing.T, screen image.Image, want *image.RGBA) {
	t.Helper()
	if screen.Bounds() != want.Bounds() {
		t.Fatalf("screen: got %v, want %v", screen.Bounds(), want.Bounds())
	}
	if got := colours(screen); got < 1000 {
		t.Errorf("screen: got %d colours, want the many of a capture", got)
	}
	wide, high := want.Bounds().Dx()-1, want.Bounds().Dy()-1
	upright := apart(screen, want, func(x, y int) (int, int) { return x, y })
	least := min(
		apart(screen, want, func(x, y int) (int, int) { return wide - x, y }),
		apart(screen, want, func(x, y int) (int, int) { return x, high - y }),
		apart(screen, want, func(x, y int) (int, int) { return wide - x, high - y }),
	)
	// Renderers differ a little in what they take for too small to be seen.
	t.Logf("differs by %.1f of 255, and by %.1f if it were mirrored or turned", upright, least)
	if upright > 10 || upright > least/3 {
		t.Errorf("screen: got a mean difference of %.1f of 255, mirrored or turned %.1f, want at most 10 and a third", upright, least)
	}
}

// compareHarmonics checks that harmonics do on the screen what they do in the
// picture: how much of that change it shows is 0 without them or with any others,
// whatever else differs. It is not 1, because the capture's are noise, the worst
// that a palette can be made of.
func compareHarmonics(t *testing.T, screen image.Image, want *image.RGBA, scene *gaussian.Cloud) {
	t.Helper()
	scene.Degree, scene.Harmonics = 0, nil
	without := draw(t, scene)
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

// keep writes the pictures into the folder VIEWER_PICTURES, for people.
func keep(t *testing.T, screen image.Image, want *image.RGBA) {
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

// colours returns how many different ones a picture has.
func colours(m image.Image) int {
	seen := map[color.Color]bool{}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			seen[m.At(x, y)] = true
		}
	}
	return len(seen)
}

// apart returns the mean difference of red, green and blue, of 255, between a
// picture and another, whose pixels are looked for where at says.
func apart(a, b image.Image, at func(x, y int) (int, int)) float64 {
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

// rgb returns a pixel's colour, of 255.
func rgb(m image.Image, x, y int) [3]float64 {
	r, g, b, _ := m.At(x, y).RGBA()
	return [3]float64{float64(r) / 257, float64(g) / 257, float64(b) / 257}
}
