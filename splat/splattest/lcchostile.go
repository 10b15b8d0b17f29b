package splattest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
)

// HostileCapture is a capture that must be refused when it is opened or read.
type HostileCapture struct {
	// Name completes the sentence "refuses ...".
	Name string
	// Files holds the capture's files by name.
	Files map[string][]byte
	// Entry is the file that the error must name, and Reason a part of its text.
	Entry, Reason string
}

// HostileLCC returns LCC captures for every rule, with the manifest LCCManifest. Apart
// from their fault, they have two levels of 400 and 200 Gaussians in two cells, harmonics and
// an environment.
func HostileLCC() []HostileCapture {
	var all []HostileCapture
	for _, group := range [][]HostileCapture{lccManifests(), hostileRanges(), lccIndexes(), lccFiles(), lccPositions()} {
		all = append(all, group...)
	}
	return all
}

// validLCC returns the capture that the hostile captures are derived from.
func validLCC() LCCCapture {
	return LCCCapture{Splats: 400, Levels: 2, Columns: 2, Harmonics: true, Environment: 30}
}

// withManifest returns a capture that is valid except for what change does to its manifest. The
// refusal contains reason.
func withManifest(name, reason string, change func(m map[string]any)) HostileCapture {
	files := validLCC().Memory()
	var m map[string]any
	if err := json.Unmarshal(files[LCCManifest], &m); err != nil {
		panic(err) // the manifest is our own
	}
	change(m)
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	files[LCCManifest] = b
	return HostileCapture{name, files, LCCManifest, reason}
}

// withField returns a capture with a changed field of the manifest.
func withField(name, field string, value any, reason string) HostileCapture {
	return withManifest(name, reason, func(m map[string]any) { m[field] = value })
}

// lccManifests returns captures with invalid manifests.
func lccManifests() []HostileCapture {
	wrong := func(name, manifest, reason string) HostileCapture {
		files := validLCC().Memory()
		files[LCCManifest] = []byte(manifest)
		return HostileCapture{name, files, LCCManifest, reason}
	}
	return []HostileCapture{
		wrong("a manifest that is no JSON", "PK\x03\x04", "its JSON cannot be read"),
		wrong("a manifest of another form", `{"splats":"many"}`, "its JSON cannot be read"),
		wrong("an empty manifest", "", "its JSON cannot be read"),
		wrong("a manifest without anything", "{}", "totalLevel"),
		wrong("an endless manifest", strings.Repeat(" ", 2<<20)+"{}", "too large"),
		withField("no levels", "totalLevel", 0, "totalLevel"),
		withField("too many levels", "totalLevel", 33, "totalLevel"),
		withField("fewer counts than levels", "splats", []int{400}, "every level"),
		withField("a negative count", "splats", []int{400, -1}, "impossible number"),
		withField("a count beyond all bounds", "splats", []int{1 << 40, 200}, "impossible number"),
		withField("another encoding", "encoding", "DRACO", "another encoding than COMPRESS"),
		withField("another type", "fileType", "Ultra", "another fileType than"),
		withField("cells without a length", "cellLengthX", 0, "cells without a length"),
		withField("cells of a negative length", "cellLengthY", -10, "cells without a length"),
		withField("a box turned inside out", "boundingBox", map[string]any{"min": []int{0, 0, 1}, "max": []int{1, 1, 0}}, "boundingBox"),
		withField("no box", "boundingBox", nil, "boundingBox"),
	}
}

// hostileRanges returns captures with invalid ranges of attributes.
func hostileRanges() []HostileCapture {
	attribute := func(name, attribute string, low, high any, reason string) HostileCapture {
		return withManifest(name, reason, func(m map[string]any) {
			for _, a := range m["attributes"].([]any) {
				if a := a.(map[string]any); a["name"] == attribute {
					a["min"], a["max"] = low, high
				}
			}
		})
	}
	one, zero := []int{1, 1, 1}, []int{0, 0, 0}
	return []HostileCapture{
		withField("no ranges", "attributes", []any{}, "no range of the attribute scale"),
		attribute("a range turned round", "scale", one, zero, "no valid range of the attribute scale"),
		attribute("a range of two numbers", "shcoef", []int{0, 0}, one, "no valid range of the attribute shcoef"),
		attribute("a range beyond all bounds", "envscale", zero, []float64{1, 1, 1e300}, "no valid range of the attribute envscale"),
		attribute("a range of nothing", "envshcoef", nil, one, "no valid range of the attribute envshcoef"),
	}
}

// lccIndexes returns captures with indexes that contradict the manifest or the data.
func lccIndexes() []HostileCapture {
	// A unit has 36 bytes: the cell, then the count, the offset and the size of each of
	// two levels.
	const unit, count, offset, size, second = 36, 4, 8, 16, 16
	le := binary.LittleEndian
	changed := func(name, reason string, change func(b []byte) []byte) HostileCapture {
		files := validLCC().Memory()
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
		changed("an index cut off", "not a multiple", func(b []byte) []byte { return b[:len(b)-1] }),
		changed("an empty index", "does not have the 400 Gaussians", func([]byte) []byte { return nil }),
		changed("a unit too few", "does not have the 400 Gaussians", func(b []byte) []byte { return b[:unit] }),
		changed("a unit twice", "does not have the 400 Gaussians", func(b []byte) []byte { return append(b, b[:unit]...) }),
		changed("an endless index", "too large", func([]byte) []byte { return make([]byte, 65<<20) }),
		changed("a count that the size contradicts", "Gaussians in 6400 bytes", func(b []byte) []byte {
			le.PutUint32(b[count:], 1<<31)
			return b
		}),
		word("a cell outside of the box", "outside of the bounding box", 0, 60_000, 2),
		word("an offset beyond the data", "ends after data.bin", offset, 1<<40, 8),
		word("an offset beyond all bounds", "ends after data.bin", offset, math.MaxUint64-31, 8),
		word("data that overlaps by a byte", "overlap", second+offset, 32*200-1, 8),
		changed("one unit's data for all", "overlap", func(b []byte) []byte {
			copy(b[unit+offset:], b[offset:size])
			copy(b[unit+second+offset:], b[second+offset:second+size])
			return b
		}),
		emptyCapture(),
	}
}

// emptyCapture returns a capture whose only fault is that it has no Gaussians.
func emptyCapture() HostileCapture {
	return HostileCapture{"a capture of nothing", LCCCapture{Levels: 2}.Memory(), "index.bin", "has no Gaussians"}
}

// lccFiles returns captures with missing, truncated or huge files.
func lccFiles() []HostileCapture {
	without := func(name string) HostileCapture {
		files := validLCC().Memory()
		delete(files, name)
		return HostileCapture{"a capture without " + name, files, name, "is missing"}
	}
	cut := func(what, name string, n int, entry, reason string) HostileCapture {
		files := validLCC().Memory()
		files[name] = files[name][:len(files[name])-n]
		return HostileCapture{what, files, entry, reason}
	}
	return []HostileCapture{
		without(LCCManifest),
		without("index.bin"),
		without("data.bin"),
		without("shcoef.bin"),
		cut("data cut off", "data.bin", 1, "index.bin", "ends after data.bin"),
		cut("harmonics cut off", "shcoef.bin", 1, "index.bin", "ends after data.bin"),
		cut("an environment cut off", "environment.bin", 32, "environment.bin", "not a multiple"),
		hugeEnvironment(),
	}
}

// hugeEnvironment returns a capture whose environment would take too much memory.
func hugeEnvironment() HostileCapture {
	c := validLCC()
	c.Harmonics = false
	files := c.Memory()
	files["environment.bin"] = make([]byte, 32<<20+32)
	return HostileCapture{"an endless sky", files, "environment.bin", "too many Gaussians"}
}

// lccPositions returns captures with positions that are not finite.
func lccPositions() []HostileCapture {
	lost := func(what, name string, stride int, value float64) HostileCapture {
		files := validLCC().Memory()
		// Set y of one splat in twenty, which is too many.
		for at := stride + 4; at < len(files[name]); at += 20 * stride {
			binary.LittleEndian.PutUint32(files[name][at:], math.Float32bits(float32(value)))
		}
		return HostileCapture{what, files, name, "values that are not finite"}
	}
	return []HostileCapture{
		lost("positions that are not numbers", "data.bin", 32, math.NaN()),
		lost("positions at infinity", "data.bin", 32, math.Inf(-1)),
		lost("a sky without a position", "environment.bin", 96, math.NaN()),
	}
}
