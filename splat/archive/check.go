package archive

import (
	"fmt"
	"strings"
)

// check applies the rules that need nothing but the entry, and sets its name.
func (e *entry) check() error {
	name, err := cleanName(e.raw)
	if err != nil {
		return entryError(e.raw, "%s", err)
	}
	if err := e.checkType(); err != nil {
		return err
	}
	if err := e.checkPacking(); err != nil {
		return err
	}
	if e.isFolder() {
		if e.size != 0 {
			return entryError(e.raw, "is a folder but has content")
		}
		return nil
	}
	if name == "" {
		return entryError(e.raw, "name is empty")
	}
	if !isIgnored(name) {
		e.name = name
	}
	return nil
}

// isFolder goes by the name, as every reader does, and by the mode.
func (e *entry) isFolder() bool {
	return strings.HasSuffix(e.raw, "/") || strings.HasSuffix(e.raw, `\`) || e.mode&modeType == modeFolder
}

// checkType allows regular files and folders. The mode counts whichever system
// the entry says it comes from: what is no Unix system leaves it zero.
func (e *entry) checkType() error {
	switch e.mode & modeType {
	case 0, modeRegular, modeFolder:
		return nil
	case modeLink:
		return entryError(e.raw, "is a symbolic link")
	default:
		return entryError(e.raw, "is a device or another special file")
	}
}

// checkPacking allows plain stored and deflated data.
func (e *entry) checkPacking() error {
	switch {
	case e.flags&flagsEncrypted != 0 || e.method == 99:
		return entryError(e.raw, "is encrypted")
	case e.method != methodStore && e.method != methodDeflate:
		return entryError(e.raw, "is compressed with %s; only stored and deflated entries can be read", methodName(e.method))
	case e.method == methodStore && e.size != e.packed:
		return entryError(e.raw, "is damaged: its sizes contradict each other")
	case e.packed == 0 && e.size != 0:
		return entryError(e.raw, "is damaged: it has a size but no data")
	}
	return nil
}

// methodName names the methods that common tools can be set to, so that a user
// finds the switch.
func methodName(method uint16) string {
	switch method {
	case 9:
		return "Deflate64"
	case 12:
		return "bzip2"
	case 14:
		return "LZMA"
	case 93:
		return "Zstandard"
	case 95:
		return "XZ"
	case 98:
		return "PPMd"
	default:
		return fmt.Sprintf("unknown method %d", method)
	}
}
