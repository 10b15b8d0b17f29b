package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"sync"
	"sync/atomic"

	"portico/splat"
	"portico/storage"
)

const (
	// smallFile is the maximum size of a small file, in bytes. Files are read into memory to be
	// stored at the same time.
	smallFile = 32 << 10
	// maxSmallPuts is the maximum number of small files that are being stored. A store
	// takes milliseconds for a file of any size, most of them waiting for the disk or
	// for the network.
	maxSmallPuts = 32
	// mediumFile is the maximum size of a medium file, such as a tile of a capture. Few of them are
	// stored at the same time, because of the memory: enough that the next one is read and
	// decompressed meanwhile.
	mediumFile    = 1 << 20
	maxMediumPuts = 4
)

// uploadFolder stores extracted files below the upload's folder. It stores small and medium files
// concurrently and large ones one by one. Call wait and then commit after the last file.
//
// Only Put of one goroutine at a time is allowed, as folder.Writer requires. The memory is at most
// maxSmallPuts small and maxMediumPuts medium files, and one that waits for a slot.
type uploadFolder struct {
	batch storage.Batch
	root  string
	// primary is stored after all other files, so that a reader who finds it also finds all
	// files that it names.
	primary string

	small, medium *putSlots
	running       sync.WaitGroup
	// pending is the number of files that Put has accepted and not stored yet.
	pending atomic.Int64

	mu  sync.Mutex
	err error // the first error of a file that was stored concurrently
}

// newUploadFolder returns the folder for the files of an archive below the key root.
func newUploadFolder(store storage.Store, root, primary string) *uploadFolder {
	return &uploadFolder{
		batch: storage.NewBatch(store), root: root, primary: primary,
		small: newPutSlots(maxSmallPuts), medium: newPutSlots(maxMediumPuts),
	}
}

// putSlots limits how many files of about one size are stored at a time, and keeps their buffers.
type putSlots struct {
	slots chan struct{} // one for each file
	// contents has the *bytes.Buffer of the last files: a new one for each file would have to be
	// cleared.
	contents sync.Pool
}

// newPutSlots returns the slots of up to n files at a time.
func newPutSlots(n int) *putSlots {
	return &putSlots{slots: make(chan struct{}, n), contents: sync.Pool{New: func() any { return new(bytes.Buffer) }}}
}

// content returns an empty buffer for a file of this size.
func (p *putSlots) content(size int64) *bytes.Buffer {
	content := p.contents.Get().(*bytes.Buffer)
	content.Reset()
	capacity := int(size) + bytes.MinRead // with less than MinRead free, ReadFrom would grow it
	if content.Cap() < capacity {
		// Grow would double a buffer that is too small, and so exceed the memory of uploadFolder.
		return bytes.NewBuffer(make([]byte, 0, capacity))
	}
	return content
}

// Put implements folder.Writer. It returns before a small or medium file is stored, and then a
// later call or wait returns the file's error.
func (u *uploadFolder) Put(ctx context.Context, name string, size int64, r io.Reader) error {
	if name == u.primary {
		if err := u.wait(); err != nil {
			return err
		}
	}
	if name == u.primary || size > mediumFile {
		return u.put(ctx, name, r)
	}
	slots := u.medium
	if size <= smallFile {
		slots = u.small
	}
	content := slots.content(size)
	if _, err := content.ReadFrom(r); err != nil {
		return err
	}
	// A slot is taken before the goroutine starts, so Put waits while all slots are in use.
	select {
	case slots.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := u.firstError(); err != nil {
		<-slots.slots
		return err
	}
	u.pending.Add(1)
	u.running.Go(func() {
		defer func() { <-slots.slots }()
		if err := u.put(ctx, name, bytes.NewReader(content.Bytes())); err != nil {
			u.fail(fmt.Errorf("store %s: %w", name, err))
		}
		slots.contents.Put(content)
		u.pending.Add(-1)
	})
	return nil
}

// wait waits for the files that are being stored and returns the first error.
func (u *uploadFolder) wait() error {
	u.running.Wait()
	return u.firstError()
}

// commit returns when all files survive a loss of power. Call it after wait.
func (u *uploadFolder) commit() error { return u.batch.Commit() }

// close removes what commit has not stored. Call it after wait.
func (u *uploadFolder) close() error { return u.batch.Close() }

// put stores one file.
func (u *uploadFolder) put(ctx context.Context, name string, r io.Reader) error {
	_, err := u.batch.Put(ctx, path.Join(u.root, name), r)
	if errors.Is(err, storage.ErrInvalidKey) {
		// The name is within the archive's limits, but too long below our folder.
		return &splat.InputError{File: name, Message: "has a path that is too long to store", Advice: "Rename its folders and create the zip again"}
	}
	return err
}

// fail records the first error of a file that was stored concurrently.
func (u *uploadFolder) fail(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil {
		u.err = err
	}
}

// firstError returns the first error of such a file so far, or nil.
func (u *uploadFolder) firstError() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}
