package main

import (
	"bytes"
	"encoding/base64"
)

// The values that fill the holes of a template while it is made. Both
// have the width of every value that takes their place, so that lengths hold.
const (
	sampleID       = "bench-999999999"
	sampleRevision = "9876543"
)

// template is a text with holes for the id of an entity and the revision of an update.
// Requests are built from templates, and responses are compared with them.
//
// The text is cut at its holes: a part is a text and the hole behind it, and the last part has
// none.
type template struct {
	parts []part
	space string // of the entities whose GraphQL ids are in the text
}

// part is a text and what follows it.
type part struct {
	text []byte
	hole hole
}

// hole is the placeholder of a value in a template.
type hole byte

const (
	holeNone hole = iota
	holeID
	holeNodeID
	holeRevision
)

type values struct {
	id, revision []byte
}

// nodeID returns the id that GraphQL gives an entity: the type, the space and the
// entity's own id, encoded, so that the latter cannot be found in it.
func nodeID(space string, entity []byte) []byte {
	id := append([]byte("Entity:"+space+"/"), entity...)
	return base64.RawURLEncoding.AppendEncode(nil, id)
}

func (t template) value(h hole, v values) []byte {
	switch h {
	case holeID:
		return v.id
	case holeNodeID:
		return nodeID(t.space, v.id)
	case holeRevision:
		return v.revision
	}
	return nil
}

// newTemplate returns a template with holes instead of the sample values, whose entity
// is in the space.
func newTemplate(text []byte, space string) template {
	t := template{space: space}
	for {
		at, h, size := t.nextHole(text)
		t.parts = append(t.parts, part{text: text[:at], hole: h})
		if h == holeNone {
			return t
		}
		text = text[at+size:]
	}
}

// nextHole returns the first hole, or the end of text.
func (t template) nextHole(text []byte) (at int, h hole, size int) {
	at = len(text)
	samples := values{id: []byte(sampleID), revision: []byte(sampleRevision)}
	for _, wanted := range []hole{holeID, holeNodeID, holeRevision} {
		sample := t.value(wanted, samples)
		if i := bytes.Index(text, sample); i >= 0 && i < at {
			at, h, size = i, wanted, len(sample)
		}
	}
	return at, h, size
}

// appendTo appends the text with the values in its holes.
func (t template) appendTo(b []byte, v values) []byte {
	for _, p := range t.parts {
		b = append(b, p.text...)
		b = append(b, t.value(p.hole, v)...)
	}
	return b
}

func (t template) matches(text []byte, v values) bool {
	for _, p := range t.parts {
		// Compared piece by piece, without building the expected response: the comparison
		// runs for each response, on the cores of the server.
		for _, want := range [2][]byte{p.text, t.value(p.hole, v)} {
			rest, ok := bytes.CutPrefix(text, want)
			if !ok {
				return false
			}
			text = rest
		}
	}
	return len(text) == 0
}
