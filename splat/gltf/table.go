package gltf

import (
	"context"
	"encoding/binary"
	"math"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
	"portico/splat/records"
)

// values is an attribute of Gaussians in a buffer.
type values struct {
	records.Table
	components int
	size       int // bytes of a component
	decode     func(b []byte) float32
	// replaced are the sparse values; nil means none.
	replaced *sparseValues
}

// values returns the values of an accessor with a number of components.
func (k *checker) values(ctx context.Context, data *buffers, name string, index integer, components int) (values, error) {
	if !isValidIndex(&index, len(k.Accessors)) {
		return values{}, k.damaged("attribute %s refers to accessor %d, but there are %d", name, index, len(k.Accessors))
	}
	a := &k.Accessors[index]
	size, known := a.elementSize()
	if kind := map[int]string{1: "SCALAR", 3: "VEC3", 4: "VEC4"}[components]; !known || a.Type != kind {
		return values{}, k.damaged("attribute %s has values of type %s instead of %s", name, input.Quote(a.Type), kind)
	}
	table := values{components: components, size: int(componentSize(a.ComponentType)), decode: decoderOf(a)}
	var err error
	if table.Table, err = data.rows(a.BufferView, a.ByteOffset, a.Count, size); err != nil {
		return values{}, err
	}
	table.replaced, err = k.sparseValues(ctx, data, name, a, size)
	return table, err
}

// padded reads zeros after the end of a file. A table is read in whole strides, and the file may
// end within the stride of the last row (see rows).
type padded struct{ folder.File }

// ReadAt implements io.ReaderAt.
func (p padded) ReadAt(b []byte, offset int64) (int, error) {
	n := int(max(0, min(int64(len(b)), p.Size()-offset)))
	clear(b[n:])
	if err := folder.ReadFull(p.File, b[:n], offset); err != nil {
		return 0, err
	}
	return len(b), nil
}

// decoderOf returns the decoder of a component (section 3.6.2.2, and for normalized integers
// KHR_mesh_quantization).
func decoderOf(a *accessor) func(b []byte) float32 {
	unit := float32(a.unit())
	u16, u32 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32
	switch a.ComponentType {
	// The function is selected once for each attribute. A switch for each of the 59 components of a
	// Gaussian would take longer than the decoding.
	case typeByte:
		return func(b []byte) float32 { return signedValue(float32(int8(b[0])), unit, a.Normalized) }
	case typeUnsignedByte:
		return func(b []byte) float32 { return float32(b[0]) * unit }
	case typeShort:
		return func(b []byte) float32 { return signedValue(float32(int16(u16(b))), unit, a.Normalized) }
	case typeUnsignedShort:
		return func(b []byte) float32 { return float32(u16(b)) * unit }
	case typeUnsignedInt:
		return func(b []byte) float32 { return float32(u32(b)) }
	default:
		return func(b []byte) float32 { return math.Float32frombits(u32(b)) }
	}
}

// signedValue returns the value of a signed integer. The minimum of a normalized type would be less
// than -1, so it becomes -1.
func signedValue(v, unit float32, normalized bool) float32 {
	if normalized {
		return max(v*unit, -1)
	}
	return v
}

// request is a request for values by their numbers.
type request struct {
	numbers []uint32
	all     records.Requests
}

// newRequest returns a request for some of count values.
func newRequest(numbers []uint32, count int) (request, error) {
	all, err := records.NewRequests(numbers, count)
	return request{numbers, all}, err
}

// gather calls set with the components of each requested value and its slot, the index of its
// number in the request. The slice of components is valid only during the call. A replaced value is
// set twice, first to the value of the view, so set must only assign.
func (v *values) gather(ctx context.Context, of request, set func(slot int, components []float32)) error {
	components := make([]float32, v.components)
	decode := func(slot int, row []byte) {
		for i := range components {
			components[i] = v.decode(row[i*v.size:])
		}
		set(slot, components)
	}
	if err := v.Gather(ctx, of.all, decode); err != nil || v.replaced == nil {
		return err
	}
	replaced, slots, err := v.replaced.find(of.numbers)
	if err != nil {
		return err
	}
	return v.replaced.Gather(ctx, replaced, func(i int, row []byte) { decode(slots[i], row) })
}

// table contains the attributes of the Gaussians of one primitive.
type table struct {
	count, degree                       int
	positions, rotations, scales, other values
	// other is the opacity, or the colour and the opacity of a draft, which has no zeroth
	// harmonics.
	colours   values
	harmonics []values
	names     names
	// logScales and logits report that the values are not activated: splat-transform before 2.7
	// wrote logarithms of scales.
	logScales, logits bool
}

// newTable finds the attributes of a primitive's Gaussians in the buffers. It refuses a primitive
// that lacks one, or whose attributes have different counts.
func (k *checker) newTable(ctx context.Context, data *buffers, p *primitive) (*table, error) {
	all := p.Attributes.all
	spelling, ok := namesOf(all)
	if !ok {
		return nil, k.damaged("its Gaussians do not have all attributes: position, rotation, scale, opacity and colour")
	}
	t := &table{names: spelling, degree: spelling.degree(all)}
	type attribute struct {
		to         *values
		name       string
		components int
	}
	wanted := []attribute{
		{&t.positions, "POSITION", 3}, {&t.rotations, spelling.prefix + "ROTATION", 4}, {&t.scales, spelling.prefix + "SCALE", 3},
	}
	if spelling.colour {
		wanted = append(wanted, attribute{&t.other, "COLOR_0", 4})
	} else {
		wanted = append(wanted, attribute{&t.other, spelling.prefix + "OPACITY", 1}, attribute{&t.colours, spelling.harmonic(0, 0), 3})
	}
	t.harmonics = make([]values, gaussian.Coefficients(t.degree))
	for l := 1; l <= t.degree; l++ {
		for m := range 2*l + 1 {
			wanted = append(wanted, attribute{&t.harmonics[gaussian.Coefficients(l-1)+m], spelling.harmonic(l, m), 3})
		}
	}
	// POSITION is first, so its count is the number of Gaussians. All attributes of a primitive
	// must have the same count (section 3.7.2.1).
	for i, w := range wanted {
		var err error
		if *w.to, err = k.values(ctx, data, w.name, all[w.name], w.components); err != nil {
			return nil, err
		}
		switch {
		case i == 0:
			t.count = w.to.Count
		case w.to.Count != t.count:
			return nil, k.damaged("it has %d Gaussians, but its attribute %s has %d values", t.count, w.name, w.to.Count)
		}
	}
	return t, t.findActivation(ctx)
}

// findActivation checks the first Gaussians for values that the specification forbids: negative
// scales are logarithms, and opacities below 0 or above 1 are logits.
func (t *table) findActivation(ctx context.Context) error {
	const sample = 1024 // an exporter writes all Gaussians of a primitive in one way
	all, err := newRequest(consecutive(0, min(t.count, sample)), t.count)
	if err != nil {
		return err
	}
	err = t.scales.gather(ctx, all, func(_ int, v []float32) {
		t.logScales = t.logScales || min(v[0], v[1], v[2]) < 0
	})
	if err != nil || t.names.colour {
		return err // COLOR_0 is normalized, so its opacity cannot be a logit
	}
	return t.other.gather(ctx, all, func(_ int, v []float32) {
		t.logits = t.logits || v[0] < 0 || v[0] > 1
	})
}

// read sets the cloud to the requested Gaussians in the axes of the primitive. It reads
// attribute by attribute, because each attribute is in another part of the file.
func (t *table) read(ctx context.Context, numbers []uint32, c *gaussian.Cloud) error {
	all, err := newRequest(numbers, t.count)
	if err != nil {
		return err
	}
	c.Resize(len(numbers), t.degree)
	type step struct {
		from *values
		set  func(slot int, v []float32)
	}
	steps := []step{
		{&t.positions, func(slot int, v []float32) { copy(c.Positions[3*slot:], v) }},
		{&t.rotations, func(slot int, v []float32) { copy(c.Rotations[4*slot:], v) }},
		{&t.scales, func(slot int, v []float32) { t.setScales(c.Scales[3*slot:3*slot+3], v) }},
		{&t.other, func(slot int, v []float32) { t.setOpacity(c, slot, v) }},
	}
	if !t.names.colour {
		steps = append(steps, step{&t.colours, func(slot int, v []float32) { copy(c.Colours[3*slot:], v) }})
	}
	// An attribute has the three channels of one coefficient. A cloud has all coefficients of red,
	// then of green, then of blue.
	n := len(t.harmonics)
	for k := range t.harmonics {
		steps = append(steps, step{&t.harmonics[k], func(slot int, v []float32) {
			for channel := range 3 {
				c.Harmonics[(3*slot+channel)*n+k] = v[channel]
			}
		}})
	}
	for _, s := range steps {
		if err := s.from.gather(ctx, all, s.set); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) setScales(to, v []float32) {
	for k := range to {
		if to[k] = v[k]; !t.logScales {
			to[k] = gaussian.LogScale(v[k])
		}
	}
}

// setOpacity sets the opacity, and in a draft the colour.
func (t *table) setOpacity(c *gaussian.Cloud, slot int, v []float32) {
	opacity := v[len(v)-1] // the only component of OPACITY, or the alpha of COLOR_0
	if t.names.colour {
		for k := range 3 {
			c.Colours[3*slot+k] = colourOfShare(v[k])
		}
	}
	if t.logits {
		opacity = float32(1 / (1 + math.Exp(-float64(opacity))))
	}
	c.Opacities[slot] = opacity
}
