package splattest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
)

// HostileCapture is a capture that must be refused, when it is opened or when all
// of it is read.
type HostileCapture struct {
	// Name finishes the sentence "refuses ...".
	Name string
	// Files are the capture's, by name.
	Files map[string][]byte
	// Entry is the file that the error must name, Reason a part of its text.
	Entry, Reason string
}

// HostileLCC returns LCC captures for every rule, all with the manifest
// LCCManifest, and with two levels of 400 and 200 splats in two cells,
// harmonics and an environment where it is not that which is wrong.
func HostileLCC() []HostileCapture {
	var all []HostileCapture
	for _, group := range [][]HostileCapture{lccManifests(), lccRangeLies(), lccIndexes(), lccFiles(), lccPositions()} {
		all = append(all, group...)
	}
	return all
}

// goodLCC is what the hostile ones are made of.
func goodLCC() LCCCapture {
	return LCCCapture{Splats: 400, Levels: 2, Columns: 2, Harmonics: true, Environment: 30}
}

// lying returns a capture with a changed manifest.
func lying(name, reason string, lie func(m map[string]any)) HostileCapture {
	files := goodLCC().Memory()
	var m map[string]any
	if err := json.Unmarshal(files[LCCManifest], &m); err != nil {
		panic(err) // we wrote it
	}
	lie(m)
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	files[LCCManifest] = b
	return HostileCapture{name, files, LCCManifest, reason}
}

// setting lies about one field.
func setting(name, field string, value any, reason string) HostileCapture {
	return lying(name, reason, func(m map[string]any) { m[field] = value })
}

func lccManifests() []HostileCapture {
	wrong := func(name, manifest, reason string) HostileCapture {
		files := goodLCC().Memory()
		files[LCCManifest] = []byte(manifest)
		return HostileCapture{name, files, LCCManifest, reason}
	}
	return []HostileCapture{
		wrong("a manifest that is no JSON", "PK\x03\x04", "not valid JSON"),
		wrong("a manifest of another form", `{"splats":"many"}`, "not valid JSON of that form"),
		wrong("an empty manifest", "", "not valid JSON"),
		wrong("a manifest without anything", "{}", "totalLevel"),
		wrong("an endless manifest", strings.Repeat(" ", 2<<20)+"{}", "too large"),
		setting("no levels", "totalLevel", 0, "totalLevel"),
		setting("too many levels", "totalLevel", 33, "totalLevel"),
		setting("fewer counts than levels", "splats", []int{400}, "every level"),
		setting("a negative count", "splats", []int{400, -1}, "impossible number"),
		setting("a count beyond all bounds", "splats", []int{1 << 40, 200}, "impossible number"),
		setting("another encoding", "encoding", "DRACO", "encoding other than COMPRESS"),
		setting("another type", "fileType", "Ultra", "fileType other than"),
		setting("cells without a length", "cellLengthX", 0, "cells without a length"),
		setting("cells of a negative length", "cellLengthY", -10, "cells without a length"),
		setting("a box turned inside out", "boundingBox", map[string]any{"min": []int{0, 0, 1}, "max": []int{1, 1, 0}}, "boundingBox"),
		setting("no box", "boundingBox", nil, "boundingBox"),
	}
}

func lccRangeLies() []HostileCapture {
	attribute := func(name, attribute string, low, high any, reason string) HostileCapture {
		return lying(name, reason, func(m map[string]any) {
			for _, a := range m["attributes"].([]any) {
				if a := a.(map[string]any); a["name"] == attribute {
					a["min"], a["max"] = low, high
				}
			}
		})
	}
	one, zero := []int{1, 1, 1}, []int{0, 0, 0}
	return []HostileCapture{
		setting("no ranges", "attributes", []any{}, "no range of the attribute scale"),
		attribute("a range turned round", "scale", one, zero, "no proper range of the attribute scale"),
		attribute("a range of two numbers", "shcoef", []int{0, 0}, one, "no proper range of the attribute shcoef"),
		attribute("a range beyond all bounds", "envscale", zero, []float64{1, 1, 1e300}, "no proper range of the attribute envscale"),
		attribute("a range of nothing", "envshcoef", nil, one, "no proper range of the attribute envshcoef"),
	}
}

func lccIndexes() []HostileCapture {
	// A unit has 36 bytes: the cell, and of each of two levels the count, the
	// offset and the size.
	const unit, count, offset, size, second = 36, 4, 8, 16, 16
	le := binary.LittleEndian
	changed := func(name, reason string, change func(b []byte) []byte) HostileCapture {
		files := goodLCC().Memory()
		files["index.bin"] = change(bytes.Clone(files["index.bin"]))
		return HostileCapture{name, files, "index.bin", reason}
	}
	word := func(name, reason string, at int, value uint64, width int) HostileCapture {
		return changed(name, reason, func(b []byte) []byte {
			wide := le.AppendUint64(nil, value)
			copy(b[at:at+width], wide)
			return b
		})
	}
	return []HostileCapture{
		changed("an index cut off", "no multiple", func(b []byte) []byte { return b[:len(b)-1] }),
		changed("an empty index", "does not have the 400 splats", func([]byte) []byte { return nil }),
		changed("a unit too few", "does not have the 400 splats", func(b []byte) []byte { return b[:unit] }),
		changed("a unit twice", "does not have the 400 splats", func(b []byte) []byte { return append(b, b[:unit]...) }),
		changed("an endless index", "too large", func([]byte) []byte { return make([]byte, 65<<20) }),
		changed("a count that the size contradicts", "contradicts itself", func(b []byte) []byte {
			le.PutUint32(b[count:], 1<<31)
			return b
		}),
		word("a cell outside of the box", "outside of the bounding box", 0, 60_000, 2),
		word("an offset beyond the data", "beyond the end", offset, 1<<40, 8),
		word("an offset beyond all bounds", "beyond the end", offset, math.MaxUint64-31, 8),
		word("data that overlaps by a byte", "overlap", second+offset, 32*200-1, 8),
		changed("one unit's data for all", "overlap", func(b []byte) []byte {
			copy(b[unit+offset:], b[offset:size])
			copy(b[unit+second+offset:], b[second+offset:second+size])
			return b
		}),
		nothingAtAll(),
	}
}

// nothingAtAll is a capture that is right in every way, but for having no splats.
func nothingAtAll() HostileCapture {
	return HostileCapture{"a capture of nothing", LCCCapture{Levels: 2}.Memory(), "index.bin", "no splats at all"}
}

func lccFiles() []HostileCapture {
	without := func(name string) HostileCapture {
		files := goodLCC().Memory()
		delete(files, name)
		return HostileCapture{"a capture without " + name, files, name, "is missing"}
	}
	cut := func(what, name string, n int, entry, reason string) HostileCapture {
		files := goodLCC().Memory()
		files[name] = files[name][:len(files[name])-n]
		return HostileCapture{what, files, entry, reason}
	}
	return []HostileCapture{
		without(LCCManifest),
		without("index.bin"),
		without("data.bin"),
		without("shcoef.bin"),
		cut("data cut off", "data.bin", 1, "index.bin", "beyond the end"),
		cut("harmonics cut off", "shcoef.bin", 1, "index.bin", "beyond the end"),
		cut("an environment cut off", "environment.bin", 32, "environment.bin", "no multiple"),
		endlessSky(),
	}
}

// endlessSky has so many splats around it that holding them all would be the
// attack.
func endlessSky() HostileCapture {
	c := goodLCC()
	c.Harmonics = false
	files := c.Memory()
	files["environment.bin"] = make([]byte, 32<<20+32)
	return HostileCapture{"an endless sky", files, "environment.bin", "too many splats"}
}

func lccPositions() []HostileCapture {
	lost := func(what, name string, stride int, value float64) HostileCapture {
		files := goodLCC().Memory()
		// The y of the second splat. One in 400 is too many.
		binary.LittleEndian.PutUint32(files[name][stride+4:], math.Float32bits(float32(value)))
		return HostileCapture{what, files, name, "no finite position"}
	}
	return []HostileCapture{
		lost("positions that are no numbers", "data.bin", 32, math.NaN()),
		lost("positions at infinity", "data.bin", 32, math.Inf(-1)),
		lost("a sky without a position", "environment.bin", 96, math.NaN()),
	}
}
