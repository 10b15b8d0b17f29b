package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A plugin is one .mjs file, or a folder with the file PluginIndex and the files that it imports by
// relative addresses. A folder is one file of the account with an object for each of its files,
// because such addresses lead only to objects below the same key. It changes as a whole.

// PluginIndex is the file of a plugin folder that pages import.
const PluginIndex = "index.mjs"

// The limits of a plugin folder.
const (
	MaxPluginFolder = MaxAsset // bytes of its files together
	MaxPluginFiles  = 500
	// MaxKeptFiles is the maximum size in bytes of the files that a change set keeps in plugin
	// folders of which it changes other files, because the server copies them.
	MaxKeptFiles = 100 << 20
)

// IsPluginFolder reports whether a path below space/ is the path of a plugin folder, such as
// plugins/clock.
func IsPluginFolder(name string) bool {
	return strings.HasPrefix(name, PluginFolder) && !strings.EqualFold(path.Ext(name), ".mjs")
}

// IsFolder reports whether the file is a plugin folder.
func (f *SpaceFile) IsFolder() bool { return IsPluginFolder(f.Path) }

// FolderSHA256 returns the hash of a plugin folder in hex, by the hashes of its files by their names
// in the folder. It is the hash of the lines "HASH  NAME", sorted by the bytes of the names, as
// sha256sum prints them.
func FolderSHA256(sums map[string]string) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		_, _ = fmt.Fprintf(hash, "%s  %s\n", sums[name], name) // a hash never returns an error
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// textExtensions are the extensions of the files in plugin folders that have LF line ends on every
// system, so that their hashes do not depend on the settings of git or of an editor.
var textExtensions = []string{
	".mjs", ".js", ".json", ".css", ".svg", ".txt", ".md", ".html", ".xml", ".csv", ".yaml", ".yml", ".ts", ".tsx", ".jsx", ".path",
}

// IsPluginText reports whether a file in a plugin folder is a text, by its name.
func IsPluginText(name string) bool {
	return slices.Contains(textExtensions, strings.ToLower(path.Ext(name)))
}

// checkFolderName refuses a name of a file or a folder, in a plugin folder or of one, that some
// system cannot have, or hides.
func checkFolderName(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case strings.HasPrefix(part, "."):
			return Invalidf("Names in a plugin folder must not start with a dot: %s", part)
		case strings.HasSuffix(part, "."), strings.TrimSpace(part) != part:
			return Invalidf("Names in a plugin folder must not end with a dot, and have no blanks around them: %s", part)
		case strings.ContainsAny(part, `<>"|?*`):
			return Invalidf(`Names in a plugin folder must not contain any of < > " | ? *: %s`, part)
		case len(part) > maxFileName:
			return Invalidf("Names in a plugin folder have at most %d bytes", maxFileName)
		}
	}
	return nil
}

// CheckPluginFolder returns what is wrong with the files of a plugin folder together. Folder is its
// path below space/, and sizes are in bytes, by the names in the folder.
func CheckPluginFolder(folder string, sizes map[string]int64) (faults ChangeFaults) {
	top := SpaceFolder + folder
	total := int64(0)
	for _, size := range sizes {
		total += size
	}
	switch size, ok := sizes[PluginIndex]; {
	case !ok:
		faults.Add(top+"/"+PluginIndex, "The folder of a plugin must have the file %s", PluginIndex)
	case size == 0:
		faults.Add(top+"/"+PluginIndex, "The file is empty")
	}
	if len(sizes) > MaxPluginFiles {
		faults.Add(top, "The folder has more than %d files", MaxPluginFiles)
	}
	if total > MaxPluginFolder {
		faults.Add(top, "The folder has more than %d bytes", MaxPluginFolder)
	}
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		for at, kind := name, ""; at != "."; at, kind = path.Dir(at), "/" {
			folded := FoldCase(at)
			if other, ok := seen[folded]; ok && other != at+kind {
				faults.Add(top+"/"+name, "%s and %s cannot both exist on every system", at+kind, other)
				break
			}
			seen[folded] = at + kind
		}
	}
	return faults
}

// FoldCase returns the same text for names that are equal on a system that ignores case. It
// converts to upper case first, because several lower-case letters share a capital.
func FoldCase(name string) string { return strings.ToLower(strings.ToUpper(name)) }
