package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// What is looked for in manifests and headers. The captures are our own, so that
// their texts need no parser; what is broken already need not be found.
var (
	numbers = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)
	words   = regexp.MustCompile(`"[^"\n]*"|\b[a-z_]{2,}\b`)
	// fields are those of JSON whose value holds no object with others, and lines of
	// a PLY header.
	fields = regexp.MustCompile(`"\w+": ?("[^"]*"|[-0-9.e+]+|\[[^][{}]*\]|\{[^][{}]*\}),?|(property|element)[^\n]*\n`)
)

// headerLength bounds how much of a file is text: of a PLY or GLB the header.
const headerLength = 1 << 16

// header returns the part of a file that is text.
func header(b []byte) []byte {
	b = b[:min(len(b), headerLength)]
	if i := bytes.Index(b, []byte("end_header\n")); i >= 0 {
		return b[:i]
	}
	return b
}

// replace puts a text in the place of something that is found in the header.
func (m *mutator) replace(b []byte, find *regexp.Regexp, with func(found string) string) []byte {
	places := find.FindAllIndex(header(b), -1)
	if len(places) == 0 {
		return b
	}
	at := places[m.IntN(len(places))]
	found := string(b[at[0]:at[1]])
	text := with(found)
	m.note("%.40q for %.40q", text, found)
	return slices.Concat(b[:at[0]], []byte(text), b[at[1]:])
}

// number changes a number to one that is too large, too small, or none.
func (m *mutator) number(b []byte) []byte {
	// Around what 8, 16, 32 and 64 bits and floats hold, and around what a few bytes
	// may make a reader allocate.
	wrong := []string{
		"0", "-1", "1", "2", "0.5", "255", "65537", "1000000", "100000000", "2147483647", "4294967295", "4294967296",
		"9223372036854775807", "18446744073709551615", "1e999", "-1e308", "1e38", "1e-320", "NaN", "-Infinity",
		`"1"`, `"x"`, "null", "true", "[]", "{}", "[[1,2],{}]", "", strings.Repeat("9", 5000),
	}
	return m.replace(b, numbers, func(string) string { return wrong[m.IntN(len(wrong))] })
}

// word changes a name or a key to another of the same text, or to one that leads
// elsewhere.
func (m *mutator) word(b []byte) []byte {
	others := words.FindAllString(string(header(b)), -1)
	wrong := []string{
		`""`, `"../../../../etc/passwd"`, `"/etc/passwd"`, `"C:\\x"`, `"a\u0000b"`, `"\ud800"`, `"."`, `"meta.json"`, `"lod-meta.json"`,
		"1", "null", "[]", "{}", "list", "double", `"` + strings.Repeat("x/", 3000) + `"`,
	}
	return m.replace(b, words, func(string) string {
		if m.IntN(2) == 0 {
			return others[m.IntN(len(others))]
		}
		return wrong[m.IntN(len(wrong))]
	})
}

// nest puts a value into very many lists: parsers that call themselves for each end
// with the stack.
func (m *mutator) nest(b []byte) []byte {
	depth := 1 << m.IntN(20)
	return m.replace(b, numbers, func(string) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) })
}

// drop leaves a field out, or has it twice.
func (m *mutator) drop(b []byte) []byte {
	twice := m.IntN(3) == 0
	return m.replace(b, fields, func(found string) string {
		if twice {
			return found + found
		}
		return ""
	})
}
