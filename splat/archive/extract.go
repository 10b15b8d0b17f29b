package archive

import (
	"context"
	"fmt"
	"io"

	"portico/splat/folder"
)

// bundleMagic begins a SOG bundle, which is a zip (SOG v2, "bundle").
const bundleMagic = "PK\x03\x04"

// Step is how far an extraction has come.
type Step struct {
	// FilesDone of Files are written and verified.
	FilesDone, Files int
	// BytesDone of Bytes have been unpacked. At the end the two are equal.
	BytesDone, Bytes int64
}

// Progress is told every step, many times a second: the caller throttles. The
// figures never fall.
type Progress func(Step)

// Extract writes the files of the plan, which must come from this archive, in the
// order of the plan. After an error the folder holds the files before the faulty
// one, never the primary; the caller removes them. A cancelled context stops it
// within one read. Progress may be nil.
func (a *Zip) Extract(ctx context.Context, plan Plan, to folder.Writer, progress Progress) error {
	x := extraction{archive: a, to: to, progress: progress}
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
func (a *Zip) Verify(ctx context.Context, progress Progress) error {
	return a.Extract(ctx, a.everything(), discard{}, progress)
}

// discard is the folder that Verify writes to.
type discard struct{}

// Put implements folder.Writer.
func (discard) Put(_ context.Context, _ string, _ int64, r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// extraction is one run of Extract.
type extraction struct {
	archive  *Zip
	to       folder.Writer
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
	err = x.to.Put(ctx, f.Name, f.Size, content)
	switch {
	case r.err != nil && r.err != io.EOF:
		return r.err // nearer to the cause than the error of the writer
	case err != nil:
		return fmt.Errorf("store %s: %w", f.Name, err)
	case r.err == nil && r.done < f.Size:
		return fmt.Errorf("store %s: %d of %d bytes were taken", f.Name, r.done, f.Size)
	}
	return x.finish(r)
}

// content returns what the writer reads. Of a tile it looks at the first bytes
// before the writer stores anything: the name alone proves nothing.
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

// finish counts the file as done. An empty file that the writer had no reason to
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
