package sog

import (
	"encoding/json"
	"errors"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// The names of manifests. Readers take the names of images from the manifest.
const (
	metaName   = "meta.json"
	streamName = "lod-meta.json"
)

// version is the version of meta.json that is written. Version 1 is also read.
const version = 2

// meta is a meta.json ("The SOG Format", 2).
//
// Files of each property are names relative to the manifest, in the order of the package comment.
// Version 1 has shapes and ranges instead of Count and codebooks (see version1.go).
type meta struct {
	Version int   `json:"version"`
	Asset   asset `json:"asset"`
	Count   int64 `json:"count"`
	// Antialias and Model say which renderer the Gaussians were trained for. The published format
	// has Antialias, and splat-transform writes Model, "antialiased" or "2dgs".
	Antialias lenient[bool]   `json:"antialias,omitzero"`
	Model     lenient[string] `json:"model,omitzero"`
	Means     means           `json:"means"`
	Scales    property        `json:"scales"`
	Quats     property        `json:"quats"`
	SH0       property        `json:"sh0"`
	SHN       *paletteMeta    `json:"shN,omitempty"`
}

// lenient is an optional value of a manifest. A value of another type counts as none.
type lenient[T any] struct{ value T }

// UnmarshalJSON implements json.Unmarshaler.
func (v *lenient[T]) UnmarshalJSON(data []byte) error {
	var value T
	if json.Unmarshal(data, &value) == nil {
		v.value = value
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (v lenient[T]) MarshalJSON() ([]byte, error) { return json.Marshal(v.value) }

// Model is the renderer that Gaussians were trained for. An empty one is the renderer of 3DGS.
type Model string

// The other models that a SOG can name.
const (
	Antialiased Model = "antialiased" // Gaussians are at least a pixel wide (Mip-Splatting)
	Discs       Model = "2dgs"
)

// model returns the model that the manifest names. An unknown model counts as none.
func (m *meta) model() Model {
	switch named := Model(m.Model.value); {
	case named == Antialiased, named == Discs:
		return named
	case m.Antialias.value:
		return Antialiased
	}
	return ""
}

// setModel names the model in both ways.
func (m *meta) setModel(model Model) {
	m.Model.value, m.Antialias.value = string(model), model == Antialiased
}

// asset names the program that wrote a file.
type asset struct {
	Generator string `json:"generator"`
}

// means describes the positions: 16 bits between Mins and Maxs, which are logarithms.
type means struct {
	// Shape exists in version 1 only.
	Shape []int64   `json:"shape,omitempty"`
	Mins  []float32 `json:"mins"`
	Maxs  []float32 `json:"maxs"`
	Files []string  `json:"files"`
}

// property describes an image, whose bytes are indices into the codebook if there is one.
type property struct {
	Codebook codebook `json:"codebook,omitempty"`
	// Mins and Maxs are the ranges of the channels in version 1.
	Mins  []float32 `json:"mins,omitempty"`
	Maxs  []float32 `json:"maxs,omitempty"`
	Files []string  `json:"files"`
}

// paletteMeta describes the harmonics: an image of the entries, and an image of labels.
type paletteMeta struct {
	// Count is the number of entries, Bands the degree of the harmonics.
	Count    int64    `json:"count"`
	Bands    int      `json:"bands"`
	Codebook codebook `json:"codebook"`
	// Min and Max are the range of all values in version 1.
	Min   *float32 `json:"mins,omitempty"`
	Max   *float32 `json:"maxs,omitempty"`
	Files []string `json:"files"`
}

// codebook contains the values that the bytes of an image index.
type codebook []float32

// UnmarshalJSON reads the numbers. Old tools wrote null if the first was an infinite
// logarithm. Viewers extrapolate it from the others, and so does this.
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

// expand returns a value for every byte. It repeats the last value of a short codebook.
func (c codebook) expand() *[codebookSize]float32 {
	var full [codebookSize]float32
	for i := range full {
		full[i] = c[min(i, len(c)-1)]
	}
	return &full
}

// parseMeta parses and checks a meta.json. The name is for error texts.
func parseMeta(name string, data []byte, limits Limits) (*meta, error) {
	var m meta
	if err := input.DecodeJSON(data, &m); err != nil {
		return nil, input.Errorf(name, "is not a SOG manifest: its JSON cannot be read").Advise(adviceToExportAgain)
	}
	switch {
	case len(m.Means.Files) == 0:
		return nil, input.Errorf(name, "is not a SOG manifest: it names no images of positions").Advise(adviceToExportAgain)
	case m.isVersion1():
		if err := m.upgrade(name); err != nil {
			return nil, err
		}
	case m.Version != version:
		return nil, input.Errorf(name, "is a SOG of version %d; versions 1 and %d can be read", m.Version, version).
			Advise("Export it as version 2")
	}
	switch {
	case m.Count < 1:
		return nil, input.Errorf(name, "has no Gaussians").Advise(adviceToExportAgain)
	case m.Count > limits.Gaussians:
		return nil, input.Errorf(name, "has %d Gaussians; at most %d can be read", m.Count, limits.Gaussians).Advise(adviceToExportInParts)
	}
	for _, check := range []func(string) error{m.checkMeans, m.checkProperties, m.checkPalette} {
		if err := check(name); err != nil {
			return nil, err
		}
	}
	return &m, nil
}

// maxLogarithm is the logarithm of the largest coordinate, slightly below the logarithm
// of the largest float32, so that no position becomes infinite.
const maxLogarithm = 88

// checkMeans checks the description of the positions.
func (m *meta) checkMeans(name string) error {
	if len(m.Means.Mins) != 3 || len(m.Means.Maxs) != 3 || len(m.Means.Files) != 2 {
		return input.Damaged(name, "it does not have three bounds and two images for the positions")
	}
	for axis := range 3 {
		low, high := m.Means.Mins[axis], m.Means.Maxs[axis]
		if low > high || low < -maxLogarithm || high > maxLogarithm {
			return input.Damaged(name, "it has invalid bounds of the positions: %g to %g", low, high)
		}
	}
	return nil
}

// checkProperties checks the descriptions of scales, rotations and colours.
func (m *meta) checkProperties(name string) error {
	for _, p := range []struct {
		what     string
		property property
		coded    bool
	}{{"scales", m.Scales, true}, {"quats", m.Quats, false}, {"sh0", m.SH0, true}} {
		if len(p.property.Files) != 1 {
			return input.Damaged(name, "it names %d images of %s, not one", len(p.property.Files), p.what)
		}
		if p.coded && m.Version != 1 && !p.property.Codebook.isValid() {
			return input.Damaged(name, "it has a codebook of %s with %d values, not %d", p.what, len(p.property.Codebook), codebookSize)
		}
	}
	if m.Version == 1 {
		return m.checkRanges(name)
	}
	return nil
}

// isValid reports whether the codebook has 1 to 256 values. Tools with few distinct
// values may write a short one.
func (c codebook) isValid() bool { return len(c) > 0 && len(c) <= codebookSize }

// checkPalette checks the description of the harmonics. Manifests without harmonics may
// have one with no bands.
func (m *meta) checkPalette(name string) error {
	if m.Version == 1 {
		return nil // measurePalette and upgrade check it
	}
	if m.SHN != nil && m.SHN.Bands == 0 {
		m.SHN = nil
	}
	switch p := m.SHN; {
	case p == nil:
	case p.Bands < 0 || p.Bands > maxDegree:
		return input.Errorf(name, "has harmonics of degree %d; SOG supports 1 to %d", p.Bands, maxDegree).
			Advise("Export it with fewer harmonics")
	case p.Count < 1 || p.Count > maxPalette:
		return input.Damaged(name, "it has a palette of %d harmonics, not 1 to %d", p.Count, maxPalette)
	case len(p.Files) != 2:
		return input.Damaged(name, "it names %d images of harmonics, not two", len(p.Files))
	case !p.Codebook.isValid():
		return input.Damaged(name, "it has a codebook of harmonics with %d values, not %d", len(p.Codebook), codebookSize)
	}
	return nil
}

// degree returns the degree of the harmonics.
func (m *meta) degree() int {
	if m.SHN == nil {
		return 0
	}
	return m.SHN.Bands
}

// coefficients returns the number of harmonics of each colour channel.
func (m *meta) coefficients() int { return gaussian.Coefficients(m.degree()) }

// bounds returns the box around all positions.
func (m *meta) bounds() (low, high [3]float64) {
	for axis := range 3 {
		low[axis] = fromLogarithm(float64(m.Means.Mins[axis]))
		high[axis] = fromLogarithm(float64(m.Means.Maxs[axis]))
	}
	return low, high
}
