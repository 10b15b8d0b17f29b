package lcc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/lcc"
	"portico/splat/splattest"
)

func TestRead_reads_neighbours_together(t *testing.T) {
	t.Parallel()
	truth := splattest.LCCCapture{Splats: 20_000, Levels: 2, Columns: 2}
	shuffled := numbers(0, 6000)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for name, test := range map[string]struct {
		numbers []uint32
		reads   int
	}{
		"nothing":          {nil, 0},
		"one":              {[]uint32{7}, 1},
		"one often":        {[]uint32{7, 7, 7}, 1},
		"with gaps":        {[]uint32{900, 700, 500, 701}, 1},
		"far apart":        {[]uint32{9000, 0}, 2},
		"in any order":     {shuffled, 1},
		"of several units": {[]uint32{19_999, 9999, 10_000, 0}, 4}, // another level lies between
		"more than fits":   {numbers(0, 10_000), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &watched{Reader: folder.Memory(truth.Memory())}
			c := open(t, w)
			opened := w.reads
			cloud := &gaussian.Cloud{}
			if err := c.Read(t.Context(), 0, test.numbers, cloud); err != nil {
				t.Fatal(err)
			}
			if got, want := w.reads-opened, test.reads; got != want {
				t.Errorf("reads: got %d, want %d", got, want)
			}
			for i, n := range test.numbers {
				if i%100 == 0 {
					wantSplat(t, cloud, i, truth.Splat(0, int(n)))
				}
			}
		})
	}
}

// Units of a few splats are not read one by one.
func TestPositions_reads_small_units_together(t *testing.T) {
	t.Parallel()
	truth := splattest.LCCCapture{Splats: 10_000, Levels: 2, Columns: 30, Rows: 30}
	w := &watched{Reader: folder.Memory(truth.Memory())}
	c := open(t, w)
	opened, reports := w.reads, []int{}
	if err := c.Positions(t.Context(), 1, make([]float32, 3*5000), func(done int) { reports = append(reports, done) }); err != nil {
		t.Fatal(err)
	}
	if got, want := w.reads-opened, 1; got != want {
		t.Errorf("reads: got %d, want %d", got, want)
	}
	if !slices.IsSorted(reports) || len(reports) == 0 || reports[len(reports)-1] != 5000 {
		t.Errorf("progress: got %v, want it to rise to 5000", reports)
	}
}

func TestPositions_of_a_unit_larger_than_a_block(t *testing.T) {
	t.Parallel()
	const splats = 40_000 // 1.2 MiB
	truth := splattest.LCCCapture{Splats: splats}
	c := open(t, folder.Memory(truth.Memory()))
	p, calls := make([]float32, 3*splats), 0
	if err := c.Positions(t.Context(), 0, p, func(int) { calls++ }); err != nil {
		t.Fatal(err)
	}
	if calls < 2 {
		t.Errorf("progress: got %d calls, want some", calls)
	}
	for i := 0; i < splats; i += 997 {
		want := truth.Splat(0, i).Position
		if got := [3]float32(p[3*i:]); got != [3]float32{want[0], -want[2], want[1]} {
			t.Errorf("position %d: got %v, want the position of %v", i, got, want)
		}
	}
}

// Splats without a position keep their number, are not seen and are marked as left out.
func TestCapture_hides_splats_without_a_position(t *testing.T) {
	t.Parallel()
	truth := splattest.LCCCapture{Splats: 5000, Columns: 2}
	files := truth.Memory()
	for number, bad := range map[int]float64{17: math.NaN(), 4000: math.Inf(1)} {
		binary.LittleEndian.PutUint32(files["data.bin"][32*number+8:], math.Float32bits(float32(bad)))
	}
	c := open(t, folder.Memory(files))
	p := make([]float32, 3*5000)
	if err := c.Positions(t.Context(), 0, p, nil); err != nil {
		t.Fatal(err)
	}
	cloud := &gaussian.Cloud{}
	if err := c.Read(t.Context(), 0, []uint32{16, 17, 4000}, cloud); err != nil {
		t.Fatal(err)
	}
	wantSplat(t, cloud, 0, truth.Splat(0, 16))
	low, _ := truth.Bounds()
	corner := [3]float32{float32(low[0]), -float32(low[2]), float32(low[1])}
	next := [3]float32{corner[0] + 10, corner[1], corner[2]}
	for i, want := range map[int][3]float32{1: corner, 2: next} {
		if got := [3]float32(cloud.Positions[3*i:]); got != want || cloud.Opacities[i] != 0 {
			t.Errorf("hidden splat: got %v with opacity %g, want %v with 0", got, cloud.Opacities[i], want)
		}
	}
	for number := range 5000 {
		if got, want := gaussian.IsLeftOut(p[3*number:]), number == 17 || number == 4000; got != want {
			t.Errorf("position %d left out: got %t, want %t", number, got, want)
		}
	}
}

func TestCapture_limits_scales_of_zero(t *testing.T) {
	t.Parallel()
	files := splattest.LCCCapture{Splats: 1}.Memory()
	copy(files["data.bin"][16:22], make([]byte, 6))
	cloud := &gaussian.Cloud{}
	if err := open(t, folder.Memory(files)).Read(t.Context(), 0, []uint32{0}, cloud); err != nil {
		t.Fatal(err)
	}
	// The range of z starts at zero.
	if got, want := cloud.Scales[2], float32(math.Log(1e-12)); got != want {
		t.Errorf("scale: got %g, want %g", got, want)
	}
}

// No code of a rotation, even one that no exporter writes, gives anything but a
// unit quaternion.
func TestRead_gives_unit_quaternions(t *testing.T) {
	t.Parallel()
	const splats = 5000
	files := splattest.LCCCapture{Splats: splats}.Memory()
	r := rand.New(rand.NewPCG(5, 5))
	for i := range splats {
		binary.LittleEndian.PutUint32(files["data.bin"][32*i+22:], r.Uint32())
	}
	cloud := &gaussian.Cloud{}
	if err := open(t, folder.Memory(files)).Read(t.Context(), 0, numbers(0, splats), cloud); err != nil {
		t.Fatal(err)
	}
	for i := range splats {
		sum := 0.0
		for _, v := range cloud.Rotations[4*i : 4*i+4] {
			sum += float64(v) * float64(v)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Fatalf("squared length of %d: got %g, want 1", i, sum)
		}
	}
}

func TestCapture_refuses_levels_and_numbers_out_of_range(t *testing.T) {
	t.Parallel()
	c := open(t, folder.Memory(splattest.LCCCapture{Splats: 10}.Memory()))
	cloud := &gaussian.Cloud{}
	for name, err := range map[string]error{
		"a splat": c.Read(t.Context(), 0, []uint32{0, 10}, cloud),
		"a level": c.Read(t.Context(), 1, nil, cloud),
		"none":    c.Positions(t.Context(), -1, nil, nil),
	} {
		if _, ok := errors.AsType[*input.Error](err); ok || err == nil {
			t.Errorf("%s: got %v, want an error that does not blame the file", name, err)
		}
	}
}

func TestCapture_stops_when_canceled(t *testing.T) {
	t.Parallel()
	files := folder.Memory(splattest.LCCCapture{Splats: 10, Environment: 1}.Memory())
	c := open(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cloud := &gaussian.Cloud{}
	_, opening := lcc.Open(ctx, files, splattest.LCCManifest)
	for name, err := range map[string]error{
		"Open":        opening,
		"Read":        c.Read(ctx, 0, []uint32{1}, cloud),
		"Positions":   c.Positions(ctx, 0, make([]float32, 30), nil),
		"Environment": c.Environment(ctx, cloud),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %v", name, err, context.Canceled)
		}
	}
}

// Storage that fails is not the user's fault, wherever it fails.
func TestRead_error_is_not_reported_as_damage(t *testing.T) {
	t.Parallel()
	files := splattest.LCCCapture{Splats: 100, Levels: 2, Harmonics: true, Environment: 2}.Memory()
	all := &watched{Reader: folder.Memory(files)}
	if err := readAll(t.Context(), all, splattest.LCCManifest); err != nil || all.reads < 6 {
		t.Fatalf("read all: got %v after %d reads, want nil after some", err, all.reads)
	}
	for failAt := 1; failAt <= all.reads; failAt++ {
		for _, short := range []bool{false, true} {
			t.Run(fmt.Sprintf("read %d, short %v", failAt, short), func(t *testing.T) {
				t.Parallel()
				w := &watched{Reader: folder.Memory(files), failAt: failAt, short: short}
				err := readAll(t.Context(), w, splattest.LCCManifest)
				if _, ok := errors.AsType[*input.Error](err); ok || err == nil {
					t.Errorf("got %v, want an error of ours", err)
				}
				if !short && !errors.Is(err, errStorage) {
					t.Errorf("got %v, want it to wrap %v", err, errStorage)
				}
			})
		}
	}
}

// Every truncation is an error about the user's file.
func TestRead_reports_every_truncation(t *testing.T) {
	t.Parallel()
	whole := splattest.LCCCapture{Splats: 6, Levels: 2, Columns: 2, Harmonics: true, Environment: 2}.Memory()
	for name, content := range whole {
		for n := range content {
			files := folder.Memory{}
			for other, b := range whole {
				files[other] = b
			}
			files[name] = bytes.Clone(content[:n])
			err := readAll(t.Context(), files, splattest.LCCManifest)
			harmless := name == "environment.bin" && n%96 == 0
			if _, ok := errors.AsType[*input.Error](err); !ok && !harmless {
				t.Errorf("first %d of %d bytes of %s: got %v, want an input.Error", n, len(content), name, err)
			}
		}
	}
}

func TestRead_accepts_numbers_in_any_order(t *testing.T) {
	t.Parallel()
	// There are more numbers than one digit of the radix sort has values.
	truth := splattest.LCCCapture{Splats: 20_000, Levels: 1, Columns: 5, Rows: 3}
	c := open(t, folder.Memory(truth.Memory()))
	r := rand.New(rand.NewPCG(1, 1))
	order := make([]uint32, 3*20_000)
	for i := range order {
		order[i] = uint32(r.IntN(20_000))
	}
	cloud := &gaussian.Cloud{}
	if err := c.Read(t.Context(), 0, order, cloud); err != nil {
		t.Fatalf("read: %v", err)
	}
	for i, n := range order {
		wantSplat(t, cloud, i, truth.Splat(0, int(n)))
	}
}
