package main

import (
	"bytes"
	"encoding/json"

	"portico/splat/folder"
)

// lccIndex is the name of the file of an LCC capture that says where its units
// are: 4 bytes for each, and 16 for each level.
const lccIndex = "index.bin"

// amplify makes an LCC capture ask for its units again and again, and its manifest
// tell so.
func (m *mutator) amplify(files folder.Memory, primary string) {
	var manifest map[string]any
	if json.Unmarshal(files[primary], &manifest) != nil {
		return // broken before
	}
	counts, ok := manifest["splats"].([]any)
	if !ok {
		return
	}
	n := 2 << m.IntN(10)
	m.note("all units %d times, as the manifest says", n)
	for i, count := range counts {
		if number, ok := count.(float64); ok {
			counts[i] = number * float64(n)
		}
	}
	if total, ok := manifest["totalSplats"].(float64); ok {
		manifest["totalSplats"] = total * float64(n)
	}
	if changed, err := json.Marshal(manifest); err == nil {
		files[primary] = changed
	}
	files[lccIndex] = again(files[lccIndex], n)
}

// again returns a content n times, or as often as a small file allows.
func again(b []byte, n int) []byte {
	const most = 1 << 20
	return bytes.Repeat(b, min(n, most/max(len(b), 1)+1))
}

// units breaks an LCC index alone: units that come again and again, or that lie over
// each other, ask for more work than there is data.
func (m *mutator) units(b []byte) []byte {
	length := 4 + 16
	if m.IntN(2) == 0 {
		length = 4 + 3*16 // the captures have one level or three
	}
	if len(b) < length {
		return b
	}
	switch m.IntN(3) {
	case 0:
		n := 2 << m.IntN(10)
		m.note("all units %d times", n)
		return again(b, n)
	case 1:
		m.note("all units like the first")
		return bytes.Repeat(b[:length], len(b)/length)
	default:
		m.note("all units begin at 0")
		for at := 8; at+8 <= len(b); at += length {
			clear(b[at : at+8])
		}
		return b
	}
}
