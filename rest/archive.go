package rest

import (
	"archive/zip"
	"context"
	"io"
	"io/fs"
	"strings"

	"portico/graph/view"
	"portico/model"
)

const (
	// maxUnpacked is the maximum total size of the unpacked files of an archive, in bytes.
	maxUnpacked = 64 << 20
	// maxNames is the maximum total length of the names in an archive, in bytes.
	maxNames = 4 << 20
	// maxDirectory is the maximum size of the directory of an archive, in bytes: its names, and about
	// 800 bytes for the other fields of each entry.
	maxDirectory = 8 << 20
)

// encryptedFlag is the flag of an encrypted entry (APPNOTE.TXT section 4.4.4).
const encryptedFlag = 1

// readArchive returns the files of a zip archive. Its error has a fault for each invalid entry.
//
// The body is on disk, and its directory is read first (APPNOTE.TXT section 4.3.12), so a bad
// archive is refused before anything is unpacked, and a large one waits for memory before that.
func (a *api) readArchive(ctx context.Context, body *spool) ([]model.FilePut, error) {
	archive, err := view.OpenArchive(body, body.size, model.MaxChanges, maxDirectory)
	if err != nil {
		return nil, err
	}
	if err := a.acquireMemory(ctx, body, unpackedSize(archive)); err != nil {
		return nil, err
	}
	return unpack(archive)
}

// unpackedSize returns the total size of the unpacked files, as the directory has it. Reading an
// entry that is larger than that fails.
func unpackedSize(archive *zip.Reader) (size int64) {
	for _, entry := range archive.File {
		size += int64(min(entry.UncompressedSize64, maxUnpacked))
	}
	return size
}

// unpack returns the files of the archive. The limits are on what is unpacked: the sizes in the
// directory may lie.
func unpack(archive *zip.Reader) ([]model.FilePut, error) {
	var faults model.ChangeFaults
	var puts []model.FilePut
	names, remaining := 0, int64(maxUnpacked)
	for _, entry := range archive.File {
		if names += len(entry.Name); names > maxNames {
			return nil, model.TooLargef("The names in the archive have more than %d bytes", maxNames)
		}
		if strings.HasSuffix(entry.Name, "/") {
			continue
		}
		if fault := entryFault(entry); fault != "" {
			faults.Add(entry.Name, "%s", fault)
			continue
		}
		content, err := readEntry(entry, remaining)
		if remaining -= int64(len(content)); remaining < 0 {
			return nil, model.TooLargef("The archive unpacks to more than %d bytes", maxUnpacked)
		}
		if err != nil {
			faults.Add(entry.Name, "The entry is damaged")
			continue
		}
		puts = append(puts, model.FilePut{Path: entry.Name, Content: content})
	}
	return puts, faults.Refusal()
}

// entryFault returns what is wrong with an entry before it is unpacked, or "".
func entryFault(entry *zip.File) string {
	_, err := model.ParseChangePath(entry.Name)
	switch {
	case err != nil:
		return err.Error()
	case entry.Flags&encryptedFlag != 0:
		return "The entry is encrypted. Zip the files again without a password"
	case entry.Mode()&fs.ModeType != 0:
		return "The entry is a link or another special file"
	case entry.UncompressedSize64 > model.MaxAsset:
		// The resolver checks the size too, but a zip bomb must not be unpacked for that check.
		return model.AssetTooLarge()
	}
	return ""
}

// readEntry returns the content of an entry, but at most one byte more than limit.
func readEntry(entry *zip.File, limit int64) ([]byte, error) {
	reader, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }() // nothing was written
	return io.ReadAll(io.LimitReader(reader, limit+1))
}
