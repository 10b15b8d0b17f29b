package sog

import (
	"bytes"
	"encoding/json"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/webp"

	"portico/splat/gaussian"
)

// randomCloud returns a cloud of n Gaussians with random values and harmonics of degree 2.
func randomCloud(n int) *gaussian.Cloud {
	r := rand.New(rand.NewPCG(3, 4))
	c := &gaussian.Cloud{}
	c.Resize(n, 2)
	for _, values := range [][]float32{c.Positions, c.Rotations, c.Scales, c.Colours, c.Harmonics} {
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
	}
	for i := range c.Opacities {
		c.Opacities[i] = r.Float32()
	}
	return c
}

// exampleChunk returns the manifest and the decoded images of a chunk with these Gaussians.
func exampleChunk(t *testing.T, c *gaussian.Cloud) (m meta, images map[string]*image.NRGBA) {
	t.Helper()
	files, err := newWriter(gaussian.NewMemorySource(nil, c), Options{}).encodeChunk(t.Context(), c, nil, c.Degree, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(files[len(files)-1].data, &m); err != nil {
		t.Fatal(err)
	}
	images = map[string]*image.NRGBA{}
	for _, f := range files[:len(files)-1] {
		decoded, err := webp.Decode(bytes.NewReader(f.data))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		images[f.name] = decoded.(*image.NRGBA)
	}
	return m, images
}

// nearestEntry returns the index of the entry that is nearest to a value.
func nearestEntry(book codebook, v float32) byte {
	best := 0
	for i, entry := range book {
		if math.Abs(float64(entry)-float64(v)) < math.Abs(float64(book[best])-float64(v)) {
			best = i
		}
	}
	return byte(best)
}

func TestEncode_writes_every_pixel(t *testing.T) {
	t.Parallel()
	const n = 300
	c := randomCloud(n)
	m, images := exampleChunk(t, c)
	nearest := nearestEntry
	pixel := func(name string, i int) [4]byte { return [4]byte(images[name].Pix[4*i:]) }

	positions := newPositionQuantiser(c.Positions)
	if [3]float32(m.Means.Mins) != positions.low || [3]float32(m.Means.Maxs) != positions.high {
		t.Errorf("bounds: got %g to %g, want %g to %g", m.Means.Mins, m.Means.Maxs, positions.low, positions.high)
	}
	for i := range n {
		v := positions.quantise((*[3]float32)(c.Positions[3*i:]))
		wantPixel(t, "means_l.webp", i, pixel("means_l.webp", i), [4]byte{byte(v[0]), byte(v[1]), byte(v[2]), 255})
		wantPixel(t, "means_u.webp", i, pixel("means_u.webp", i), [4]byte{byte(v[0] >> 8), byte(v[1] >> 8), byte(v[2] >> 8), 255})
		q := c.Rotations[4*i:]
		wantPixel(t, "quats.webp", i, pixel("quats.webp", i), packQuaternion(q[0], q[1], q[2], q[3]))
		s, f := c.Scales[3*i:], c.Colours[3*i:]
		scales, colours := m.Scales.Codebook, m.SH0.Codebook
		wantPixel(t, "scales.webp", i, pixel("scales.webp", i), [4]byte{nearest(scales, s[0]), nearest(scales, s[1]), nearest(scales, s[2]), 255})
		wantPixel(t, "sh0.webp", i, pixel("sh0.webp", i), [4]byte{nearest(colours, f[0]), nearest(colours, f[1]), nearest(colours, f[2]), byte(math.Round(float64(c.Opacities[i]) * 255))})
		// So few Gaussians have an entry each.
		label := pixel("shN_labels.webp", i)
		entry := int(label[0]) + int(label[1])<<8
		for k := range 8 {
			h := c.Harmonics[24*i+k:]
			at := entry/64*64*8 + entry%64*8 + k
			wantPixel(t, "shN_centroids.webp", at, pixel("shN_centroids.webp", at), [4]byte{nearest(m.SHN.Codebook, h[0]), nearest(m.SHN.Codebook, h[8]), nearest(m.SHN.Codebook, h[16]), 255})
		}
	}
	for name, picture := range images {
		size := picture.Rect.Size()
		if name != "shN_centroids.webp" && size != image.Pt(20, 16) {
			t.Errorf("%s: got %v pixels, want 20 x 16", name, size)
		}
	}
	if size := images["shN_centroids.webp"].Rect.Size(); size != image.Pt(64*8, 5) {
		t.Errorf("palette: got %v pixels, want 512 x 5", size)
	}
}

func wantPixel(t *testing.T, name string, i int, got, want [4]byte) {
	t.Helper()
	if got != want {
		t.Errorf("%s, pixel %d: got %d, want %d", name, i, got, want)
	}
}

func TestImageSize_fits_all_pixels(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3, 16, 17, 48, 49, 1000, 1 << 19, 1 << 24} {
		width, height := imageSize(n)
		if width*height < n || width%4 != 0 || height%4 != 0 || height > width || width-height > 4 && n > 16 {
			t.Errorf("size for %d: got %d x %d", n, width, height)
		}
	}
}

func TestNewCodebook_keeps_256_distinct_values_exact(t *testing.T) {
	t.Parallel()
	values := make([]float32, 2*codebookSample)
	for i := range values {
		values[i] = float32(i*i%255) / 255
	}
	values[len(values)-1] = 1 // outside of any sample
	book := newCodebook(values)
	for _, v := range []float32{0, 1, values[16], values[1000]} {
		if got := book.Entries()[book.Index(v)]; got != v {
			t.Errorf("value: got %g, want %g", got, v)
		}
	}
}

func TestDistinctValues_finds_at_most_a_codebook(t *testing.T) {
	t.Parallel()
	minusZero := float32(math.Copysign(0, -1))
	many := make([]float32, 3*codebookSize)
	for i := range many {
		many[i] = float32(i % codebookSize)
	}
	for _, test := range []struct {
		name   string
		values []float32
		want   int
	}{
		{"none", nil, 0},
		{"one", []float32{3, 3, 3}, 1},
		{"both zeros are one", []float32{0, minusZero, 1, minusZero}, 2},
		{"as many as fit", many, codebookSize},
		{"one more", append(many[:len(many):len(many)], 0.5), 0},
	} {
		if got := len(distinctValues(test.values)); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
}

func TestNewCodebook_reaches_the_extremes_of_many_values(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	values := make([]float32, 2*codebookSample+1)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	values[len(values)-1], values[7] = 40, -40
	book := newCodebook(values)
	sum := 0.0
	for _, v := range values {
		e := float64(book.Entries()[book.Index(v)] - v)
		sum += e * e
		if math.Abs(e) > 1 {
			t.Fatalf("value %g: is %g off", v, e)
		}
	}
	if rms := math.Sqrt(sum / float64(len(values))); rms > 0.012 {
		t.Errorf("error: got %.4f, want at most 0.012", rms)
	}
}
