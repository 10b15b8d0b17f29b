package archive

import (
	"context"
	"fmt"
	"io"

	"portico/splat/folder"
	"portico/splat/input"
)

// bundleMagic is the start of a SOG bundle, which is a zip (PlayCanvas, "The SOG
// Format", section Bundled Variant).
const bundleMagic = "PK\x03\x04"

// Step is how much of an archive Extract has stored so far.
type Step struct {
	// FilesDone is the number of files that are written and verified, and Files the total.
	FilesDone, Files int
	// BytesDone is the number of bytes that are unpacked, and Bytes the total.
	BytesDone, Bytes int64
}

// Progress is called after every step, many times a second, so it must be fast. The numbers of
// steps never decrease.
type Progress func(Step)

// Extract writes the files of the plan, which must be a plan of this archive, in the order of the
// plan. After an error the folder contains some of the files, but never the primary one; the caller
// removes them. Extract stops within one read after ctx ends. Progress may be nil. It must not run
// concurrently with another method of the archive, whose window and decompressor it uses.
func (z *Zip) Extract(ctx context.Context, plan Plan, to folder.Writer, progress Progress) error {
	x := extraction{archive: z, to: to, progress: progress}
	// Both totals come from the plan, so that the first step already has them.
	x.step = Step{Files: len(plan.Files), Bytes: plan.Bytes}
	for _, f := range plan.Files {
		if err := x.put(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// Verify reads every file of the archive and stores nothing. The worker calls it before it
// stores a zip as it is, so that a damaged zip is refused.
func (z *Zip) Verify(ctx context.Context, progress Progress) error {
	return z.Extract(ctx, z.allFiles(), discard{}, progress)
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

func (x *extraction) put(ctx context.Context, f File) error {
	r, err := x.archive.open(ctx, f.entry)
	if err != nil {
		return err
	}
	r.onRead = x.advance
	content, err := x.content(r, f)
	if err != nil {
		return err
	}
	err = x.to.Put(ctx, f.Name, f.Size, content)
	switch {
	case r.err != nil && r.err != io.EOF:
		return r.err // the writer's error is only a consequence
	case err != nil:
		return fmt.Errorf("store %s: %w", f.Name, err)
	// A writer that returns without an error must have read everything.
	case r.err == nil && r.done < f.Size:
		return fmt.Errorf("store %s: only %d of %d bytes were read", f.Name, r.done, f.Size)
	}
	return x.finish(r)
}

// content returns the reader for the writer. It checks the first bytes of a tile before the
// writer stores anything, because any file can be named .sog.
func (x *extraction) content(r *entryReader, f File) (io.Reader, error) {
	if !f.tile || x.archive.limits.AnyTile {
		return r, nil
	}
	head := &peekedReader{rest: r}
	n, err := io.ReadFull(r, head.head[:])
	if r.err != nil && r.err != io.EOF {
		return nil, r.err
	}
	if err != nil || string(head.head[:n]) != bundleMagic {
		return nil, input.Errorf(f.entry.raw, "is named .sog but is not a SOG bundle").Advise("Export the capture again and upload the new zip")
	}
	return head, nil
}

// finish counts the file as done. It reads to the end of a file that the writer did
// not read, such as an empty one, so that its checksum is verified.
func (x *extraction) finish(r *entryReader) error {
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		return err
	}
	x.step.FilesDone++
	x.advance(0)
	return nil
}

// advance adds n bytes to the progress and reports it.
func (x *extraction) advance(n int) {
	x.step.BytesDone += int64(n)
	if x.progress != nil {
		x.progress(x.step)
	}
}

// peekedReader returns the bytes of the head, which were already read, and then the other
// bytes. Unlike a bufio.Reader it does not copy every byte of every tile.
type peekedReader struct {
	head [len(bundleMagic)]byte
	used int
	rest io.Reader
}

// Read implements io.Reader.
func (r *peekedReader) Read(p []byte) (int, error) {
	if r.used == len(r.head) {
		return r.rest.Read(p)
	}
	n := copy(p, r.head[r.used:])
	r.used += n
	return n, nil
}
