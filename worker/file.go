package worker

import (
	"context"
	"fmt"
	"io"

	"portico/model"
)

// readBuffer is how much of a file is read at a time, in bytes.
const readBuffer = 256 << 10

// processFile reads a large file through: what is confirmed can be read, whole. A
// capture that is one file gets a view besides, since nobody wants to load it
// whole.
func (a *attempt) processFile(ctx context.Context) error {
	r, err := a.store.Open(ctx, a.upload.StorageKey())
	if err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	defer r.Close() //nolint:errcheck // read only
	file, total, readAt := model.NewFile(a.upload), a.upload.Size, storedAt
	viewed := a.workspace.converts() && viewable(file)
	if viewed {
		readAt = preparedAt
	}
	read := &progressReader{r: r, notify: func(done int64) {
		message := func() string { return fmt.Sprintf("Checking file: %s of %s", formatBytes(done), formatBytes(total)) }
		a.progress.set(share(0, readAt, done, total), message)
	}}
	n, err := io.CopyBuffer(sinkhole{io.Discard}, read, make([]byte, readBuffer))
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	// The address takes exactly the promised size, so the store has lost some.
	if n != total {
		return model.Invalidf("The stored file is damaged: it has %d of %d bytes", n, total)
	}
	if viewed {
		if err := a.addView(ctx, file); err != nil {
			return err
		}
	}
	return a.complete(ctx, file)
}

// sinkhole hides that io.Discard can read by itself, in small pieces.
type sinkhole struct{ io.Writer }

// progressReader reports how many bytes were read.
type progressReader struct {
	r      io.Reader
	done   int64
	notify func(done int64)
}

// Read implements io.Reader.
func (c *progressReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.done += int64(n)
	c.notify(c.done)
	return n, err
}

// formatBytes writes a number of bytes for people.
func formatBytes(bytes int64) string {
	const mb, gb = 1e6, 1e9
	if bytes < gb {
		return fmt.Sprintf("%.0f MB", float64(bytes)/mb)
	}
	return fmt.Sprintf("%.2f GB", float64(bytes)/gb)
}
