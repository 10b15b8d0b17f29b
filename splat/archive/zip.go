package archive

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// Zip is an archive whose directory has passed every rule. Its data is checked
// while it is read. It is for one goroutine at a time, and it does not own the
// reader it was opened with.
type Zip struct {
	limits  Limits
	window  *window
	inflate io.ReadCloser     // reused from entry to entry; nil before the first
	files   []*entry          // what is not a folder and not ignored, in file order
	byName  map[string]*entry // files by folded name
}

// Open reads the directory of the zip in r, which has size bytes, and
// refuses what is hostile, damaged or over the limits with an *input.Error. It
// reads the end of the file only, in large blocks, and keeps names and numbers.
func Open(r io.ReaderAt, size int64, limits Limits) (*Zip, error) {
	a := &Zip{limits: limits, window: newWindow(r, max(size, 0))}
	d, err := findDirectory(a.window)
	if err != nil {
		return nil, err
	}
	if err := limits.checkDirectory(d); err != nil {
		return nil, err
	}
	entries, err := readDirectory(a.window, d)
	if err != nil {
		return nil, err
	}
	if err := checkEntries(entries, limits); err != nil {
		return nil, err
	}
	if err := checkOverlap(entries, d.offset); err != nil {
		return nil, err
	}
	if err := limits.checkTotal(entries); err != nil {
		return nil, err
	}
	if err := a.index(entries); err != nil {
		return nil, err
	}
	return a, nil
}

// checkEntries applies the rules to each entry alone. Ignored files and folders
// are held to them too: other readers would unpack them.
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

// checkOverlap sorts the entries into file order and refuses two that share
// bytes: that is how a small zip unpacks to petabytes without a high ratio in
// any one layer. Local headers are at least as long as counted here; how long
// they really are is checked when the entry is read.
func checkOverlap(entries []*entry, directory int64) error {
	slices.SortStableFunc(entries, func(a, b *entry) int { return cmp.Compare(a.offset, b.offset) })
	for i, e := range entries {
		e.end = directory
		if i+1 < len(entries) {
			e.end = min(directory, entries[i+1].offset)
		}
		switch room := e.end - e.offset - localSize - int64(len(e.raw)); {
		case e.offset > directory || e.packed > directory-e.offset:
			return entryError(e.raw, "lies outside of the archive")
		case room >= e.packed:
		case i+1 < len(entries):
			return entryError(e.raw, "overlaps entry %s", quote(entries[i+1].raw))
		default:
			return entryError(e.raw, "overlaps the archive's directory")
		}
	}
	return nil
}

// index collects the files and refuses two of one name.
func (a *Zip) index(entries []*entry) error {
	a.byName = make(map[string]*entry, len(entries))
	for _, e := range entries {
		if e.name == "" {
			continue
		}
		key := fold(e.name)
		if other, ok := a.byName[key]; ok {
			return entryError(e.raw, "has the same name as entry %s", quote(other.raw))
		}
		a.byName[key] = e
		a.files = append(a.files, e)
	}
	return a.checkFolders()
}

// checkFolders refuses a file where other entries need a folder, which could be
// written to no file system.
func (a *Zip) checkFolders() error {
	for _, e := range a.files {
		folder := fold(e.name)
		for i := strings.LastIndexByte(folder, '/'); i > 0; i = strings.LastIndexByte(folder, '/') {
			folder = folder[:i]
			if other, ok := a.byName[folder]; ok {
				return entryError(other.raw, "is a file, but entry %s lies in it", quote(e.raw))
			}
		}
	}
	return nil
}

// below returns the path of a file relative to root, and whether it lies there.
// Root is "" for the archive's top.
func below(root, name string) (string, bool) {
	if root == "" {
		return name, true
	}
	return strings.CutPrefix(name, root+"/")
}
