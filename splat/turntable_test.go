package splat_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

func TestWriteTurntable_writes_an_animation(t *testing.T) {
	t.Parallel()
	c := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	var b bytes.Buffer
	last, messages := -1.0, []string{}
	facts, err := c.WriteTurntable(t.Context(), &b, splat.TurntableOptions{Width: 48, Height: 30, Frames: 4}, splat.ConvertOptions{
		Progress: func(percent float64, message string) {
			if messages = append(messages, message); percent <= last {
				t.Errorf("progress: got %v after %v", percent, last)
			}
			last = percent
		},
		Viewpoint: &splat.Viewpoint{Target: [3]float64{0, 0, 1}, Up: [3]float64{0, -1, 0}},
	})
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	if facts.Format != splat.FormatWebP || facts.Width != 48 || facts.Height != 30 || facts.Attribution != splat.AttributionXGRIDS {
		t.Errorf("facts: got %+v, want a picture with XGRIDS' attribution", facts)
	}
	if len(messages) != 4 || messages[3] != "Drawing the turntable: frame 4 of 4" {
		t.Errorf("messages: got %q, want one for each frame", messages)
	}
	// The file is one of the formats that Portico recognises.
	found, err := splat.Inspect(t.Context(), folder.Memory{"a.webp": b.Bytes()}, "a.webp")
	if err != nil || found.Format != splat.FormatWebP || found.Width != 48 {
		t.Errorf("inspect: got %+v, %v, want a WebP image", found, err)
	}
	if frames := bytes.Count(b.Bytes(), []byte("ANMF")); frames != 4 {
		t.Errorf("frames: got %d, want 4", frames)
	}
}

func TestWriteTurntable_refuses(t *testing.T) {
	t.Parallel()
	mesh := openCapture(t, folder.Memory{"a.ply": []byte("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n")}, "a.ply")
	capture := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	for name, test := range map[string]struct {
		capture *splat.Capture
		frames  int
	}{"a mesh": {mesh, 4}, "one frame": {capture, 1}, "too many frames": {capture, splat.MaxFrames + 1}} {
		_, err := test.capture.WriteTurntable(t.Context(), io.Discard, splat.TurntableOptions{Width: 8, Height: 8, Frames: test.frames}, splat.ConvertOptions{})
		if _, ok := errors.AsType[*splat.InputError](err); !ok {
			t.Errorf("%s: got %v, want an input error", name, err)
		}
	}
	_, err := capture.WriteTurntable(t.Context(), io.Discard, splat.TurntableOptions{Width: 4096, Height: 4096}, splat.ConvertOptions{})
	if _, ok := errors.AsType[*splat.InputError](err); !ok {
		t.Errorf("a huge one: got %v, want an input error", err)
	}
}
