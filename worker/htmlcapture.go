package worker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"portico/model"
	"portico/splat"
	"portico/splat/archive"
	"portico/splat/folder"
	"portico/storage"
)

// htmlExtension is the extension of HTML pages that a viewer exported with its capture inside.
const htmlExtension = ".html"

// htmlBuffer is how much of a capture in a page is decoded at a time, in bytes. Each piece is
// one request to a remote store.
const htmlBuffer = 1 << 20

// processHTML replaces an uploaded HTML page by the capture in it.
func (a *attempt) processHTML(ctx context.Context) error {
	a.progress.set(0, model.JobStep{Name: model.JobReadingPage})
	file, size, err := a.store.OpenReaderAt(ctx, a.upload.StorageKey())
	if err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	defer file.Close() //nolint:errcheck // read only
	name := strings.TrimPrefix(path.Base(a.upload.ResourceKey), a.upload.ID+"_")
	return a.storeHTMLCapture(ctx, storedHTML{file, size}, name)
}

// storeZippedHTML stores the capture in the only HTML page of a zip that has one. The page is
// unpacked to the temporary folder, because the capture may be anywhere in it.
func (a *attempt) storeZippedHTML(ctx context.Context, zip *archive.Zip, plan archive.Plan) error {
	work, err := a.tools.open()
	if err != nil {
		return err
	}
	// The unpacked page counts in no quota, so the free space on the disk is checked instead.
	if err := work.checkFreeSpace(plan.Bytes); err != nil {
		return err
	}
	into, err := a.tools.subfolder("in")
	if err != nil {
		return err
	}
	if err := extractTo(ctx, into, zip, plan, a.reportSteps(model.JobExtractingZip, percentOpened, percentArchiveRead)); err != nil {
		return err
	}
	local, err := folder.OpenLocal(into)
	if err != nil {
		return fmt.Errorf("open a temporary folder: %w", err)
	}
	defer local.Close() //nolint:errcheck // read only
	page, err := local.Open(ctx, plan.Primary)
	if err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	defer page.Close() //nolint:errcheck // read only
	return a.storeHTMLCapture(ctx, page, plan.Primary)
}

// storeHTMLCapture stores the capture in a page as if it had been uploaded without the page, and
// completes the job. The page itself is not kept. The capture is decoded while it is stored, so it
// is never on this machine as a file.
func (a *attempt) storeHTMLCapture(ctx context.Context, page folder.File, name string) error {
	embedded, err := splat.ExtractCapture(ctx, page, name)
	if err != nil {
		return err
	}
	found := embedded.Content
	if embedded.Settings != nil {
		a.settings = storableSettings(embedded.Settings)
	}
	a.sizeClause = "the capture in the page has"
	// The transaction of complete checks the quota again. This check saves storing a capture
	// that it would refuse.
	if err := checkQuota(ctx, a.db, a.upload, found.Size(), a.sizeClause); err != nil {
		return err
	}
	// The capture is stored under a key of its own, so that complete removes the page.
	file := model.NewFile(a.upload)
	file.ResourceKey = a.upload.ExtractedRoot() + strings.TrimSuffix(name, path.Ext(name)) + embedded.Extension
	file.ContentType, file.Size = storage.MediaType(file.ResourceKey), found.Size()
	inOrder := bufio.NewReaderSize(io.NewSectionReader(found, 0, file.Size), htmlBuffer)
	content := &progressReader{r: inOrder, notify: func(done int64) {
		step := model.JobStep{Name: model.JobUnpackingPage, Done: done, Total: file.Size}
		a.progress.set(percentAt(percentOpened, percentPrepared, done, file.Size), step)
	}}
	if _, err := a.store.Put(ctx, file.StorageKey(), content); err != nil {
		return fmt.Errorf("store the capture in a page: %w", err)
	}
	return a.completeWithView(ctx, file)
}

// storedHTML is an uploaded HTML page as a file.
type storedHTML struct {
	storage.ReaderAtCloser
	size int64
}

// Size implements folder.File.
func (p storedHTML) Size() int64 { return p.size }
