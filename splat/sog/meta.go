package sog

import (
	"encoding/json"
	"errors"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// The names that the writers give. Readers go by what a manifest says.
const (
	metaName   = "meta.json"
	streamName = "lod-meta.json"
)

// version is that of the meta.json which is read and written.
const version = 2

// meta is a meta.json ("The SOG Format", 2).
type meta struct {
	Version int          `json:"version"`
	Asset   asset        `json:"asset"`
	Count   int64        `json:"count"`
	Means   means        `json:"means"`
	Scales  property     `json:"scales"`
	Quats   property     `json:"quats"`
	SH0     property     `json:"sh0"`
	SHN     *paletteMeta `json:"shN,omitempty"`
}

// asset tells where a file comes from.
type asset struct {
	Generator string `json:"generator"`
}

// means are the positions: 16 bits between Mins and Maxs, which are logarithms.
type means struct {
	// Shape stands in version 1 only.
	Shape []int64   `json:"shape,omitempty"`
	Mins  []float32 `json:"mins"`
	Maxs  []float32 `json:"maxs"`
	Files []string  `json:"files"`
}

// property is what one image holds, as numbers of a codebook or by itself.
type property struct {
	Codebook codebook `json:"codebook,omitempty"`
	Files    []string `json:"files"`
}

// paletteMeta is the harmonics: an image of the entries, and one of their numbers.
type paletteMeta struct {
	// Count is how many entries there are, Bands the degree of the harmonics.
	Count    int64    `json:"count"`
	Bands    int      `json:"bands"`
	Codebook codebook `json:"codebook"`
	Files    []string `json:"files"`
}

// codebook is what the bytes of an image stand for.
type codebook []float32

// UnmarshalJSON reads numbers. Old tools wrote null where the first one was an
// infinite logarithm; viewers then continue the others downwards, and so do we.
func (c *codebook) UnmarshalJSON(data []byte) error {
	var values []*float32
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*c = make(codebook, len(values))
	for i, value := range values {
		switch {
		case value != nil:
			(*c)[i] = *value
		case i > 0 || len(values) < 2:
			return errors.New("codebook without a number")
		}
	}
	if len(values) > 1 && values[0] == nil {
		(*c)[0] = (*c)[1] - ((*c)[len(values)-1]-(*c)[1])/(codebookSize-1)
	}
	return nil
}

// full returns all values that a byte can stand for. What is beyond the end of a
// short codebook is its last value.
func (c codebook) full() *[codebookSize]float32 {
	var full [codebookSize]float32
	for i := range full {
		full[i] = c[min(i, len(c)-1)]
	}
	return &full
}

// parseMeta reads and checks a meta.json that was called name.
func parseMeta(name string, data []byte, limits Limits) (*meta, error) {
	var m meta
	if err := input.DecodeJSON(data, &m); err != nil {
		return nil, input.Errorf(name, "is no SOG manifest: its JSON cannot be read")
	}
	switch {
	case len(m.Means.Files) == 0:
		return nil, input.Errorf(name, "is no SOG manifest: it names no images of positions")
	case m.Version == 0 && len(m.Means.Shape) > 0, m.Version == 1:
		return nil, input.Errorf(name, "is a SOG of version 1, which cannot be read; compress the capture again with a current tool")
	case m.Version != version:
		return nil, input.Errorf(name, "is a SOG of version %d; only version %d can be read", m.Version, version)
	case m.Count < 1:
		return nil, input.Errorf(name, "has no Gaussians")
	case m.Count > limits.Gaussians:
		return nil, input.Errorf(name, "has %d Gaussians; at most %d can be read", m.Count, limits.Gaussians)
	}
	for _, check := range []func(string) error{m.checkMeans, m.checkProperties, m.checkPalette} {
		if err := check(name); err != nil {
			return nil, err
		}
	}
	return &m, nil
}

// maxLogarithm is that of the farthest position, a bit less than the largest
// float32.
const maxLogarithm = 88

// checkMeans checks what is said about the positions.
func (m *meta) checkMeans(name string) error {
	if len(m.Means.Mins) != 3 || len(m.Means.Maxs) != 3 || len(m.Means.Files) != 2 {
		return input.Errorf(name, "does not give the positions three bounds and two images")
	}
	for axis := range 3 {
		low, high := m.Means.Mins[axis], m.Means.Maxs[axis]
		if low > high || low < -maxLogarithm || high > maxLogarithm {
			return input.Errorf(name, "has bounds of the positions that cannot be: %g to %g", low, high)
		}
	}
	return nil
}

// checkProperties checks what every Gaussian has besides its position.
func (m *meta) checkProperties(name string) error {
	for _, p := range []struct {
		what  string
		of    property
		coded bool
	}{{"scales", m.Scales, true}, {"quats", m.Quats, false}, {"sh0", m.SH0, true}} {
		if len(p.of.Files) != 1 {
			return input.Errorf(name, "names %d images of %s, not one", len(p.of.Files), p.what)
		}
		if p.coded && !p.of.Codebook.isUsable() {
			return input.Errorf(name, "has a codebook of %s with %d values, not %d", p.what, len(p.of.Codebook), codebookSize)
		}
	}
	return nil
}

// isUsable tells whether there is a value for every byte, or at least one: tools
// that quantise few values may write no more than these.
func (c codebook) isUsable() bool { return len(c) > 0 && len(c) <= codebookSize }

// checkPalette checks what is said about the harmonics. Manifests without any may
// still have an empty entry.
func (m *meta) checkPalette(name string) error {
	if m.SHN != nil && m.SHN.Bands == 0 {
		m.SHN = nil
	}
	switch p := m.SHN; {
	case p == nil:
	case p.Bands < 0 || p.Bands > maxDegree:
		return input.Errorf(name, "has harmonics of degree %d; SOG knows 1 to %d", p.Bands, maxDegree)
	case p.Count < 1 || p.Count > maxPalette:
		return input.Errorf(name, "has a palette of %d harmonics, not of 1 to %d", p.Count, maxPalette)
	case len(p.Files) != 2:
		return input.Errorf(name, "names %d images of harmonics, not two", len(p.Files))
	case !p.Codebook.isUsable():
		return input.Errorf(name, "has a codebook of harmonics with %d values, not %d", len(p.Codebook), codebookSize)
	}
	return nil
}

// degree returns that of the harmonics.
func (m *meta) degree() int {
	if m.SHN == nil {
		return 0
	}
	return m.SHN.Bands
}

// coefficients returns how many harmonics each colour channel has.
func (m *meta) coefficients() int { return gaussian.Coefficients(m.degree()) }

// bounds returns the box around all positions.
func (m *meta) bounds() (low, high [3]float64) {
	for axis := range 3 {
		low[axis] = fromLogarithm(float64(m.Means.Mins[axis]))
		high[axis] = fromLogarithm(float64(m.Means.Maxs[axis]))
	}
	return low, high
}
