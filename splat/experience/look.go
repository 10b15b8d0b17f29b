package experience

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"strings"
)

// Look is how a scene looks and sounds. Its zero value is the viewer's own look. It has the values of
// RoomInfo, the settings of a space.
type Look struct {
	Background           string // #rrggbb; empty for the viewer's own
	SkyURL, SoundURL     string
	ToneMapping          string // a word of the format; empty for linear
	Effects              map[string]float64
	Vignette             map[string]float64
	highPrecisionRenders bool
}

type background struct {
	Color     *Vector `json:"color"`
	SkyboxURL string  `json:"skyboxUrl,omitempty"`
}

// effects are the post effects. Fringing is not kept: spaces have none.
type effects struct {
	Sharpness struct {
		Enabled bool    `json:"enabled"`
		Amount  float64 `json:"amount"`
	} `json:"sharpness"`
	Bloom struct {
		Enabled   bool    `json:"enabled"`
		Intensity float64 `json:"intensity"`
		BlurLevel float64 `json:"blurLevel"`
	} `json:"bloom"`
	Grading struct {
		Enabled    bool    `json:"enabled"`
		Brightness float64 `json:"brightness"`
		Contrast   float64 `json:"contrast"`
		Saturation float64 `json:"saturation"`
		Tint       Vector  `json:"tint"`
	} `json:"grading"`
	Vignette struct {
		Enabled   bool    `json:"enabled"`
		Intensity float64 `json:"intensity"`
		Inner     float64 `json:"inner"`
		Outer     float64 `json:"outer"`
		Curvature float64 `json:"curvature"`
	} `json:"vignette"`
	Fringing struct {
		Enabled   bool    `json:"enabled"`
		Intensity float64 `json:"intensity"`
	} `json:"fringing"`
}

// toneMappings are the words of the format, by the numbers of RoomInfo.
var toneMappings = []string{"linear", "filmic", "hejl", "aces", "aces2", "neutral"}

// look returns the look of a file. Addresses must be absolute, because a space is not where the file was.
func (d *document) look() Look {
	l := Look{highPrecisionRenders: d.HighPrecision, ToneMapping: d.Tonemapping, Effects: map[string]float64{}, Vignette: map[string]float64{}}
	if c := d.Background.Color; c != nil && *c != (Vector{}) { // black is the viewer's own
		rgb := make([]byte, 3)
		for i, channel := range c {
			rgb[i] = byte(math.Round(255 * min(max(channel, 0), 1)))
		}
		l.Background = "#" + hex.EncodeToString(rgb)
	}
	l.SkyURL, l.SoundURL = absolute(d.Background.SkyboxURL), absolute(d.SoundURL)
	e := d.PostEffectSettings
	if e.Sharpness.Enabled {
		l.Effects["sharpness"] = 1 + clamp(e.Sharpness.Amount, 0, 1)
	}
	if e.Bloom.Enabled {
		l.Effects["bloomIntensity"], l.Effects["bloomBlurLevel"] = clamp(10*e.Bloom.Intensity, 0, 1), clamp(e.Bloom.BlurLevel, 1, 8)
	}
	if e.Grading.Enabled {
		l.Effects["brightness"] = clamp(e.Grading.Brightness, 0, 2)
		l.Effects["contrast"] = clamp(e.Grading.Contrast, 0.5, 1.5)
		l.Effects["saturation"] = clamp(e.Grading.Saturation, 0, 2)
	}
	if v := e.Vignette; v.Enabled {
		l.Vignette = map[string]float64{
			"intensity": clamp(v.Intensity, 0, 1), "inner": clamp(v.Inner, 0, 3), "outer": clamp(v.Outer, 0, 3), "curvature": clamp(v.Curvature, 0.01, 10),
		}
	}
	return l
}

func absolute(address string) string {
	if strings.HasPrefix(address, "https://") {
		return storable(address)
	}
	return ""
}

func clamp(value, low, high float64) float64 { return min(max(value, low), high) }

// room returns the keys of RoomInfo that have the look.
func (l Look) room() map[string]any {
	room := map[string]any{}
	for key, value := range map[string]string{"backgroundColor": l.Background, "skyboxImage": l.SkyURL, "introSoundURL": l.SoundURL} {
		if value != "" {
			room[key] = value
		}
	}
	params := map[string]any{}
	for key, value := range l.Effects {
		params[key] = value
	}
	if _, ok := l.Effects["bloomIntensity"]; ok {
		params["bloomEnabled"] = true
	}
	for number, word := range toneMappings {
		if number > 0 && word == l.ToneMapping {
			params["toneMapping"] = number
		}
	}
	if len(params) > 0 {
		room["framePosteffectParams"] = params
	}
	if len(l.Vignette) > 0 {
		room["vignette"] = l.Vignette
	}
	return room
}

// lookOf returns the look in the data of RoomInfo. What is of another type has no effect.
func lookOf(data map[string]json.RawMessage) Look {
	l := Look{Effects: numbers(data["framePosteffectParams"]), Vignette: numbers(data["vignette"])}
	for key, text := range map[string]*string{"backgroundColor": &l.Background, "skyboxImage": &l.SkyURL, "introSoundURL": &l.SoundURL} {
		if json.Unmarshal(data[key], text) != nil {
			*text = ""
		}
	}
	if number, ok := l.Effects["toneMapping"]; ok && number > 0 && int(number) < len(toneMappings) {
		l.ToneMapping = toneMappings[int(number)]
	}
	var params struct{ BloomEnabled *bool }
	if json.Unmarshal(data["framePosteffectParams"], &params) == nil && params.BloomEnabled != nil && !*params.BloomEnabled {
		delete(l.Effects, "bloomIntensity")
	}
	return l
}

// numbers returns the fields of an object that are numbers.
func numbers(object json.RawMessage) map[string]float64 {
	var fields map[string]json.RawMessage
	found := map[string]float64{}
	if json.Unmarshal(object, &fields) != nil {
		return found
	}
	for name, raw := range fields {
		var number *float64
		if json.Unmarshal(raw, &number) == nil && number != nil {
			found[name] = *number
		}
	}
	return found
}

// write sets the fields of a file that have the look, with the defaults of the format for the others.
func (l Look) write(d *document) {
	d.Tonemapping, d.HighPrecision = "linear", l.highPrecisionRenders
	if l.ToneMapping != "" {
		d.Tonemapping = l.ToneMapping
	}
	d.Background = background{Color: &Vector{}, SkyboxURL: l.SkyURL}
	if rgb, err := hex.DecodeString(strings.TrimPrefix(l.Background, "#")); err == nil && len(rgb) >= 3 {
		for i := range d.Background.Color {
			d.Background.Color[i] = math.Round(float64(rgb[i])/255*1e4) / 1e4
		}
	}
	d.SoundURL = l.SoundURL
	value := func(of map[string]float64, name string, otherwise, low, high float64) (number float64, isSet bool) {
		number, isSet = of[name]
		if !isSet {
			return otherwise, false
		}
		return clamp(number, low, high), number != otherwise
	}
	e := &d.PostEffectSettings
	sharpness, sharp := value(l.Effects, "sharpness", 1, 1, 2)
	e.Sharpness.Enabled, e.Sharpness.Amount = sharp, sharpness-1
	bloom, blooms := l.Effects["bloomIntensity"]
	if e.Bloom.Intensity, e.Bloom.BlurLevel = 0.1, 2; blooms && bloom > 0 {
		e.Bloom.Enabled, e.Bloom.Intensity = true, clamp(bloom/10, 0, 0.1)
		e.Bloom.BlurLevel, _ = value(l.Effects, "bloomBlurLevel", 4, 1, 8)
	}
	var changed [3]bool
	e.Grading.Brightness, changed[0] = value(l.Effects, "brightness", 1, 0, 2)
	e.Grading.Contrast, changed[1] = value(l.Effects, "contrast", 1, 0.5, 1.5)
	e.Grading.Saturation, changed[2] = value(l.Effects, "saturation", 1, 0, 2)
	e.Grading.Enabled, e.Grading.Tint = changed[0] || changed[1] || changed[2], Vector{1, 1, 1}
	v := &e.Vignette
	v.Intensity, v.Enabled = value(l.Vignette, "intensity", 0, 0, 1)
	if !v.Enabled {
		v.Intensity = 0.5
	}
	v.Inner, _ = value(l.Vignette, "inner", 0.3, 0, 3)
	v.Outer, _ = value(l.Vignette, "outer", 0.75, 0, 3)
	v.Curvature, _ = value(l.Vignette, "curvature", 1, 0.01, 10)
	e.Fringing.Intensity = 0.5
}
