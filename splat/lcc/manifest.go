package lcc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"portico/splat/folder"
	"portico/splat/input"
)

// Limits of a manifest. Real ones have about 2 KiB and up to nine levels.
const (
	maxManifestBytes = 1 << 20
	maxLevels        = 32
	maxVersion       = 20 // bytes that are shown of it
	// maxMagnitude bounds all coordinates, sizes and coefficients of a manifest,
	// so that no sum or product of them leaves what a float32 can hold.
	maxMagnitude = 1e9
)

// manifest is what reading needs of the .lcc file. totalSplats and indexDataSize
// are left alone: the white paper's own example contradicts itself in both, and
// the index tells the truth.
type manifest struct {
	// Version is a string in all that were seen, "5.0".
	Version     json.RawMessage `json:"version"`
	TotalLevel  int             `json:"totalLevel"`
	Splats      []int64         `json:"splats"` // of each level, the finest first
	CellLengthX float64         `json:"cellLengthX"`
	CellLengthY float64         `json:"cellLengthY"`
	BoundingBox box             `json:"boundingBox"`
	Encoding    string          `json:"encoding"`
	FileType    string          `json:"fileType"`
	Attributes  []attribute     `json:"attributes"`
}

// box is the manifest's, in metres, z up, without the environment.
type box struct {
	Min []float64 `json:"min"`
	Max []float64 `json:"max"`
}

// attribute is the range of one quantised value.
type attribute struct {
	Name string    `json:"name"`
	Min  []float64 `json:"min"`
	Max  []float64 `json:"max"`
}

// interval is a checked range of three values.
type interval struct{ min, max [3]float64 }

// readManifest reads and checks what does not depend on other files.
func readManifest(ctx context.Context, files folder.Reader, name string) (*manifest, error) {
	f, err := open(ctx, files, name)
	if err != nil {
		return nil, err
	}
	if f.Size() > maxManifestBytes {
		return nil, errors.Join(input.Errorf(name, "is too large for an LCC manifest: %d bytes, at most %d", f.Size(), maxManifestBytes), f.Close())
	}
	data := make([]byte, f.Size())
	if err := errors.Join(readAt(f, data, 0, name), f.Close()); err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := input.DecodeTolerantJSON(data, m); err != nil {
		return nil, input.Errorf(name, "is no LCC manifest: it is not valid JSON of that form")
	}
	if problem := m.problem(); problem != "" {
		return nil, input.Errorf(name, "%s", problem)
	}
	return m, nil
}

// problem says what is wrong with the manifest, or nothing.
func (m *manifest) problem() string {
	switch {
	case m.TotalLevel < 1 || m.TotalLevel > maxLevels:
		return "has a level count (totalLevel) that is not between 1 and 32"
	case len(m.Splats) != m.TotalLevel:
		return "does not list the number of splats of every level"
	case m.Encoding != "" && m.Encoding != "COMPRESS":
		return "has an encoding other than COMPRESS, which cannot be read"
	case m.FileType != "" && m.FileType != "Portable" && m.FileType != "Quality":
		return "has a fileType other than Portable and Quality, which cannot be read"
	case !isLength(m.CellLengthX) || !isLength(m.CellLengthY):
		return "has cells without a length (cellLengthX, cellLengthY)"
	}
	if _, ok := ordered(m.BoundingBox.Min, m.BoundingBox.Max); !ok {
		return "has no proper boundingBox: three finite numbers for min and no smaller ones for max"
	}
	for _, n := range m.Splats {
		if n < 0 || n > maxSplats {
			return "has a level with an impossible number of splats"
		}
	}
	return ""
}

// isLength tells whether a cell may be this long, in metres. What is no number is
// no length either.
func isLength(v float64) bool { return v > 0 && v <= maxMagnitude }

// ordered makes an interval of three numbers each, if they are finite and in
// order. Equal ends are in order: a Portable capture has no harmonics, and their
// range is often nothing.
func ordered(low, high []float64) (interval, bool) {
	if len(low) != 3 || len(high) != 3 {
		return interval{}, false
	}
	for k := range 3 {
		if !(math.Abs(low[k]) <= maxMagnitude && math.Abs(high[k]) <= maxMagnitude && low[k] <= high[k]) {
			return interval{}, false
		}
	}
	return interval{[3]float64(low), [3]float64(high)}, true
}

// has tells whether the manifest has an attribute.
func (m *manifest) has(name string) bool {
	for _, a := range m.Attributes {
		if a.Name == name {
			return true
		}
	}
	return false
}

// interval returns the range of the first of these attributes that the manifest
// has. Only the ranges that are read with are looked at, because exporters fill
// the others with anything.
func (m *manifest) interval(manifestName string, names ...string) (interval, error) {
	for _, name := range names {
		for _, a := range m.Attributes {
			if a.Name != name {
				continue
			}
			if r, ok := ordered(a.Min, a.Max); ok {
				return r, nil
			}
			return interval{}, input.Errorf(manifestName, "has no proper range of the attribute %s: three finite numbers for min and no smaller ones for max", name)
		}
	}
	return interval{}, input.Errorf(manifestName, "has no range of the attribute %s", names[0])
}

// version returns the version for people: without the quotes of a string, and not
// if it is so long that it is none.
func (m *manifest) version() string {
	version := strings.Trim(string(m.Version), `"`)
	if len(version) > maxVersion {
		return ""
	}
	return version
}
