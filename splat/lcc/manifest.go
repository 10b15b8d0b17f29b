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
	maxVersion       = 20 // bytes
	// maxMagnitude is the maximum of coordinates, sizes and coefficients, so that every sum and
	// product of two of them is finite in a float32.
	maxMagnitude = 1e9
)

// manifest is the part of the .lcc file that is needed for reading (white paper, section
// "meta.lcc"). It does not contain totalSplats and indexDataSize: the example in the white paper
// contradicts itself in both, and index.bin has the real values.
type manifest struct {
	// Version is a string in all known files, such as "5.0".
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

// box is the bounding box without the environment, in metres, with z up.
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

// interval is a valid range of three values.
type interval struct{ min, max [3]float64 }

// readManifest reads the manifest and checks everything that does not depend on other
// files.
func readManifest(ctx context.Context, files folder.Reader, name string) (*manifest, error) {
	f, err := open(ctx, files, name)
	if err != nil {
		return nil, err
	}
	if f.Size() > maxManifestBytes {
		return nil, errors.Join(input.Errorf(name, "is too large for an LCC manifest: it has %d bytes, at most %d can be read", f.Size(), maxManifestBytes), f.Close())
	}
	data := make([]byte, f.Size())
	if err := errors.Join(readAt(f, data, 0, name), f.Close()); err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := input.DecodeTolerantJSON(data, m); err != nil {
		return nil, input.Errorf(name, "is not an LCC manifest: its JSON cannot be read").Advise("Export the capture again")
	}
	if fault := m.fault(); fault != "" {
		return nil, input.Errorf(name, "%s", fault).Advise("Export the capture again")
	}
	return m, nil
}

// fault returns what is wrong with the manifest, or "".
func (m *manifest) fault() string {
	switch {
	case m.TotalLevel < 1 || m.TotalLevel > maxLevels:
		return "has a level count (totalLevel) that is not between 1 and 32"
	case len(m.Splats) != m.TotalLevel:
		return "does not list the number of Gaussians of every level"
	case m.Encoding != "" && m.Encoding != "COMPRESS":
		return "has another encoding than COMPRESS, which cannot be read"
	case m.FileType != "" && m.FileType != "Portable" && m.FileType != "Quality":
		return "has another fileType than Portable and Quality, which cannot be read"
	case !isCellLength(m.CellLengthX) || !isCellLength(m.CellLengthY):
		return "has cells without a length (cellLengthX, cellLengthY)"
	}
	if _, ok := parseInterval(m.BoundingBox.Min, m.BoundingBox.Max); !ok {
		return "has no valid boundingBox, which is three numbers for min and three for max that are not smaller"
	}
	for _, n := range m.Splats {
		if n < 0 || n > maxSplats {
			return "has a level with an impossible number of Gaussians"
		}
	}
	return ""
}

// isCellLength reports whether v is a valid length of a cell in metres. NaN is not.
func isCellLength(v float64) bool { return v > 0 && v <= maxMagnitude }

// parseInterval returns an interval and reports whether its numbers are finite and in order. Both
// ends may be equal: a Portable capture has no harmonics, and their range is often empty.
func parseInterval(low, high []float64) (interval, bool) {
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

func (m *manifest) hasAttribute(name string) bool {
	for _, a := range m.Attributes {
		if a.Name == name {
			return true
		}
	}
	return false
}

// interval returns the range of the first of these attributes that the manifest has. It checks
// only this range, because exporters write arbitrary values into ranges that are not used.
func (m *manifest) interval(manifestName string, names ...string) (interval, error) {
	for _, name := range names {
		for _, a := range m.Attributes {
			if a.Name != name {
				continue
			}
			if r, ok := parseInterval(a.Min, a.Max); ok {
				return r, nil
			}
			return interval{}, input.Errorf(manifestName, "has no valid range of the attribute %s, which is three numbers for min and three for max that are not smaller", name).
				Advise("Export the capture again")
		}
	}
	return interval{}, input.Errorf(manifestName, "has no range of the attribute %s", names[0]).Advise("Export the capture again")
}

// version returns the version without the quotes of its string, or "" for a text that
// is too long to be one.
func (m *manifest) version() string {
	version := strings.Trim(string(m.Version), `"`)
	if len(version) > maxVersion {
		return ""
	}
	return version
}
