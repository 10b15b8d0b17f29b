package sog

import (
	"context"
	"math"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// Version 1 of meta.json, which SuperSplat and splat-transform wrote in 2024 and 2025, has
// ranges of values instead of codebooks: bytes are linear between two numbers for each
// channel, and the opacity is a logit. The rest is as in version 2, except that the
// manifest does not have the size of the palette and the degree of its harmonics.
//
// Format: playcanvas/engine, src/framework/parsers/sogs.js.

// isVersion1 reports whether the manifest is of version 1, which has no number in most
// files and the shape of its data instead.
func (m *meta) isVersion1() bool { return m.Version == 1 || m.Version == 0 && len(m.Means.Shape) > 0 }

// upgrade sets the fields of version 2 that follow from a manifest of version 1.
func (m *meta) upgrade(name string) error {
	if len(m.Means.Shape) == 0 {
		return input.Damaged(name, "it does not have the number of its Gaussians")
	}
	m.Version, m.Count = 1, m.Means.Shape[0]
	if m.SHN == nil {
		return nil
	}
	if m.SHN.Min == nil || m.SHN.Max == nil || len(m.SHN.Files) != 2 {
		return input.Damaged(name, "its harmonics do not have a range and two images")
	}
	m.SHN.Codebook = lerpBook(*m.SHN.Min, *m.SHN.Max)[:]
	return nil
}

// checkRanges checks the ranges of scales and colours.
func (m *meta) checkRanges(name string) error {
	for _, p := range []struct {
		what     string
		property property
		channels int
	}{{"scales", m.Scales, 3}, {"sh0", m.SH0, 4}} {
		if len(p.property.Mins) != p.channels || len(p.property.Maxs) != p.channels {
			return input.Damaged(name, "it does not have %d ranges of %s", p.channels, p.what)
		}
	}
	return nil
}

// measurePalette sets the degree and the number of entries from the size of the palette's
// image, which version 2 has in the manifest.
func (m *meta) measurePalette(ctx context.Context, at location, manifest string) error {
	if m.Version != 1 || m.SHN == nil {
		return nil
	}
	size, err := at.inspect(ctx, manifest, chunkImage{m.SHN.Files[0], 1, false})
	if err != nil {
		return err
	}
	for degree := 1; degree <= maxDegree; degree++ {
		if size.X == paletteColumns*gaussian.Coefficients(degree) {
			m.SHN.Bands = degree
		}
	}
	if m.SHN.Bands == 0 {
		return input.Damaged(at.displayName(m.SHN.Files[0]), "it is %d pixels wide, which no degree of harmonics has", size.X)
	}
	// Entries after the last one in its row are padding, which no label refers to.
	m.SHN.Count = min(int64(size.Y)*paletteColumns, maxPalette)
	return nil
}

// book contains the value of each byte of a channel.
type book = [codebookSize]float32

// lerpBook returns values between two numbers in even steps.
func lerpBook(low, high float32) *book {
	var values book
	for i := range values {
		share := float32(i) / (codebookSize - 1)
		values[i] = low*(1-share) + high*share
	}
	return &values
}

// channelBooks returns the values of the first three channels of a property. In version 2 the
// channels share one codebook.
func (m *meta) channelBooks(p property) (books [3]*book) {
	for k := range books {
		switch {
		case m.Version == 1:
			books[k] = lerpBook(p.Mins[k], p.Maxs[k])
		case k == 0:
			books[k] = p.Codebook.expand()
		default:
			books[k] = books[0]
		}
	}
	return books
}

// opacityBook returns the opacity of each byte.
func (m *meta) opacityBook() *book {
	if m.Version != 1 {
		return lerpBook(0, 1)
	}
	logits := lerpBook(m.SH0.Mins[3], m.SH0.Maxs[3])
	for i, v := range logits {
		logits[i] = float32(1 / (1 + math.Exp(-float64(v))))
	}
	return logits
}
