package splat

import (
	"context"
	"fmt"
	"io"
)

// bundleMagic begins a SOG bundle, which is a zip (SOG v2, "bundle").
const bundleMagic = "PK\x03\x04"

// Sink takes the files of an archive, one after the other.
type Sink interface {
	// Put stores what r gives under a clean relative name. It must read r to
	// io.EOF and drop the file when r fails; r gives size bytes or an error,
	// never fewer or more. R is not to be used after Put returns.
	Put(ctx context.Context, name string, size int64, r io.Reader) error
}

// Step is how far an extraction has come.
type Step struct {
	// FilesDone of Files are in the sink and have proved right.
	FilesDone, Files int
	// BytesDone of Bytes have been unpacked. At the end the two are equal.
	BytesDone, Bytes int64
}

// Progress is told every step, many times a second: the caller throttles. The
// figures never fall.
type Progress func(Step)

// Extract puts the files of the plan, which must be this archive's own, into
// the sink in the plan's order. On an error the sink holds the files before the
// bad one, never the primary; the caller removes them. A cancelled context
// stops it within one read. Progress may be nil.
func (a *Archive) Extract(ctx context.Context, plan Plan, sink Sink, progress Progress) error {
	x := extraction{archive: a, sink: sink, progress: progress}
	// Both figures come from the plan, so that the sum is right from the start.
	x.step = Step{Files: len(plan.Files), Bytes: plan.Bytes}
	for _, f := range plan.Files {
		if err := x.put(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// Verify reads every file of the archive and stores nothing. It is how a zip
// that is kept whole is known not to be damaged.
func (a *Archive) Verify(ctx context.Context, progress Progress) error {
	return a.Extract(ctx, a.everything(), discard{}, progress)
}

// discard is the sink of Verify.
type discard struct{}

// Put implements Sink.
func (discard) Put(_ context.Context, _ string, _ int64, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// extraction is one run of Extract.
type extraction struct {
	archive  *Archive
	sink     Sink
	progress Progress
	step     Step
}

// put extracts one file.
func (x *extraction) put(ctx context.Context, f File) error {
	r, err := x.archive.open(ctx, f.entry)
	if err != nil {
		return err
	}
	r.notify = x.advance
	content, err := x.content(r, f)
	if err != nil {
		return err
	}
	err = x.sink.Put(ctx, f.Name, f.Size, content)
	switch {
	case r.err != nil && r.err != io.EOF:
		return r.err // nearer to the cause than what the sink made of it
	case err != nil:
		return fmt.Errorf("store %s: %w", f.Name, err)
	case r.err == nil && r.done < f.Size:
		return fmt.Errorf("store %s: %d of %d bytes were taken", f.Name, r.done, f.Size)
	}
	return x.finish(r)
}

// content returns what the sink reads. Of a tile it looks at the first bytes
// before the sink is asked to store anything: the name alone proves nothing.
func (x *extraction) content(r *entryReader, f File) (io.Reader, error) {
	if !f.tile || x.archive.limits.AnyTile {
		return r, nil
	}
	head := &replay{rest: r}
	n, err := io.ReadFull(r, head.head[:])
	if r.err != nil && r.err != io.EOF {
		return nil, r.err
	}
	if err != nil || string(head.head[:n]) != bundleMagic {
		return nil, entryError(f.entry.raw, "is no SOG file, although it is named like one")
	}
	return head, nil
}

// finish counts the file as done. An empty file that the sink had no reason to
// read is read here, for its checks.
func (x *extraction) finish(r *entryReader) error {
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		return err
	}
	x.step.FilesDone++
	x.advance(0)
	return nil
}

// advance reports n more bytes.
func (x *extraction) advance(n int) {
	x.step.BytesDone += int64(n)
	if x.progress != nil {
		x.progress(x.step)
	}
}

// replay gives the bytes that were looked at, then the rest. It saves a buffered
// reader's copy of every byte of every tile.
type replay struct {
	head [len(bundleMagic)]byte
	used int
	rest io.Reader
}

// Read implements io.Reader.
func (r *replay) Read(p []byte) (int, error) {
	if r.used == len(r.head) {
		return r.rest.Read(p)
	}
	n := copy(p, r.head[r.used:])
	r.used += n
	return n, nil
}
