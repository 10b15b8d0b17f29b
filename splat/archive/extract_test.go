package archive_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"portico/splat/archive"
	"portico/splat/input"
	"portico/splat/splattest"
)

// planCapture opens and plans a capture.
func planCapture(t *testing.T, c splattest.Capture) (*archive.Zip, archive.Plan) {
	t.Helper()
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatalf("WriteTo: %v", err)
	}
	a, err := open(b.Bytes(), archive.DefaultLimits())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	return a, plan
}

// putFunc is a folder.Writer in one function.
type putFunc func(ctx context.Context, name string, size int64, r io.Reader) error

// Put implements folder.Writer.
func (f putFunc) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	return f(ctx, name, size, r)
}

func TestExtract_keeps_every_byte(t *testing.T) {
	t.Parallel()
	c := splattest.Capture{Tiles: 4, TileBytes: 700_001}
	a, plan := planCapture(t, c)
	i := 0
	err := a.Extract(t.Context(), plan, putFunc(func(_ context.Context, name string, size int64, r io.Reader) error {
		got, err := io.ReadAll(r)
		if err != nil || int64(len(got)) != size {
			t.Errorf("%s: got %d bytes, %v, want %d", name, len(got), err, size)
		}
		want := c.ManifestJSON()
		if i < c.Tiles {
			want, _ = io.ReadAll(c.Tile(i))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got other bytes than were packed", name)
		}
		i++
		return nil
	}), nil)
	if err != nil || i != c.Tiles+1 {
		t.Errorf("Extract: got %d files, %v, want %d", i, err, c.Tiles+1)
	}
}

func TestExtract_reports_progress(t *testing.T) {
	t.Parallel()
	a, plan := planCapture(t, splattest.Capture{Tiles: 3, TileBytes: 100_000})
	var last archive.Step
	steps := 0
	err := a.Extract(t.Context(), plan, &memory{}, func(s archive.Step) {
		if s.FilesDone < last.FilesDone || s.BytesDone < last.BytesDone {
			t.Errorf("step: got %+v after %+v, want no figure to fall", s, last)
		}
		last = s
		steps++
	})
	if err != nil {
		t.Fatalf("Extract: %v", err)
	}
	want := archive.Step{FilesDone: 4, Files: 4, BytesDone: plan.Bytes, Bytes: plan.Bytes}
	if last != want {
		t.Errorf("last step: got %+v, want %+v", last, want)
	}
	if steps < 10 {
		t.Errorf("steps: got %d, want some for every file", steps)
	}
}

func TestExtract_stops_when_canceled(t *testing.T) {
	t.Parallel()
	a, plan := planCapture(t, splattest.Capture{Tiles: 2, TileBytes: 4 << 20})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	taken := 0
	err := a.Extract(ctx, plan, putFunc(func(_ context.Context, _ string, _ int64, r io.Reader) error {
		buffer := make([]byte, 1000)
		for {
			n, err := r.Read(buffer)
			taken += n
			if err != nil {
				return err
			}
			cancel()
		}
	}), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Extract: got %v, want %v", err, context.Canceled)
	}
	if taken > 1000 {
		t.Errorf("taken: got %d bytes, want no more than one buffer", taken)
	}
}

func TestPlan_stops_when_canceled(t *testing.T) {
	t.Parallel()
	a, _ := planCapture(t, splattest.Capture{Tiles: 1, TileBytes: 10})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Plan(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Plan: got %v, want %v", err, context.Canceled)
	}
}

func TestExtract_reports_errors_of_the_writer(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	for name, extracted := range map[string]struct {
		put  putFunc
		want string
	}{
		"that fails":        {func(context.Context, string, int64, io.Reader) error { return full }, "store data/3dgs/0.sog: disk full"},
		"that reads little": {func(context.Context, string, int64, io.Reader) error { return nil }, "only 4 of 100 bytes were read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, plan := planCapture(t, splattest.Capture{Tiles: 1, TileBytes: 100})
			err := a.Extract(t.Context(), plan, extracted.put, nil)
			if _, ok := errors.AsType[*input.Error](err); ok || err == nil || !strings.Contains(err.Error(), extracted.want) {
				t.Errorf("got %v, want an internal error with %q", err, extracted.want)
			}
		})
	}
}

// A writer that trusts the size and waits for no io.EOF must not get all of a bad
// file, whatever it makes of the error.
func TestExtract_withholds_the_end_of_a_damaged_file(t *testing.T) {
	t.Parallel()
	body := []byte(tile)
	b := splattest.Zip(
		splattest.Entry{Name: "s.lcc2", Body: []byte("{}")},
		splattest.Entry{Name: "a.sog", Body: body, ChangeCentral: func(h *splattest.Header) { h.CRC++ }},
	)
	a, err := open(b, archive.DefaultLimits())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	err = a.Extract(t.Context(), plan, putFunc(func(_ context.Context, _ string, size int64, r io.Reader) error {
		if n, err := io.ReadFull(r, make([]byte, size)); err == nil {
			t.Errorf("writer: got %d bytes without an error, want the last ones withheld", n)
		}
		return nil
	}), nil)
	wantInputError(t, err, "a.sog", "checksum is wrong")
}

func TestVerify_reads_what_is_kept_whole(t *testing.T) {
	t.Parallel()
	b := splattest.Zip(files("a.glb", "model", "b/c.txt", "text")...)
	b[30+len("a.glb")] ^= 1 // the first byte of the model
	_, extracted, err := unpack(t, b)
	wantInputError(t, err, "a.glb", "checksum is wrong")
	if len(extracted.names) != 0 {
		t.Errorf("files: got %q, want none", extracted.names)
	}
}

func TestVerify_reports_progress(t *testing.T) {
	t.Parallel()
	a, _ := planCapture(t, splattest.Capture{Tiles: 2, TileBytes: 10})
	var last archive.Step
	if err := a.Verify(t.Context(), func(s archive.Step) { last = s }); err != nil {
		t.Fatalf("Verify: %v", err)
	}
	if last.FilesDone != 3 || last.BytesDone != last.Bytes {
		t.Errorf("last step: got %+v, want 3 files and all bytes", last)
	}
}

// A capture is verified in a fixed buffer, however large its tiles are.
func BenchmarkVerify(b *testing.B) {
	var zip bytes.Buffer
	if _, err := (splattest.Capture{Tiles: 64, TileBytes: 512 << 10}).WriteTo(&zip); err != nil {
		b.Fatalf("WriteTo: %v", err)
	}
	b.SetBytes(int64(zip.Len()))
	b.ReportAllocs()
	for b.Loop() {
		a, err := open(zip.Bytes(), archive.DefaultLimits())
		if err != nil {
			b.Fatalf("open: %v", err)
		}
		if err := a.Verify(b.Context(), nil); err != nil {
			b.Fatalf("Verify: %v", err)
		}
	}
}
