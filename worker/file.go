package worker

import (
	"context"
	"fmt"
	"io"

	"portico/model"
)

// readBuffer is how much of a file is read at a time, in bytes.
const readBuffer = 256 << 10

// processFile reads a large file to its end, so that a completed job means a file that can
// be read. A capture in one file also gets a view, because a file of this size takes viewers
// too long to load.
func (a *attempt) processFile(ctx context.Context) error {
	file, readAt := model.NewFile(a.upload), percentStored
	needsView := a.tools.converts() && file.MayHaveView()
	if needsView {
		readAt = percentPrepared
	}
	if err := a.readWhole(ctx, readAt); err != nil {
		return err
	}
	if needsView {
		if err := a.makeOptionalView(ctx, file); err != nil {
			return err
		}
	}
	return a.complete(ctx, file)
}

// readWhole reads the upload to its end, which is at a percentage of the job's progress. It closes
// the object before the view is made, which may take hours: with S3 an open object is a connection.
func (a *attempt) readWhole(ctx context.Context, readAt float64) error {
	r, err := a.store.Open(ctx, a.upload.StorageKey())
	if err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	defer r.Close() //nolint:errcheck // read only
	total := a.upload.Size
	read := &progressReader{r: r, notify: func(done int64) {
		a.progress.set(percentAt(0, readAt, done, total), model.JobStep{Name: model.JobCheckingFile, Done: done, Total: total})
	}}
	n, err := io.CopyBuffer(writerOnly{io.Discard}, read, make([]byte, readBuffer))
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	// The presigned URL accepts exactly the announced size, so the store is at fault.
	if n != total {
		return fmt.Errorf("%w: it has %d bytes, not %d", errDamagedFile, n, total)
	}
	return nil
}

// writerOnly hides the ReadFrom of io.Discard, which io.CopyBuffer would call instead of
// using the larger buffer.
type writerOnly struct{ io.Writer }

// progressReader calls notify after each read with the number of bytes read so far. notify is
// called on the goroutine that reads.
type progressReader struct {
	r      io.Reader
	done   int64
	notify func(done int64)
}

// Read implements io.Reader.
func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.done += int64(n)
	r.notify(r.done)
	return n, err
}
