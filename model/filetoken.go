package model

import (
	"bytes"
	"regexp"
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
	return checkData(e.Data) // addresses are longer than tokens
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
