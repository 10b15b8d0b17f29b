package archive

import (
	"fmt"
	"strings"

	"portico/splat/input"
)

// The advice for a user whose archive is refused.
const (
	adviceToRename     = "Rename it and create the zip again"
	adviceToZipAgain   = "Create the zip again and upload the new file"
	adviceToAddMissing = "Put all files of the capture into the zip and upload it again"
)

// check applies the rules that need only the entry itself, and sets its name. The name stays "" for
// a folder, for an ignored file and for a file with a fault in its name, which are checked but not
// extracted.
func (e *entry) check() error {
	if err := checkInside(e.raw); err != nil {
		return input.Errorf(e.raw, "%s", err).Advise(adviceToRename)
	}
	name, err := cleanName(e.raw)
	if err != nil {
		e.fault = input.Errorf(e.raw, "%s", err).Advise(adviceToRename)
	}
	if err := e.checkType(); err != nil {
		return err
	}
	if err := e.checkPacking(); err != nil {
		return err
	}
	if e.isFolder() {
		if e.size != 0 {
			return input.Errorf(e.raw, "is a folder but has content").Advise(adviceToZipAgain)
		}
		return nil
	}
	if name == "" && e.fault == nil {
		e.fault = input.Errorf(e.raw, "has an empty name").Advise(adviceToZipAgain)
	}
	if !isIgnored(name) {
		e.name = name
	}
	return nil
}

// isFolder reports whether the name or the mode says that the entry is a folder. Many other
// readers look only at the name, so a difference must not hide a file from them or from us.
func (e *entry) isFolder() bool {
	return strings.HasSuffix(e.raw, "/") || strings.HasSuffix(e.raw, `\`) || e.mode&modeType == modeFolder
}

// checkType allows regular files and folders. It reads the mode for every system that the entry may
// claim to come from, because systems other than Unix leave the mode zero. The types are the types
// of stat in Unix; a named pipe, a socket and a device are refused.
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

// checkPacking allows stored and deflated data without encryption.
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

// methodName returns the name that zip programs show for a method (APPNOTE 4.4.5), so that
// users find the setting.
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
