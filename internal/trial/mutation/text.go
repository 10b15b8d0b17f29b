package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// Patterns for the values in manifests and headers. A parser is not needed, because the
// captures are our own.
var (
	numberPattern = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)
	wordPattern   = regexp.MustCompile(`"[^"\n]*"|\b[a-z_]{2,}\b`)
	// fieldPattern matches fields of JSON without nested objects, and lines of a PLY
	// header.
	fieldPattern = regexp.MustCompile(`"\w+": ?("[^"]*"|[-0-9.e+]+|\[[^][{}]*\]|\{[^][{}]*\}),?|(property|element)[^\n]*\n`)
)

// headerLength is the maximum length of a file's text part.
const headerLength = 1 << 16

// header returns the text part of a file: the header of a PLY, the start of others.
func header(b []byte) []byte {
	b = b[:min(len(b), headerLength)]
	if i := bytes.Index(b, []byte("end_header\n")); i >= 0 {
		return b[:i]
	}
	return b
}

// replace replaces a random match of a pattern in the header.
//
// Texts before and after the match stay as they are. A match that is shorter or longer than its
// replacement thus moves what follows, which in a binary file also makes lengths wrong.
func (m *mutator) replace(b []byte, find *regexp.Regexp, replacement func(found string) string) []byte {
	places := find.FindAllIndex(header(b), -1)
	if len(places) == 0 {
		return b
	}
	at := places[m.IntN(len(places))]
	found := string(b[at[0]:at[1]])
	text := replacement(found)
	m.note("%.40q for %.40q", text, found)
	return slices.Concat(b[:at[0]], []byte(text), b[at[1]:])
}

// changeNumber replaces a number by one that is too large or too small, or by another
// value.
func (m *mutator) changeNumber(b []byte) []byte {
	// The limits of integers and floats, and numbers that could make a reader allocate
	// much memory.
	wrong := []string{
		"0", "-1", "1", "2", "0.5", "255", "65537", "1000000", "100000000", "2147483647", "4294967295", "4294967296",
		"9223372036854775807", "18446744073709551615", "1e999", "-1e308", "1e38", "1e-320", "NaN", "-Infinity",
		`"1"`, `"x"`, "null", "true", "[]", "{}", "[[1,2],{}]", "", strings.Repeat("9", 5000),
	}
	return m.replace(b, numberPattern, func(string) string { return wrong[m.IntN(len(wrong))] })
}

// changeWord replaces a string or a word by another of the same text, or by a hostile one.
func (m *mutator) changeWord(b []byte) []byte {
	others := wordPattern.FindAllString(string(header(b)), -1)
	wrong := []string{
		`""`, `"../../../../etc/passwd"`, `"/etc/passwd"`, `"C:\\x"`, `"a\u0000b"`, `"\ud800"`, `"."`, `"meta.json"`, `"lod-meta.json"`,
		"1", "null", "[]", "{}", "list", "double", `"` + strings.Repeat("x/", 3000) + `"`,
	}
	return m.replace(b, wordPattern, func(string) string {
		if m.IntN(2) == 0 {
			return others[m.IntN(len(others))]
		}
		return wrong[m.IntN(len(wrong))]
	})
}

// nestValue replaces a number by deeply nested lists, which overflow the stack of a
// recursive parser.
func (m *mutator) nestValue(b []byte) []byte {
	depth := 1 << m.IntN(20)
	return m.replace(b, numberPattern, func(string) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) })
}

// dropField removes a field or duplicates it. Of duplicates, JSON parsers take the first
// or the last, so a check and its use may see different ones.
func (m *mutator) dropField(b []byte) []byte {
	twice := m.IntN(3) == 0
	return m.replace(b, fieldPattern, func(found string) string {
		if twice {
			return found + found
		}
		return ""
	})
}
