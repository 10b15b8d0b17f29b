package gltf

import (
	"context"
	"encoding/binary"
	"slices"

	"portico/splat/folder"
	"portico/splat/records"
)

// zeros is the data of an accessor without a buffer view. Sparse values may replace a part of it
// (section 3.6.2.3). It has no end: ReadAt never returns io.EOF.
type zeros struct{ size int64 }

// ReadAt implements io.ReaderAt.
func (zeros) ReadAt(b []byte, _ int64) (int, error) {
	clear(b)
	return len(b), nil
}

// Size implements folder.File.
func (z zeros) Size() int64 { return z.size }

// Close implements folder.File.
func (zeros) Close() error { return nil }

// rows returns rows of a buffer view, or zeros without a view. checkAccessors has checked that
// the rows are within the view.
func (b *buffers) rows(view *integer, offset, count, size integer) (records.Table, error) {
	if view == nil {
		return records.Table{File: zeros{int64(size * count)}, Stride: int(size), Count: int(count)}, nil
	}
	stride := size
	if v := &b.checker.BufferViews[*view]; v.ByteStride != nil {
		stride = *v.ByteStride
	}
	file, start, err := b.data(*view)
	if err != nil {
		return records.Table{}, err
	}
	// The last row has its size and not the stride, so the file may end within the stride.
	return records.Table{File: padded{file}, Offset: start + int64(offset), Stride: int(stride), Count: int(count)}, nil
}

// sparseValues are the sparse values of an accessor, which replace values of its buffer view
// (section 3.6.2.3).
type sparseValues struct {
	// indices are the numbers of the replaced values, in ascending order.
	indices []uint32
	records.Table
}

// sparseValues returns the sparse values of an accessor whose values have this size, or nil if
// there are none.
func (k *checker) sparseValues(ctx context.Context, data *buffers, name string, a *accessor, size integer) (*sparseValues, error) {
	s := a.Sparse
	if s == nil || s.Count == 0 {
		return nil, nil //nolint:nilnil // most accessors
	}
	indices, err := data.rows(&s.Indices.BufferView, s.Indices.ByteOffset, s.Count, componentSize(s.Indices.ComponentType))
	if err != nil {
		return nil, err
	}
	r := &sparseValues{}
	if r.Table, err = data.rows(&s.Values.BufferView, s.Values.ByteOffset, s.Count, size); err != nil {
		return nil, err
	}
	err = indices.Scan(ctx, func(_ int, rows []byte) error {
		for ; len(rows) > 0; rows = rows[indices.Stride:] {
			index := indexOf(rows, s.Indices.ComponentType)
			// The indices must increase strictly (section 3.6.2.3), and find needs this for its
			// search.
			if n := len(r.indices); int64(index) >= int64(a.Count) || n > 0 && index <= r.indices[n-1] {
				return k.damaged("attribute %s replaces the value %d, which is out of range or out of order", name, index)
			}
			r.indices = append(r.indices, index)
		}
		return nil
	})
	return r, err
}

// indexOf decodes an index of a component type.
func indexOf(b []byte, kind integer) uint32 {
	switch kind {
	case typeByte, typeUnsignedByte:
		return uint32(b[0])
	case typeShort, typeUnsignedShort:
		return uint32(binary.LittleEndian.Uint16(b))
	}
	return binary.LittleEndian.Uint32(b)
}

// find returns the requests for those numbers whose values are replaced, and the slot of each
// number.
func (r *sparseValues) find(numbers []uint32) (all records.Requests, slots []int, err error) {
	var found []uint32
	for slot, number := range numbers {
		if i, ok := slices.BinarySearch(r.indices, number); ok {
			found, slots = append(found, uint32(i)), append(slots, slot)
		}
	}
	all, err = records.NewRequests(found, r.Count)
	return all, slots, err
}

var _ folder.File = zeros{}
