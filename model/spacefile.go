package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// ReplaceTokens replaces each token in the data of an entity by the address of the file that it
// names. A token is the path of a plugin or an asset below space/, such as "assets/hall.glb", as a
// whole string; see SpaceFile.Tokens for plugin folders. The addresses are by token.
//
// A string that looks like a token but names no file is an error: the entity would show nothing.
func (e *Entity) ReplaceTokens(addresses map[string]string) error {
	missing := ""
	e.Data = e.Data.replaceStrings(func(text string) (string, bool) {
		address, ok := addresses[text]
		if !ok && missing == "" && looksLikeToken(text) {
			missing = text
		}
		return address, ok
	})
	if missing != "" {
		if folder, _, _ := strings.Cut(strings.TrimPrefix(missing, PluginFolder), "/"); addresses[PluginFolder+folder+"/"] != "" {
			return Invalidf("An entity can name the file %s of the folder %s%s%s, and not %s", PluginIndex, SpaceFolder, PluginFolder, folder, missing)
		}
		return Invalidf("The space has no file %s%s. Add it, or remove it from the data", SpaceFolder, missing)
	}
	return checkData("entity_data", e.Data) // addresses are longer than tokens
}

// ReplaceAddresses replaces addresses in the data of an entity, as whole strings, and reports
// whether there were any.
func (e *Entity) ReplaceAddresses(addresses map[string]string) (replaced bool) {
	e.Data = e.Data.replaceStrings(func(text string) (string, bool) {
		address, ok := addresses[text]
		replaced = replaced || ok
		return address, ok
	})
	return replaced
}

// WithoutTokens returns the object with empty strings instead of the strings that look like tokens,
// and reports whether there were any.
func (o Object) WithoutTokens() (without Object, hadTokens bool) {
	without = o.replaceStrings(func(text string) (string, bool) {
		isToken := looksLikeToken(text)
		hadTokens = hadTokens || isToken
		return "", isToken
	})
	return without, hadTokens
}

// tokenExtension matches the end of a file name, but not of a sentence.
var tokenExtension = regexp.MustCompile(`\.[A-Za-z0-9]{1,10}$`)

// Tokens are the texts that name the file in the data of entities. A pull writes the first one.
func (f *SpaceFile) Tokens() []string {
	if f.IsFolder() {
		return []string{f.Path + "/" + PluginIndex, f.Path + "/"}
	}
	return []string{f.Path}
}

// looksLikeToken reports whether the text is the path of a plugin or an asset below space/, of a
// file in a plugin folder, or of a plugin folder with a final slash.
func looksLikeToken(text string) bool {
	if !strings.HasPrefix(text, AssetFolder) && !strings.HasPrefix(text, PluginFolder) {
		return false
	}
	name, isFolder := strings.CutSuffix(text, "/")
	target, err := ParseChangePath(SpaceFolder + name)
	if err != nil || target.File == "" {
		return false
	}
	if target.Inner == "" && IsPluginFolder(target.File) {
		return isFolder
	}
	return !isFolder && tokenExtension.MatchString(text)
}

// replaceStrings returns the object with other strings. Replace returns the new text of a string,
// and whether there is one. Names of fields stay, and everything else is kept byte for byte.
func (o Object) replaceStrings(replace func(text string) (string, bool)) Object {
	var b []byte
	written := 0
	for i := 0; i < len(o); i++ {
		if o[i] != '"' {
			continue
		}
		start := i
		for i++; o[i] != '"'; i++ {
			if o[i] == '\\' {
				i++ // the escaped character does not end the string
			}
		}
		if isFieldName(o[i+1:]) {
			continue
		}
		if replaced, ok := replace(unquote(o[start : i+1])); ok {
			quoted, err := encode(replaced)
			if err != nil {
				panic("model: encode a string: " + err.Error())
			}
			b = append(append(b, o[written:start]...), quoted...)
			written = i + 1
		}
	}
	if written == 0 {
		return o
	}
	return append(b, o[written:]...)
}

// unquote returns the text of a string of valid JSON.
func unquote(quoted []byte) string {
	if !bytes.ContainsRune(quoted, '\\') {
		return string(quoted[1 : len(quoted)-1])
	}
	return text(quoted)
}

// isFieldName reports whether the string before this JSON is the name of a field.
func isFieldName(after []byte) bool {
	for _, c := range after {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == ':'
		}
	}
	return false
}

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
