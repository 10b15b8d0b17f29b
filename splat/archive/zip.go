package archive

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"portico/splat/input"
)

// Zip is an archive whose directory has passed all checks. The data of a file is checked while
// it is read. A Zip must not be used concurrently, and does not close its reader.
type Zip struct {
	limits  Limits
	window  *window
	inflate io.ReadCloser     // shared by all entries; nil before the first
	files   []*entry          // without folders and ignored files, by offset
	byName  map[string]*entry // files by the foldCase of their names
	// fault is the first fault of a name, or nil. It counts if the archive is stored as it is.
	fault error
}

// Open reads the directory of the zip in r, which has size bytes. A zip that is
// hostile, damaged or over the limits is an *input.Error. Open reads only the end of
// the file, in large blocks, and keeps names and numbers.
func Open(r io.ReaderAt, size int64, limits Limits) (*Zip, error) {
	z := &Zip{limits: limits, window: newWindow(r, max(size, 0))}
	d, err := findDirectory(z.window)
	if err != nil {
		return nil, err
	}
	// This precedes reading the entries, because each takes memory.
	if err := limits.checkDirectory(d); err != nil {
		return nil, err
	}
	entries, err := readDirectory(z.window, d)
	if err != nil {
		return nil, err
	}
	if err := checkEntries(entries, limits); err != nil {
		return nil, err
	}
	if err := checkOverlap(entries, d.offset); err != nil {
		return nil, err
	}
	// This follows checkOverlap, which ensures that the packed sizes fit into the file.
	if err := limits.checkTotal(entries); err != nil {
		return nil, err
	}
	z.index(entries)
	return z, nil
}

// checkEntries checks each entry alone. Folders and ignored files are checked too,
// because other readers unpack them.
func checkEntries(entries []*entry, limits Limits) error {
	for _, e := range entries {
		if err := e.check(); err != nil {
			return err
		}
		if err := limits.checkEntry(e); err != nil {
			return err
		}
	}
	return nil
}

// checkOverlap sorts the entries by offset and refuses entries that share bytes: with them a small
// zip unpacks to petabytes at a low ratio (David Fifield, "A better zip bomb", 2019). It assumes
// the minimum length of local headers; packedData checks the real length when the entry is read. It
// sets end of each entry.
func checkOverlap(entries []*entry, directory int64) error {
	slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Compare(a.offset, b.offset) })
	for i, e := range entries {
		e.end = directory
		if i+1 < len(entries) {
			e.end = min(directory, entries[i+1].offset)
		}
		switch available := e.end - e.offset - localSize - int64(len(e.stored)); {
		case e.offset > directory || e.packed > directory-e.offset:
			return input.Errorf(e.raw, "is outside of the archive").Advise(adviceToZipAgain)
		case available >= e.packed:
		case i+1 < len(entries):
			return input.Errorf(e.raw, "overlaps entry %s", input.Quote(entries[i+1].raw)).Advise(adviceToZipAgain)
		default:
			return input.Errorf(e.raw, "overlaps the archive's directory").Advise(adviceToZipAgain)
		}
	}
	return nil
}

// index collects the files, and finds two with the same name, which are one file for Windows and
// macOS.
func (z *Zip) index(entries []*entry) {
	z.byName = make(map[string]*entry, len(entries))
	for _, e := range entries {
		if z.fault == nil {
			z.fault = e.fault
		}
		if e.name == "" {
			continue
		}
		key := foldCase(e.name)
		if other, ok := z.byName[key]; ok {
			z.blame(input.Errorf(e.raw, "has the same name as entry %s", input.Quote(other.raw)).Advise(adviceToRename), other)
			continue
		}
		z.byName[key] = e
		z.files = append(z.files, e)
	}
	z.checkFolders()
}

// blame records the fault of the names of some files.
func (z *Zip) blame(fault error, files ...*entry) {
	if z.fault == nil {
		z.fault = fault
	}
	for _, e := range files {
		e.fault = fault
	}
}

// checkFolders finds a file whose name other entries use as a folder: no file system allows both.
// It looks up every parent of every file, and a name has at most maxSegments.
func (z *Zip) checkFolders() {
	for _, e := range z.files {
		folder := foldCase(e.name)
		for i := strings.LastIndexByte(folder, '/'); i > 0; i = strings.LastIndexByte(folder, '/') {
			folder = folder[:i]
			if other, ok := z.byName[folder]; ok {
				z.blame(input.Errorf(other.raw, "is a file, but entry %s is inside it", input.Quote(e.raw)).Advise(adviceToRename), other, e)
			}
		}
	}
}

// relativeTo returns the path of a file relative to root, and whether the file is
// there. Root is "" for the archive's top.
func relativeTo(root, name string) (string, bool) {
	if root == "" {
		return name, true
	}
	return strings.CutPrefix(name, root+"/")
}
