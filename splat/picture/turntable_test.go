package picture_test

import (
	"context"
	"errors"
	"image"
	"testing"

	"portico/splat/gaussian"
	"portico/splat/picture"
)

// turn returns copies of the frames of a turntable.
func turn(t *testing.T, table picture.Turntable, c *gaussian.Cloud) (frames []*image.RGBA) {
	t.Helper()
	table.Width, table.Height = 80, 50
	err := table.Draw(t.Context(), c, func(number int, frame *image.RGBA) error {
		if number != len(frames) {
			t.Errorf("frame: got number %d, want %d", number, len(frames))
		}
		frames = append(frames, frame)
		return nil
	})
	if err != nil {
		t.Fatalf("draw: %v", err)
	}
	return frames
}

// drawnBounds returns the bounds of the pixels that differ from the corner, which is background.
func drawnBounds(m *image.RGBA) (all image.Rectangle) {
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if m.RGBAAt(x, y) != m.RGBAAt(0, 0) {
				all = all.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return all
}

func TestTurntable_shows_the_whole_scene_in_each_frame(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][3]float32{"a cube": {1, 1, 1}, "a street": {10, 1, 1}, "a tower": {1, 8, 1}} {
		frames := turn(t, picture.Turntable{Frames: 5}, cloud(box(2000, [3]float32{30, -20, 10}, size)...))
		if len(frames) != 5 {
			t.Errorf("%s: got %d frames, want 5", name, len(frames))
		}
		longest := 0
		for i, frame := range frames {
			at := drawnBounds(frame)
			if longest = max(longest, at.Dx()*5/8, at.Dy()); at.Empty() || !at.In(frame.Rect.Inset(1)) {
				t.Errorf("%s, frame %d: got it in %v, want all of it inside of %v", name, i, at, frame.Rect)
			}
		}
		if longest < 30 {
			t.Errorf("%s: got it %d pixels high at most, want it to fill a frame of 50", name, longest)
		}
	}
}

// A red ball stands out to one side of a white one. The table turns once.
func TestTurntable_turns_once(t *testing.T) {
	t.Parallel()
	c := cloud(ball{size: [3]float32{0.2}, colour: white, opacity: 1}, ball{at: [3]float32{1, 0, 0}, size: [3]float32{0.2}, colour: red, opacity: 1})
	var left, right bool // red was clearly there
	frames := turn(t, picture.Turntable{Frames: 8}, c)
	for _, frame := range frames {
		sum, n := 0, 0
		for y := range frame.Rect.Dy() {
			for x := range frame.Rect.Dx() {
				if p := frame.RGBAAt(x, y); p.R > 150 && p.G < 100 {
					sum, n = sum+x, n+1
				}
			}
		}
		if n > 0 {
			left, right = left || sum/n < frame.Rect.Dx()/2-4, right || sum/n > frame.Rect.Dx()/2+4
		}
	}
	if !left || !right {
		t.Errorf("red: got it on the left: %t, on the right: %t, want both", left, right)
	}
}

func TestTurntable_has_up_on_top(t *testing.T) {
	t.Parallel()
	// Blue is at smaller y.
	c := cloud(ball{at: [3]float32{0, -1, 0}, size: [3]float32{0.3}, colour: blue, opacity: 1}, ball{at: [3]float32{0, 1, 0}, size: [3]float32{0.3}, colour: red, opacity: 1})
	for _, test := range []struct {
		name  string
		down  [3]float64
		onTop bool
	}{{"the default", [3]float64{}, true}, {"a capture that is upside down", [3]float64{0, -1, 0}, false}} {
		for i, frame := range turn(t, picture.Turntable{Frames: 3, Down: test.down}, c) {
			middle := drawnBounds(frame)
			top := frame.RGBAAt((middle.Min.X+middle.Max.X)/2, middle.Min.Y+middle.Dy()/5)
			if isBlue := top.B > top.R; isBlue != test.onTop {
				t.Errorf("%s, frame %d: got %v on top, want blue there: %t", test.name, i, top, test.onTop)
			}
		}
	}
}

func TestTurntable_ends_early(t *testing.T) {
	t.Parallel()
	c, table := cloud(box(10, [3]float32{}, [3]float32{1, 1, 1})...), picture.Turntable{Width: 8, Height: 8, Frames: 3}
	want := errors.New("x")
	if err := table.Draw(t.Context(), c, func(int, *image.RGBA) error { return want }); !errors.Is(err, want) {
		t.Errorf("an error of visit: got %v, want it", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	err := table.Draw(ended, c, func(number int, _ *image.RGBA) error {
		if cancel(); number > 0 {
			t.Error("got a frame after the end")
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
