package sog_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/sog"
)

func TestWrite_is_the_same_with_any_workers(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(capture(50, 1, 3), capture(2000, 1, 1), capture(1000, 1, 2))
	written := [2]*recordingFolder{newRecordingFolder(), newRecordingFolder()}
	for i, workers := range []int{1, 3} {
		if _, err := sog.WriteDivided(t.Context(), source, written[i], sog.Options{Workers: workers}, 1000, 300); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(written[0].names, written[1].names) || !maps.EqualFunc(written[0].Memory, written[1].Memory, bytes.Equal) {
		t.Error("files: differ between one worker and three")
	}
}

func TestWrite_reports_progress(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(capture(50, 0, 3), capture(2000, 1, 1), capture(1000, 1, 2))
	for _, form := range forms() {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			var last, first int64
			messages := map[string]bool{}
			form.write(t, source, sog.Options{Progress: func(done, total int64, message string) {
				if first == 0 {
					first = total
				}
				if done < last || done > total || total != first {
					t.Errorf("progress: %d of %d after %d of %d", done, total, last, first)
				}
				last = done
				messages[message] = true
			}})
			if last != first || first == 0 {
				t.Errorf("progress: ended at %d of %d", last, first)
			}
			if want := "Encoding level 0, chunk 2 of 3"; form.name == "streamed" && !messages[want] {
				t.Errorf("messages: got %v, want %q among them", messages, want)
			}
		})
	}
}

func TestWrite_stops_when_canceled(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(capture(50, 0, 3), capture(2000, 1, 1), capture(1000, 1, 2))
	// Count the calls, and then cancel at several of them.
	calls := 0
	write := func(ctx context.Context, progress func()) error {
		o := sog.Options{Progress: func(int64, int64, string) { progress() }}
		written := newRecordingFolder()
		_, err := sog.WriteDivided(ctx, source, written, o, 1000, 300)
		if _, whole := written.Memory["lod-meta.json"]; whole && err != nil {
			t.Error("an index was written for an incomplete capture")
		}
		return err
	}
	if err := write(t.Context(), func() { calls++ }); err != nil {
		t.Fatal(err)
	}
	for at := 1; at < calls-4; at += 1 + calls/12 {
		ctx, cancel := context.WithCancel(t.Context())
		call := 0
		err := write(ctx, func() {
			if call++; call == at {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at call %d of %d: got %v, want %v", at, calls, err, context.Canceled)
		}
		cancel()
	}
}

func TestWrite_refuses_captures_without_Gaussians(t *testing.T) {
	t.Parallel()
	lost := capture(100, 0, 1)
	for i := range 91 {
		lost.Positions[3*i+i%3] = float32([]float64{math.NaN(), math.Inf(1)}[i%2])
	}
	writes := map[string]func(gaussian.Source) error{
		"bundle": func(s gaussian.Source) error {
			_, err := sog.WriteBundle(t.Context(), s, io.Discard, sog.Options{})
			return err
		},
		"folder": func(s gaussian.Source) error {
			_, err := sog.WriteFolder(t.Context(), s, newRecordingFolder(), sog.Options{})
			return err
		},
		"streamed": func(s gaussian.Source) error {
			_, err := sog.WriteStreamed(t.Context(), s, newRecordingFolder(), sog.Options{})
			return err
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantInputError(t, write(gaussian.NewMemorySource(nil)), "has no Gaussians")
			wantInputError(t, write(gaussian.NewMemorySource(nil, &gaussian.Cloud{})), "has no Gaussians")
			wantInputError(t, write(gaussian.NewMemorySource(nil, lost)), "too many broken Gaussians: 91 of 100")
		})
	}
}

func TestWrite_sanitises_values(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	c := capture(2000, 1, 1)
	c.Positions[0] = inf
	c.Rotations[5], c.Scales[3], c.Scales[4], c.Scales[5] = nan, -inf, inf, nan
	c.Opacities[2], c.Opacities[3], c.Opacities[4] = nan, -1, 2
	c.Harmonics[9], c.Harmonics[10] = nan, inf
	reader, result := writeBundle(t, gaussian.NewMemorySource(nil, c), sog.Options{})
	if result.Dropped != 1 || result.Levels[0] != 1999 {
		t.Errorf("result: dropped %d of %d, want 1 of 2000", result.Dropped, result.Levels[0]+result.Dropped)
	}
	got := readAll(t, reader, 0)
	for what, values := range map[string][]float32{
		"positions": got.Positions, "rotations": got.Rotations, "scales": got.Scales, "colours": got.Colours,
		"opacities": got.Opacities, "harmonics": got.Harmonics,
	} {
		for i, v := range values {
			if v-v != 0 {
				t.Errorf("%s: value %d is %g", what, i, v)
			}
		}
	}
	for i := range got.Len() {
		switch originalIndex(got, i) {
		case 1:
			if diff := cmp.Diff([]float32{-30, 30, 0}, got.Scales[3*i:3*i+3]); diff != "" {
				t.Errorf("scales: %s", diff)
			}
		case 2, 3:
			if got.Opacities[i] != 0 {
				t.Errorf("opacity: got %g, want 0", got.Opacities[i])
			}
		case 4:
			if got.Opacities[i] != 1 {
				t.Errorf("opacity: got %g, want 1", got.Opacities[i])
			}
		}
	}
}

// Broken Gaussians must not widen the bounds or take entries of a codebook.
func TestWriteBundle_is_the_same_without_broken_Gaussians(t *testing.T) {
	t.Parallel()
	const n, broken = 1000, 7
	with, without := capture(n, 0, 1), &gaussian.Cloud{}
	without.Resize(n-broken, 0)
	for i := range n {
		if i >= broken {
			without.Set(i-broken, with, i)
			continue
		}
		with.Scales[3*i], with.Colours[3*i] = 20, 900
		gaussian.LeaveOut(with.Positions[3*i:])
	}
	var got, want bytes.Buffer
	result, err := sog.WriteBundle(t.Context(), gaussian.NewMemorySource(nil, with), &got, sog.Options{})
	if err != nil || result.Dropped != broken || result.Levels[0] != n-broken {
		t.Fatalf("got %+v and %v", result, err)
	}
	if _, err := sog.WriteBundle(t.Context(), gaussian.NewMemorySource(nil, without), &want, sog.Options{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("got another file than without the broken Gaussians")
	}
}

func TestWrite_limits_the_degree(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(nil, capture(100, 3, 1))
	for maxDegree, want := range map[int]int{-1: 0, 0: 3, 1: 1, 2: 2, 3: 3, 9: 3} {
		reader, _ := writeBundle(t, source, sog.Options{MaxDegree: maxDegree})
		if got := reader.Degree(); got != want {
			t.Errorf("degree with at most %d: got %d, want %d", maxDegree, got, want)
		}
		// The palette is exact up to its bytes, and coefficients are not mixed up.
		got, from := readAll(t, reader, 0), readAll(t, source, 0)
		n := gaussian.Coefficients(want)
		for i := range got.Len() {
			k := originalIndex(got, i)
			for m := range 3 * n {
				a, b := got.Harmonics[3*n*i+m], from.Harmonics[45*k+m/n*15+m%n]
				if math.Abs(float64(a-b)) > 0.01 {
					t.Fatalf("degree %d, coefficient %d: got %g, want %g", want, m, a, b)
				}
			}
		}
	}
}

// fullDisk is a folder and a writer that fail after a number of writes.
type fullDisk struct{ remaining int }

var errFull = errors.New("disk is full")

// Put implements folder.Writer.
func (f *fullDisk) Put(context.Context, string, int64, io.Reader) error {
	if f.remaining--; f.remaining < 0 {
		return errFull
	}
	return nil
}

// Write implements io.Writer.
func (f *fullDisk) Write(p []byte) (int, error) {
	if f.remaining--; f.remaining < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// lostSource is a source whose medium has failed.
type lostSource struct{ *gaussian.MemorySource }

var errGone = errors.New("connection reset")

// Read implements gaussian.Source.
func (lostSource) Read(context.Context, int, []uint32, *gaussian.Cloud) error { return errGone }

func TestWrite_returns_errors_of_media(t *testing.T) {
	t.Parallel()
	source := gaussian.NewMemorySource(capture(10, 0, 2), capture(10, 0, 1))
	for after := range 12 {
		if _, err := sog.WriteStreamed(t.Context(), source, &fullDisk{after}, sog.Options{}); !errors.Is(err, errFull) {
			t.Errorf("after %d files: got %v, want %v", after, err, errFull)
		}
	}
	if _, err := sog.WriteBundle(t.Context(), source, &fullDisk{}, sog.Options{}); !errors.Is(err, errFull) {
		t.Errorf("bundle: got %v, want %v", err, errFull)
	}
	for name, err := range map[string]error{
		"streamed": errorOf(sog.WriteStreamed(t.Context(), lostSource{source}, newRecordingFolder(), sog.Options{})),
		"folder":   errorOf(sog.WriteFolder(t.Context(), lostSource{source}, newRecordingFolder(), sog.Options{})),
	} {
		var fault *input.Error
		if !errors.Is(err, errGone) || errors.As(err, &fault) {
			t.Errorf("%s: got %v, want %v", name, err, errGone)
		}
	}
}

func errorOf(_ sog.Result, err error) error { return err }
