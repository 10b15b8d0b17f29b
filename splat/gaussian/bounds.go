package gaussian

// Bounds is an axis-aligned box, in the axes and units of what it belongs to: of a file, or of a
// Cloud. The zero value is a box of the origin alone, so a box of nothing is a nil *Bounds.
type Bounds struct {
	Min [3]float64 `json:"min"`
	Max [3]float64 `json:"max"`
}

// Extend returns the smallest box that contains b and the point. A nil b contains nothing.
func (b *Bounds) Extend(point [3]float64) *Bounds {
	if b == nil {
		return &Bounds{point, point}
	}
	for k, v := range point {
		b.Min[k], b.Max[k] = min(b.Min[k], v), max(b.Max[k], v)
	}
	return b
}
