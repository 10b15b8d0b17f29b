package main

import "bytes"

// The values that stand in for the holes of a template while it is made. Both
// have the width of every value that takes their place, so that lengths hold.
const (
	sampleID       = "bench-999999999"
	sampleRevision = "9876543"
)

// template is a text with holes for the id of an entity and the revision of an update.
// Requests are built from templates, and answers are compared with them.
type template struct {
	parts []part
}

// part is a text and what follows it.
type part struct {
	text []byte
	hole hole
}

type hole byte

const (
	holeNone hole = iota
	holeID
	holeRevision
)

// values are the values of the holes.
type values struct {
	id, revision []byte
}

func (v values) of(h hole) []byte {
	switch h {
	case holeID:
		return v.id
	case holeRevision:
		return v.revision
	}
	return nil
}

// newTemplate returns a template with holes in place of the sample values.
func newTemplate(text []byte) template {
	var t template
	for {
		at, h, size := nextHole(text)
		t.parts = append(t.parts, part{text: text[:at], hole: h})
		if h == holeNone {
			return t
		}
		text = text[at+size:]
	}
}

// nextHole returns the first hole, or the end of text.
func nextHole(text []byte) (at int, h hole, size int) {
	at = len(text)
	if i := bytes.Index(text, []byte(sampleID)); i >= 0 {
		at, h, size = i, holeID, len(sampleID)
	}
	if i := bytes.Index(text, []byte(sampleRevision)); i >= 0 && i < at {
		at, h, size = i, holeRevision, len(sampleRevision)
	}
	return at, h, size
}

// appendTo appends the text with the values in its holes.
func (t template) appendTo(b []byte, v values) []byte {
	for _, p := range t.parts {
		b = append(b, p.text...)
		b = append(b, v.of(p.hole)...)
	}
	return b
}

// matches reports whether text is the template with these values.
func (t template) matches(text []byte, v values) bool {
	for _, p := range t.parts {
		for _, want := range [2][]byte{p.text, v.of(p.hole)} {
			rest, ok := bytes.CutPrefix(text, want)
			if !ok {
				return false
			}
			text = rest
		}
	}
	return len(text) == 0
}
