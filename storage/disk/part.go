package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"portico/model"
	"portico/storage"
)

// The parts of an object are written into one file, each at its place, so that nothing is copied in
// the end. A small file beside it, the mark, has how many bytes of a part have arrived: a decimal
// number, padded with spaces to markDigits. The bytes are synced before the mark, so after a crash
// the mark never counts bytes that are lost.

const (
	// The mark is written after markBytes of a part or after markInterval, whichever comes first. A
	// process that is killed loses what came after the mark, and the client sends that again.
	markBytes    = 32 << 20
	markInterval = time.Second
	// markDigits is the length of a mark. All marks are equally long, so that one write replaces
	// another.
	markDigits = 20
)

// partsFolder returns the folder with the marks of an object.
func partsFolder(key string) string { return partialName(key) + ".parts" }

// markName returns the file with the mark of a part. The offset of a part is unique in its object.
func markName(key string, part model.UploadPart) string {
	return partsFolder(key) + "/" + strconv.FormatInt(part.Offset, 10)
}

// StartParts implements storage.Store.
func (d *Store) StartParts(_ context.Context, key string) error {
	if err := storage.CheckKey(key); err != nil {
		return err
	}
	file, err := d.root.OpenFile(partialName(key), os.O_RDWR|os.O_CREATE, 0o640)
	if err == nil {
		err = errors.Join(file.Close(), d.root.MkdirAll(partsFolder(key), 0o750))
	}
	if err != nil {
		return fmt.Errorf("start the parts of %s: %w", key, storage.WrapFull(err))
	}
	return nil
}

// AppendPart implements storage.Store. The bytes are synced before the mark counts them.
func (d *Store) AppendPart(ctx context.Context, key string, part model.UploadPart, offset int64, r io.Reader) (int64, error) {
	if err := storage.CheckKey(key); err != nil {
		return 0, err
	}
	stored, err := d.appendPart(ctx, key, part, offset, r)
	if err != nil {
		return stored, fmt.Errorf("append to a part of %s: %w", key, err)
	}
	return stored, nil
}

// appendPart locks the mark of the part, so that only one request writes the part, and writes the
// bytes in spans. Each span ends with a new mark.
func (d *Store) appendPart(ctx context.Context, key string, part model.UploadPart, offset int64, r io.Reader) (stored int64, err error) {
	mark, appended, err := d.openMark(key, part, os.O_CREATE)
	if err != nil {
		return 0, wrapNotFound(storage.WrapFull(err))
	}
	defer closeAndUnlock(mark) //nolint:errcheck // synced by writeMark
	if appended != offset {
		return 0, fmt.Errorf("%w: %d", storage.ErrOffset, appended)
	}
	return d.fillPart(ctx, mark, key, part, offset, r)
}

// fillPart writes the bytes of a part from an offset on. Its mark is locked.
func (d *Store) fillPart(ctx context.Context, mark *os.File, key string, part model.UploadPart, offset int64, r io.Reader) (stored int64, err error) {
	file, err := d.root.OpenFile(partialName(key), os.O_RDWR, 0)
	if err != nil {
		return 0, wrapNotFound(err)
	}
	defer file.Close() //nolint:errcheck // synced by writeMark
	if _, err := file.Seek(part.Offset+offset, io.SeekStart); err != nil {
		return 0, err
	}
	in := &incoming{disk: d, file: file}
	for err == nil {
		span := &markSpan{reader: r, left: min(markBytes, part.Size-offset-stored), end: time.Now().Add(markInterval)}
		var n int64
		n, err = in.fill(ctx, span)
		if markErr := writeMark(file, mark, offset+stored+n); markErr != nil {
			return stored, errors.Join(err, storage.WrapFull(markErr))
		}
		if stored += n; span.sourceEnded || offset+stored == part.Size {
			break
		}
	}
	return stored, err
}

// PutPart implements storage.Store. The part has no bytes, by its mark, while the first ones of the
// new content are written over them.
func (d *Store) PutPart(ctx context.Context, key string, part model.UploadPart, r io.Reader) error {
	if err := storage.CheckKey(key); err != nil {
		return err
	}
	if err := d.putPart(ctx, key, part, r); err != nil {
		return fmt.Errorf("store a part of %s: %w", key, err)
	}
	return nil
}

func (d *Store) putPart(ctx context.Context, key string, part model.UploadPart, r io.Reader) error {
	mark, appended, err := d.openMark(key, part, os.O_CREATE)
	if err != nil {
		return wrapNotFound(storage.WrapFull(err))
	}
	defer closeAndUnlock(mark) //nolint:errcheck // synced by writeMark
	if appended > 0 {
		if err := setMark(mark, 0); err != nil {
			return storage.WrapFull(err)
		}
	}
	stored, err := d.fillPart(ctx, mark, key, part, 0, r)
	if err == nil && stored != part.Size {
		err = fmt.Errorf("%w: %d of %d bytes", storage.ErrIncomplete, stored, part.Size)
	}
	return err
}

// markSpan reads what arrives between two marks. It returns io.EOF at the end of the span, so that
// incoming.fill returns and the bytes can be synced.
type markSpan struct {
	reader io.Reader
	// left is the number of bytes before the next mark, and end its time.
	left int64
	end  time.Time
	// sourceEnded reports whether reader returned io.EOF, and not only the span ended.
	sourceEnded bool
}

// Read implements io.Reader.
func (s *markSpan) Read(p []byte) (int, error) {
	if s.left <= 0 || !time.Now().Before(s.end) {
		return 0, io.EOF
	}
	n, err := s.reader.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	s.sourceEnded = errors.Is(err, io.EOF)
	return n, err
}

// openMark opens and locks the mark of a part, and returns how many bytes it counts.
func (d *Store) openMark(key string, part model.UploadPart, flag int) (*os.File, int64, error) {
	mark, err := d.root.OpenFile(markName(key, part), os.O_RDWR|flag, 0o640)
	if err != nil {
		return nil, 0, err
	}
	err = lockForWriting(mark)
	count, readErr := readMark(mark)
	if err = errors.Join(err, readErr); err != nil {
		_ = mark.Close() // nothing was written
		return nil, 0, err
	}
	return mark, count, nil
}

// readMark returns the number of a mark, or 0 for a mark that was created and not written yet.
func readMark(mark io.ReaderAt) (int64, error) {
	text := make([]byte, markDigits)
	n, err := mark.ReadAt(text, 0)
	if errors.Is(err, io.EOF) && n < markDigits { // it was not written yet
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimLeft(string(text), " "), 10, 64)
}

// writeMark counts the bytes of a part, after they are safe.
func writeMark(file, mark *os.File, count int64) error {
	if err := file.Sync(); err != nil {
		return err
	}
	return setMark(mark, count)
}

// setMark writes the number of a mark.
func setMark(mark *os.File, count int64) error {
	if _, err := mark.WriteAt(fmt.Appendf(nil, "%*d", markDigits, count), 0); err != nil {
		return err
	}
	return mark.Sync()
}

// AppendedPart implements storage.Store.
func (d *Store) AppendedPart(_ context.Context, key string, part model.UploadPart) (int64, error) {
	if err := storage.CheckKey(key); err != nil {
		return 0, err
	}
	mark, err := d.root.Open(markName(key, part))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("size of a part of %s: %w", key, err)
	}
	defer mark.Close() //nolint:errcheck // read only
	count, err := readMark(mark)
	if err != nil {
		return 0, fmt.Errorf("size of a part of %s: %w", key, err)
	}
	return count, nil
}

// AssembleParts implements storage.Store. The file gets the object's name. The marks are removed
// after the object has its name. A crash in between leaves the marks, and the next call removes
// them.
func (d *Store) AssembleParts(ctx context.Context, key string, parts []model.UploadPart) error {
	if err := storage.CheckKey(key); err != nil {
		return err
	}
	last := parts[len(parts)-1]
	in, appended, err := d.openPartial(key, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := storage.CheckAssembled(ctx, d, key, last.Offset+last.Size); err != nil {
			return err
		}
		return d.root.RemoveAll(partsFolder(key))
	case errors.Is(err, storage.ErrOffset): // another call assembles them
		return fmt.Errorf("assemble %s: %w: %w", key, storage.ErrIncomplete, err)
	case err != nil:
		return fmt.Errorf("assemble %s: %w", key, err)
	}
	if err = d.checkParts(key, parts); err == nil && appended != last.Offset+last.Size {
		err = fmt.Errorf("%w: %d bytes", storage.ErrIncomplete, appended)
	}
	if err == nil {
		err = d.storeNew(in, key)
	}
	if err != nil {
		_ = closeAndUnlock(in.file) // the next call tries again
		return fmt.Errorf("assemble the parts of %s: %w", key, err)
	}
	in.discard()
	return d.root.RemoveAll(partsFolder(key))
}

// checkParts returns ErrIncomplete unless all parts are whole.
func (d *Store) checkParts(key string, parts []model.UploadPart) error {
	for _, part := range parts {
		mark, count, err := d.openMark(key, part, 0)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, storage.ErrOffset) { // bytes are still arriving
			return fmt.Errorf("%w: %w", storage.ErrIncomplete, err)
		}
		if err != nil {
			return err
		}
		_ = closeAndUnlock(mark) // nothing was written
		if count != part.Size {
			return fmt.Errorf("%w: part %d has %d of %d bytes", storage.ErrIncomplete, part.Number, count, part.Size)
		}
	}
	return nil
}
