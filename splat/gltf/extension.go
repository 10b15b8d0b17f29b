package gltf

import (
	"encoding/json"
	"fmt"
	"math"

	"portico/splat/gaussian"
)

// extensionGaussians is the name of the ratified extension.
const extensionGaussians = "KHR_gaussian_splatting"

// toGLTF is the quaternion of half a turn about z. It converts between the axes of package
// gaussian, y down, and of glTF, y up, in both directions. Viewers rotate captures by the same
// half turn, so a converted capture is in the same position as its glTF file.
var toGLTF = [4]float32{0, 0, 1, 0}

// gaussianExtension is the object of the extension. The ratified text requires a kernel
// and a colour space; drafts have neither.
type gaussianExtension struct {
	Kernel     string `json:"kernel"`
	ColorSpace string `json:"colorSpace"`
	Extensions struct {
		// The drafts of the compression by SPZ had these two names.
		SPZ      *viewReference `json:"KHR_gaussian_splatting_compression_spz_2"`
		SPZDraft *viewReference `json:"KHR_gaussian_splatting_compression_spz"`
	} `json:"extensions"`
}

// linearColours is the colour space in which colours are proportional to light.
const linearColours = "lin_rec709_display"

// toDisplay converts linear colours to the colours of a display, which all other formats have. The
// conversion is not linear, so harmonics are scaled by its slope at the colour without them: exact
// for colours that are the same from all sides, and close for the small differences of the others.
func toDisplay(c *gaussian.Cloud) {
	n := gaussian.Coefficients(c.Degree)
	for i := range c.Colours {
		light := 0.5 + gaussian.C0*float64(c.Colours[i])
		// IEC 61966-2-1. Light below 0 continues the line.
		value, slope := 12.92*light, 12.92
		if light > 0.0031308 {
			value, slope = 1.055*math.Pow(light, 1/2.4)-0.055, 1.055/2.4*math.Pow(light, 1/2.4-1)
		}
		c.Colours[i] = float32((value - 0.5) / gaussian.C0)
		for k := range n {
			c.Harmonics[n*i+k] *= float32(slope)
		}
	}
}

// viewReference refers to the buffer view with an SPZ file.
type viewReference struct {
	BufferView integer `json:"bufferView"`
}

// parseExtension returns the extension of a primitive for which isGaussian is true, and
// the reference to its SPZ data, which is nil without compression.
func (k *checker) parseExtension(p *primitive) (e gaussianExtension, spz *viewReference, err error) {
	text, to := p.Extensions.Gaussians, any(&e)
	if !isPresent(text) {
		spz = &viewReference{}
		text, to = p.Extensions.FirstDraft, spz
	}
	if err := json.Unmarshal(text, to); err != nil {
		return e, nil, k.damaged("the extension of its Gaussians cannot be read")
	}
	switch {
	case e.Extensions.SPZ != nil:
		spz = e.Extensions.SPZ
	case e.Extensions.SPZDraft != nil:
		spz = e.Extensions.SPZDraft
	}
	if spz != nil && !isValidIndex(&spz.BufferView, len(k.BufferViews)) {
		return e, nil, k.damaged("its Gaussians refer to buffer view %d, but there are %d", spz.BufferView, len(k.BufferViews))
	}
	return e, spz, nil
}

// names is a naming scheme of the attributes of Gaussians. The schemes, and the names of the
// attributes in them:
//
//	ratified          KHR_gaussian_splatting:ROTATION, ...:SCALE, ...:OPACITY, ...:SH_DEGREE_l_COEF_m
//	draft             KHR_gaussian_splatting:ROTATION, ...:SCALE, COLOR_0, ...:SH_DEGREE_l_COEF_m
//	with underscores  _ROTATION, _SCALE, _OPACITY or COLOR_0, _SH_DEGREE_l_COEF_m
//
// All of them have POSITION. SH_DEGREE_0_COEF_0 is the zeroth harmonic, f_dc.
type names struct {
	// prefix precedes the names of all attributes except the position and the colour.
	prefix string
	// colour reports whether COLOR_0 is the colour and the opacity, as in a draft.
	colour bool
}

// namesOf returns the naming scheme of the attributes: the ratified names, the names of a draft
// with COLOR_0, or such names with an underscore. It reports false if a required attribute is
// missing.
func namesOf(all map[string]integer) (names, bool) {
	has := func(name string) bool { _, ok := all[name]; return ok }
	for _, prefix := range []string{extensionGaussians + ":", "_"} {
		if !has("POSITION") || !has(prefix+"ROTATION") || !has(prefix+"SCALE") {
			continue
		}
		ratified := has(prefix+"OPACITY") && has(prefix+"SH_DEGREE_0_COEF_0")
		if ratified || has("COLOR_0") {
			return names{prefix, !ratified}, true
		}
	}
	return names{}, false
}

// harmonic returns the name of the attribute of a harmonic.
func (n names) harmonic(degree, order int) string {
	return fmt.Sprintf("%sSH_DEGREE_%d_COEF_%d", n.prefix, degree, order)
}

// degree returns the degree of the harmonics: the highest degree up to which all coefficients
// exist.
func (n names) degree(all map[string]integer) int {
	for degree := 1; degree <= maxDegree; degree++ {
		for order := range 2*degree + 1 {
			if _, ok := all[n.harmonic(degree, order)]; !ok {
				return degree - 1
			}
		}
	}
	return maxDegree
}

// colourOfShare returns the f_dc of a colour from 0 to 1.
func colourOfShare(v float32) float32 { return (v - 0.5) / gaussian.C0 }
