package archive

import (
	"fmt"
	"strings"

	"portico/splat/input"
)

// What a user can do about an entry that no reader can extract safely.
const (
	adviceToRename = "Rename it and create the zip again"
	zipAgain       = "Create the zip again and upload the new file"
	// addMissing is for manifests whose files are incomplete.
	addMissing = "Put all files of the capture into the zip and upload it again"
)

// check applies the rules that need only the entry itself, and sets its name.
func (e *entry) check() error {
	name, err := cleanName(e.raw)
	if err != nil {
		return input.Errorf(e.raw, "%s", err).Advise(adviceToRename)
	}
	if err := e.checkType(); err != nil {
		return err
	}
	if err := e.checkPacking(); err != nil {
		return err
	}
	if e.isFolder() {
		if e.size != 0 {
			return input.Errorf(e.raw, "is a folder but has content").Advise(zipAgain)
		}
		return nil
	}
	if name == "" {
		return input.Errorf(e.raw, "has an empty name").Advise(zipAgain)
	}
	if !isIgnored(name) {
		e.name = name
	}
	return nil
}

// isFolder reports whether the name or the mode says that the entry is a folder.
// Other readers go by the name alone.
func (e *entry) isFolder() bool {
	return strings.HasSuffix(e.raw, "/") || strings.HasSuffix(e.raw, `\`) || e.mode&modeType == modeFolder
}

// checkType allows regular files and folders. It trusts the mode whatever system
// the entry claims to come from, because other systems than Unix leave it zero.
func (e *entry) checkType() error {
	switch e.mode & modeType {
	case 0, modeRegular, modeFolder:
		return nil
	case modeLink:
		return input.Errorf(e.raw, "is a symbolic link").Advise("Put the file itself into the zip")
	default:
		return input.Errorf(e.raw, "is a device or another special file").Advise("Remove it from the zip")
	}
}

// checkPacking allows stored and deflated data without encryption. Method 99 is
// AES encryption of WinZip.
func (e *entry) checkPacking() error {
	switch {
	case e.flags&flagsEncrypted != 0 || e.method == methodAES:
		return input.Errorf(e.raw, "is encrypted").Advise("Create the zip without a password and upload it again")
	case e.method != methodStore && e.method != methodDeflate:
		return input.Errorf(e.raw, "is compressed with %s", methodName(e.method)).
			Advise("Create the zip with the method Deflate, which every program has, and upload it again")
	case e.method == methodStore && e.size != e.packed:
		return input.Damaged(e.raw, "its sizes contradict each other")
	case e.packed == 0 && e.size != 0:
		return input.Damaged(e.raw, "it has a size but no data")
	}
	return nil
}

// methodName returns the name that zip programs show for a method, so that users
// find the setting (APPNOTE 4.4.5).
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
