package splat_test

import (
	"bytes"
	"errors"
	"image"
	"testing"

	"portico/splat"
	"portico/splat/folder"
)

// framesOf returns the pixels of each frame of a turn.
func framesOf(t *testing.T, c *splat.Capture, turn splat.Turn) (frames [][]byte) {
	t.Helper()
	turn.Size, turn.Frames = image.Pt(48, 30), 12
	calls := 0
	turn.Progress = func(float64, string) { calls++ }
	strip, err := c.Turn(t.Context(), turn)
	if err != nil {
		t.Fatalf("turn: %v", err)
	}
	if got, want := strip.Rect, image.Rect(0, 0, 48, 12*30); got != want || calls != 12 {
		t.Fatalf("strip: got %v after %d calls, want %v after 12", got, calls, want)
	}
	for i := range turn.Frames {
		frames = append(frames, strip.Pix[strip.PixOffset(0, i*30):][:48*30*4])
	}
	return frames
}

// openPost returns a red post at (0, 0, 0) with a blue one beside it.
func openPost(t *testing.T) *splat.Capture {
	t.Helper()
	var rows [][]float32
	for y := float32(-1); y <= 1; y += 0.02 {
		rows = append(rows, []float32{0, y, 0, 2, -2, -2, 9, -2.5, -2.5, -2.5, 1, 0, 0, 0}, []float32{0.5, y, 0.2, -2, -2, 2, 9, -2.5, -2.5, -2.5, 1, 0, 0, 0})
	}
	return openCapture(t, folder.Memory{"post.ply": plyOfRows(rows)}, "post.ply")
}

// beside returns a viewpoint beside the posts.
func beside() *splat.Viewpoint {
	return &splat.Viewpoint{Position: [3]float64{0, 0.5, 4}, Up: [3]float64{0, 1, 0}}
}

func TestTurn_moves_once_around_the_subject(t *testing.T) {
	t.Parallel()
	c := openPost(t)
	for name, from := range map[string]*splat.Viewpoint{
		"the whole": nil, "a view": beside(),
	} {
		frames := framesOf(t, c, splat.Turn{From: from})
		for i, frame := range frames[1:] {
			if bytes.Equal(frame, frames[0]) {
				t.Errorf("%s, frame %d: got the same as the first", name, i+1)
			}
		}
		drawn, err := c.Pictures(t.Context(), from, image.Pt(48, 30))
		if err != nil {
			t.Fatal(err)
		}
		if picture, ok := drawn[0].(*image.RGBA); !ok || !bytes.Equal(picture.Pix, frames[0]) {
			t.Errorf("%s: the first frame differs from the picture", name)
		}
	}
}

// What is beside a viewpoint inside a place is not known, so the camera stays there.
func TestTurn_looks_to_both_sides_of_a_place(t *testing.T) {
	t.Parallel()
	c := openPost(t)
	frames := framesOf(t, c, splat.Turn{From: beside(), LookAround: true})
	for i, same := range map[int]int{6: 0, 5: 1, 4: 2, 11: 7, 10: 8} {
		if !bytes.Equal(frames[i], frames[same]) {
			t.Errorf("frame %d: got another picture than frame %d, want the way back", i, same)
		}
	}
	for _, other := range []int{1, 3, 9} {
		if bytes.Equal(frames[other], frames[0]) {
			t.Errorf("frame %d: got the same as the first", other)
		}
	}
}

func TestTurn_refuses_a_file_without_Gaussians(t *testing.T) {
	t.Parallel()
	c := openCapture(t, folder.Memory{"a.gif": []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")}, "a.gif")
	_, err := c.Turn(t.Context(), splat.Turn{Size: image.Pt(8, 8), Frames: 4})
	if _, ok := errors.AsType[*splat.InputError](err); !ok {
		t.Errorf("turn: got %v, want an InputError", err)
	}
}
