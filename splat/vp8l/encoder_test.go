package vp8l_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/webp"

	"portico/splat/vp8l"
)

func encode(t testing.TB, e *vp8l.Encoder, p picture) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := e.Encode(&file, p.pixels, p.width, p.height); err != nil {
		t.Fatalf("Encode: got error %q, want none", err)
	}
	return file.Bytes()
}

// checkDecodes fails the test unless a file decodes to exactly the picture.
func checkDecodes(t testing.TB, file []byte, p picture) {
	t.Helper()
	decoded, err := webp.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("decode: got error %q, want none", err)
	}
	got, ok := decoded.(*image.NRGBA)
	if !ok {
		t.Fatalf("decode: got a %T, want an *image.NRGBA", decoded)
	}
	if want := image.Rect(0, 0, p.width, p.height); got.Rect != want {
		t.Fatalf("decode: got an image of %v, want %v", got.Rect, want)
	}
	for i := range p.pixels {
		if got.Pix[i] != p.pixels[i] {
			t.Fatalf("pixel %d, %d: got %v, want %v", i/4%p.width, i/4/p.width, got.Pix[i&^3:][:4], p.pixels[i&^3:][:4])
		}
	}
}

func quickEncoder() *vp8l.Encoder {
	var e vp8l.Encoder
	e.SetQuick(true)
	return &e
}

func TestEncode_round_trips(t *testing.T) {
	t.Parallel()
	type row struct {
		name string
		picture
	}
	rows := []row{
		{"one pixel", constant(1, 1, [4]byte{1, 2, 3, 4})},
		{"one transparent pixel", constant(1, 1, [4]byte{})},
		{"one colour", constant(70, 50, [4]byte{9, 8, 7, 255})},
		{"black", constant(33, 3, [4]byte{0, 0, 0, 255})},
		{"a colour for each pixel", draw(80, 90, func(x, y int) [4]byte { return [4]byte{byte(x), byte(y), 5, 255} })},
		{"data under alpha 0", draw(60, 60, func(x, y int) [4]byte { return [4]byte{byte(x * y), byte(x), byte(y), 0} })},
		{"the widest row", noise(vp8l.MaxSide, 1)},
		{"the highest column", noise(1, vp8l.MaxSide)},
		{"the widest ramp", ramp(vp8l.MaxSide, 3)},
		{"a long run after noise", draw(300, 300, func(x, y int) [4]byte {
			if y == 0 {
				return [4]byte{byte(x * 77), byte(x * 31), byte(x), 255}
			}
			return [4]byte{1, 1, 1, 1}
		})},
		{"regions of other statistics", draw(200, 200, func(x, y int) [4]byte {
			v := byte((x*x*31 + y*y*17 + x*y) >> 3)
			return [4]byte{v >> (x / 50), v & byte(3<<(y/50)), v, 255}
		})},
		{"several tiles of transforms", ramp(1100, 600)},
		{"channels that follow each other", followingPicture(600, 600)},
		{"counts of Fibonacci", fibonacci()},
	}
	for _, width := range []int{1, 2, 3, 5, 7, 8, 9, 16, 17, 63, 130} {
		for _, height := range []int{1, 2, 3, 17, 65} {
			rows = append(rows,
				row{fmt.Sprintf("noise of %d x %d", width, height), noise(width, height)},
				row{fmt.Sprintf("a ramp of %d x %d", width, height), ramp(width, height)},
				row{fmt.Sprintf("two colours of %d x %d", width, height), colours(width, height, 2)})
		}
	}
	for _, n := range []int{1, 2, 3, 4, 5, 15, 16, 17, 100, 255, 256, 257, 1000} {
		rows = append(rows, row{fmt.Sprintf("%d colours", n), colours(61, 47, n)})
	}
	for _, period := range []int{1, 2, 3, 60, 61, 62, 121, 122, 500, 4095, 4097, 6000} {
		rows = append(rows, row{fmt.Sprintf("repeats after %d", period), repeatingPicture(61, 200, period)})
	}
	for _, c := range capture(160) {
		rows = append(rows, row(c))
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			checkDecodes(t, encode(t, new(vp8l.Encoder), r.picture), r.picture)
			checkDecodes(t, encode(t, quickEncoder(), r.picture), r.picture)
		})
	}
}

// followingPicture returns a picture whose red and blue follow its slowly changing green.
// Its plan has both a predictor and the colour transform.
func followingPicture(width, height int) picture {
	r := random(3)
	return draw(width, height, func(x, y int) [4]byte {
		v := byte(x/8 + y/4 + r.IntN(24))
		return [4]byte{v + byte(r.IntN(4)), v, v/2 + byte(r.IntN(4)), 255}
	})
}

// fibonacci returns a picture whose greens occur as often as the Fibonacci numbers.
// Such counts give the deepest Huffman trees, deeper than the format allows.
func fibonacci() picture {
	var greens []byte
	for a, b, green := 1, 1, byte(0); green < 21; a, b, green = b, a+b, green+1 {
		greens = append(greens, bytes.Repeat([]byte{green * 11}, a)...)
	}
	random(3).Shuffle(len(greens), func(i, k int) { greens[i], greens[k] = greens[k], greens[i] })
	r := random(4)
	return draw(150, len(greens)/150, func(x, y int) [4]byte {
		return [4]byte{byte(r.Uint32()), greens[y*150+x], byte(r.Uint32()), 255}
	})
}

// The first distance is the largest that a file can hold, the second is larger.
// Both pictures span several blocks of the parser.
func TestEncode_round_trips_repeats_at_the_edge_of_the_window(t *testing.T) {
	t.Parallel()
	far := noise(1024, 16)
	for _, rows := range []int{1023, 1024} {
		p := draw(1024, rows+16, func(x, y int) [4]byte {
			if y%rows < 16 {
				return [4]byte(far.pixels[4*(y%rows*1024+x):])
			}
			return [4]byte{0, byte(y), 0, 255}
		})
		checkDecodes(t, encode(t, new(vp8l.Encoder), p), p)
	}
}

func TestEncode_flags_transparency(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		picture
		want bool
	}{
		{"opaque", constant(5, 5, [4]byte{1, 2, 3, 255}), false},
		{"transparent", constant(5, 5, [4]byte{1, 2, 3, 0}), true},
		{"one pixel of alpha 254", draw(5, 5, func(x, y int) [4]byte {
			if x == 4 && y == 4 {
				return [4]byte{0, 0, 0, 254}
			}
			return [4]byte{1, 2, 3, 255}
		}), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := encode(t, new(vp8l.Encoder), test.picture)
			if got := file[24]>>4&1 == 1; got != test.want { // bit 28 after the signature
				t.Errorf("got alpha_is_used %v, want %v", got, test.want)
			}
		})
	}
}

func TestEncode_writes_a_container_of_even_length(t *testing.T) {
	t.Parallel()
	odd := 0
	for width := 1; width < 40; width++ {
		file := encode(t, new(vp8l.Encoder), noise(width, 1))
		number := func(at int) int {
			return int(file[at]) | int(file[at+1])<<8 | int(file[at+2])<<16 | int(file[at+3])<<24
		}
		size := number(16)
		odd += size & 1
		got := []any{string(file[:4]), number(4), string(file[8:16]), len(file)}
		want := []any{"RIFF", len(file) - 8, "WEBPVP8L", 20 + size + size&1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("width %d (-want +got):\n%s", width, diff)
		}
	}
	if odd == 0 {
		t.Error("got no image of an odd length, want some")
	}
}

func TestEncoder_writes_the_same_file_after_other_images(t *testing.T) {
	t.Parallel()
	var e vp8l.Encoder
	pictures := []picture{noise(40, 30), colours(50, 60, 200), capture(96)[1].picture, ramp(7, 300), colours(64, 64, 3)}
	for range 2 {
		for i, p := range pictures {
			for _, quick := range []bool{false, true} {
				var unused vp8l.Encoder
				unused.SetQuick(quick)
				e.SetQuick(quick)
				if !bytes.Equal(encode(t, &e, p), encode(t, &unused, p)) {
					t.Errorf("picture %d, quick %v: got another file from a used encoder than from a new one", i, quick)
				}
			}
		}
	}
}

func TestEncodeARGB_writes_what_Encode_writes(t *testing.T) {
	t.Parallel()
	p := followingPicture(20, 30)
	pixels := make([]uint32, p.width*p.height)
	for i := range pixels {
		c := p.pixels[4*i:]
		pixels[i] = uint32(c[3])<<24 | uint32(c[0])<<16 | uint32(c[1])<<8 | uint32(c[2])
	}
	var e vp8l.Encoder
	want := encode(t, &e, p)
	var got bytes.Buffer
	if err := e.EncodeARGB(&got, pixels, p.width, p.height); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %d bytes and %v, want the same as Encode, %d bytes", got.Len(), err, len(want))
	}
	if err := e.EncodeARGB(&got, pixels[1:], p.width, p.height); err == nil || !strings.Contains(err.Error(), "got 599 pixels, want 600") {
		t.Errorf("too few pixels: got %v", err)
	}
}

func TestEncode_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                 string
		bytes, width, height int
		want                 string
	}{
		{"no width", 0, 0, 1, "sides must be 1 to 16384"},
		{"no height", 0, 1, 0, "sides must be 1 to 16384"},
		{"a negative width", 4, -1, -1, "sides must be 1 to 16384"},
		{"a width too large", 4 * 16385, 16385, 1, "sides must be 1 to 16384"},
		{"a height too large", 4 * 16385, 1, 16385, "sides must be 1 to 16384"},
		{"sides whose product overflows", 0, math.MaxInt/2 + 1, 2, "sides must be 1 to 16384"},
		{"too few bytes", 15, 2, 2, "got 15 bytes, want 16"},
		{"too many bytes", 17, 2, 2, "got 17 bytes, want 16"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := vp8l.Encode(io.Discard, make([]byte, test.bytes), test.width, test.height)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

// failingWriter fails after a number of writes.
type failingWriter struct{ remaining int }

var errFull = errors.New("disk full")

// Write implements io.Writer.
func (w *failingWriter) Write(p []byte) (int, error) {
	if w.remaining == 0 {
		return 0, errFull
	}
	w.remaining--
	return len(p), nil
}

func TestEncode_returns_the_error_of_the_writer(t *testing.T) {
	t.Parallel()
	for writes := range 2 {
		err := vp8l.Encode(&failingWriter{writes}, noise(4, 4).pixels, 4, 4)
		if !errors.Is(err, errFull) {
			t.Errorf("after %d writes: got error %v, want %v", writes, err, errFull)
		}
	}
}
