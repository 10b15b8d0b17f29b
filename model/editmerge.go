package model

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Decimation is how many Gaussians remain. Exactly one field is set.
type Decimation struct {
	Count   *int     `json:"count,omitempty" jsonschema:"The number of Gaussians that are left, at least 1."`
	Percent *float64 `json:"percent,omitempty" jsonschema:"The share of the Gaussians that is left, above 0 and up to 100."`
}

// MergedFile is another file with its placement: it is scaled, then rotated, then moved.
type MergedFile struct {
	ResourceKey string    `json:"resource_key" jsonschema:"The file to add."`
	Scale       *float64  `json:"scale,omitempty" jsonschema:"Scales the added file about the origin by a factor from 0.000001 to 1000000."`
	Rotate      []float64 `json:"rotate,omitempty" jsonschema:"Rotates the added file about the origin by angles in degrees: about x, then y, then z."`
	Translate   []float64 `json:"translate,omitempty" jsonschema:"Moves the added file by an offset: x, y, z in metres, y up."`
}

// text returns the decimation as the value of its option. Errors name field.
func (d Decimation) text(field string) (string, error) {
	switch {
	case (d.Count == nil) == (d.Percent == nil):
		return "", InvalidField(field, "must have either a count or a percent")
	case d.Count != nil:
		if *d.Count < 1 || *d.Count >= math.MaxInt32 {
			return "", InvalidField(field+".count", fmt.Sprintf("must be from 1 to %d", math.MaxInt32-1))
		}
		return strconv.Itoa(*d.Count), nil
	case !(*d.Percent > 0 && *d.Percent <= 100): // also for NaN
		return "", InvalidField(field+".percent", "must be above 0, and at most 100")
	}
	return numberText(*d.Percent) + "%", nil
}

// placement validates how the merged file is placed, and returns that as edits of the file.
func (m MergedFile) placement(field string) (edits []Edit, err error) {
	add := func(name, text string, failed error) {
		edits = append(edits, Edit{Name: name, Value: text})
		if err == nil {
			err = failed
		}
	}
	if m.Scale != nil {
		text, err := scaleText(field+".scale", *m.Scale)
		add("scale", text, err)
	}
	if m.Rotate != nil {
		text, err := pointText(field+".rotate", m.Rotate)
		add("rotate", text, err)
	}
	if m.Translate != nil {
		text, err := pointText(field+".translate", m.Translate)
		add("translate", text, err)
	}
	return edits, err
}

// CheckMerged refuses a file to merge that does not exist, by the error of find, or that has no
// Gaussians.
func (in ConvertFile) CheckMerged(find func(resourceKey string) (*File, error)) error {
	for i, edit := range in.Edits {
		if edit == nil || edit.Merge == nil {
			continue
		}
		field := fmt.Sprintf("edits.%d.merge.resource_key", i)
		file, err := find(edit.Merge.ResourceKey)
		if missing, ok := errors.AsType[*Error](err); ok {
			return missing.WithField(field)
		}
		if err != nil {
			return err
		}
		if _, err := file.checkGaussians(field); err != nil {
			return err
		}
	}
	return nil
}
