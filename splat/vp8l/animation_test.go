package vp8l_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"portico/splat/vp8l"
)

// animate returns an animation of pictures of the same size.
func animate(t *testing.T, pictures ...picture) []byte {
	t.Helper()
	animation := vp8l.NewAnimation(pictures[0].width, pictures[0].height)
	for i, p := range pictures {
		if err := animation.Add(p.pixels, time.Duration(i+1)*100*time.Millisecond); err != nil {
			t.Fatalf("add: %v", err)
		}
	}
	var file bytes.Buffer
	if n, err := animation.WriteTo(&file); err != nil || n != int64(file.Len()) {
		t.Fatalf("write: got %d bytes, %v, want %d", n, err, file.Len())
	}
	return file.Bytes()
}

// chunks returns the chunks of a file or of a frame (RFC 9649, section 2.3).
func chunks(t *testing.T, b []byte) (all []struct {
	name    string
	content []byte
}) {
	t.Helper()
	for len(b) > 0 {
		size := int(binary.LittleEndian.Uint32(b[4:]))
		all = append(all, struct {
			name    string
			content []byte
		}{string(b[:4]), b[8 : 8+size]})
		b = b[8+size+size%2:]
	}
	return all
}

// checkAnimates checks an animation against its pictures: its structure (RFC 9649, section
// 2.7), and each frame as a file of its own.
func checkAnimates(t *testing.T, file []byte, pictures ...picture) {
	t.Helper()
	if size := binary.LittleEndian.Uint32(file[4:]); string(file[:4])+string(file[8:12]) != "RIFFWEBP" || int(size) != len(file)-8 {
		t.Fatalf("header: got %q of %d bytes, want a file of %d", file[:12], size, len(file)-8)
	}
	all := chunks(t, file[12:])
	if len(all) != 2+len(pictures) || all[0].name != "VP8X" || all[1].name != "ANIM" {
		t.Fatalf("chunks: got %d, want %d: VP8X, ANIM and the frames", len(all), 2+len(pictures))
	}
	width, height := pictures[0].width, pictures[0].height
	header := []byte{2, 0, 0, 0, byte(width - 1), byte((width - 1) >> 8), 0, byte(height - 1), byte((height - 1) >> 8), 0}
	if !bytes.Equal(all[0].content, header) || !bytes.Equal(all[1].content, make([]byte, 6)) {
		t.Errorf("headers: got %v and %v, want %v and zeros", all[0].content, all[1].content, header)
	}
	for i, p := range pictures {
		frame := all[2+i]
		shown := (i + 1) * 100
		want := append(append(make([]byte, 6), header[4:]...), byte(shown), byte(shown>>8), 0, 2)
		if frame.name != "ANMF" || !bytes.Equal(frame.content[:16], want) {
			t.Errorf("frame %d: got %s with %v, want %v", i, frame.name, frame.content[:16], want)
		}
		content := frame.content[16:]
		still := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+len(content)))
		checkDecodes(t, append(append(still, "WEBP"...), content...), p)
	}
}

func TestAnimation_has_all_frames(t *testing.T) {
	t.Parallel()
	pictures := []picture{noise(300, 7), ramp(300, 7), colours(300, 7, 5)}
	checkAnimates(t, animate(t, pictures...), pictures...)
	checkAnimates(t, animate(t, noise(1, 1)), noise(1, 1))
}

func TestAnimation_returns_errors(t *testing.T) {
	t.Parallel()
	animation := vp8l.NewAnimation(2, 2)
	if err := animation.Add(make([]byte, 4), time.Second); err == nil {
		t.Error("a frame of another size: got no error")
	}
	if err := animation.Add(make([]byte, 16), time.Second); err != nil {
		t.Fatal(err)
	}
	for writes := range 2 {
		if _, err := animation.WriteTo(&failingWriter{writes}); !errors.Is(err, errFull) {
			t.Errorf("after %d writes: got error %v, want %v", writes, err, errFull)
		}
	}
}

func FuzzAnimation(f *testing.F) {
	f.Add(uint8(7), uint8(3), noise(7, 6).pixels)
	f.Add(uint8(20), uint8(2), colours(20, 20, 5).pixels)
	f.Fuzz(func(t *testing.T, width, kind uint8, data []byte) {
		p := stretch(int(width)+1, kind, data)
		if p.height < 2 {
			return
		}
		// Two frames: the upper and the lower half.
		half := 4 * p.width * (p.height / 2)
		first := picture{pixels: p.pixels[:half], width: p.width, height: p.height / 2}
		second := picture{pixels: p.pixels[half : 2*half], width: p.width, height: p.height / 2}
		checkAnimates(t, animate(t, first, second), first, second)
	})
}
