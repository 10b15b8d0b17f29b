package gltf

import (
	"math"
	"strings"

	"portico/splat/input"
)

// checker applies the rules to a document. The order of the rules matters: a rule uses indices that
// the rules before it have checked.
//
// After check has returned nil, indices are valid, lists of numbers have their lengths, and every
// view and accessor is within its buffer as the JSON describes it. checkData then compares the
// buffers with the bytes that exist.
type checker struct {
	*document
	content *content
	name    string
	files   *files
	// placeholders reports for each buffer whether it needs no data.
	placeholders []bool
}

// damaged returns an error about the glTF file. All rules are about this file and not about the
// files that it names.
func (k *checker) damaged(format string, args ...any) error {
	return input.Damaged(k.name, format, args...)
}

// check applies the rules for the JSON.
func (k *checker) check() error {
	for _, rule := range []func() error{
		k.checkVersion, k.checkViews, k.checkAccessors, k.checkImages, k.checkMeshes, k.checkNodes, k.checkScenes,
	} {
		if err := rule(); err != nil {
			return err
		}
	}
	return nil
}

// checkVersion allows glTF 2.x, unless its minimum version is above 2.0 (section 3.2).
func (k *checker) checkVersion() error {
	switch asset := k.Asset; {
	case asset.Version == "":
		return input.Errorf(k.name, "is not a glTF file: it has no version").Advise("Export the model again")
	case !strings.HasPrefix(asset.Version, "2."):
		return oldVersion(asset.Version, k.name)
	case asset.MinVersion != "" && asset.MinVersion != "2.0":
		return input.Errorf(k.name, "requires glTF version %s; 2.0 can be read", input.Quote(asset.MinVersion)).
			Advise("Export it as glTF 2.0")
	}
	return nil
}

// isValidIndex reports whether an index is nil or below n.
func isValidIndex(index *integer, n int) bool {
	return index == nil || *index >= 0 && *index < integer(n)
}

// checkViews checks that views are within their buffers (section 5.11). A view with compressed data
// has two sections: the decoded and the compressed data. The length of a fallback view without data
// is checked too, because the decoded data has this length.
func (k *checker) checkViews() error {
	for i := range k.BufferViews {
		v := &k.BufferViews[i]
		parts := []*part{&v.part}
		if c := v.compression(); c != nil {
			parts = append(parts, &c.part)
		}
		for _, p := range parts {
			switch {
			case !isValidIndex(&p.Buffer, len(k.Buffers)):
				return k.damaged("buffer view %d refers to buffer %d, but there are %d", i, p.Buffer, len(k.Buffers))
			case !isWithin(p.ByteOffset, p.ByteLength, k.Buffers[p.Buffer].ByteLength):
				return k.damaged("buffer view %d of %d bytes at %d is outside of buffer %d of %d bytes",
					i, p.ByteLength, p.ByteOffset, p.Buffer, k.Buffers[p.Buffer].ByteLength)
			}
		}
		// The range of section 5.11.4. A stride of 0 would also divide by 0 in fitsView.
		if v.ByteStride != nil && (*v.ByteStride < 4 || *v.ByteStride > 252) {
			return k.damaged("buffer view %d has a stride of %d bytes; 4 to 252 are allowed", i, *v.ByteStride)
		}
	}
	return nil
}

// isWithin reports whether length bytes at an offset are within size bytes. It does not add the
// numbers, because a sum of hostile numbers could overflow.
func isWithin(offset, length, size integer) bool {
	return offset >= 0 && length >= 0 && offset <= size && length <= size-offset
}

// checkAccessors checks that accessors are within their views (section 5.1).
func (k *checker) checkAccessors() error {
	for i := range k.Accessors {
		a := &k.Accessors[i]
		// The count is limited, because viewers allocate memory for all values before they read.
		size, known := a.elementSize()
		switch {
		case a.Count < 0 || a.Count > math.MaxUint32:
			return k.damaged("accessor %d has the count %d", i, a.Count)
		case !isValidIndex(a.BufferView, len(k.BufferViews)):
			return k.damaged("accessor %d refers to buffer view %d, but there are %d", i, *a.BufferView, len(k.BufferViews))
		case !known && len(k.ExtensionsUsed) == 0:
			return k.damaged("accessor %d has the unknown type %s of %d", i, input.Quote(a.Type), a.ComponentType)
		case !known:
			continue // an extension may define it
		case a.BufferView != nil && !k.fitsView(*a.BufferView, a.ByteOffset, a.Count, size):
			return k.damaged("accessor %d of %d values of %d bytes is outside of its buffer view %d", i, a.Count, size, *a.BufferView)
		}
		if err := k.checkSparse(i, a, size); err != nil {
			return err
		}
	}
	return nil
}

// checkSparse checks that replaced values and their indices are within their views.
func (k *checker) checkSparse(i int, a *accessor, size integer) error {
	s := a.Sparse
	if s == nil {
		return nil
	}
	// Indices must be unsigned integers. Other types are not refused here, because only the size of
	// the type matters.
	index := componentSize(s.Indices.ComponentType)
	switch {
	case s.Count < 0 || s.Count > a.Count:
		return k.damaged("accessor %d of %d values replaces %d of them", i, a.Count, s.Count)
	case !isValidIndex(&s.Indices.BufferView, len(k.BufferViews)) || !isValidIndex(&s.Values.BufferView, len(k.BufferViews)):
		return k.damaged("accessor %d replaces values from a buffer view that does not exist", i)
	case index == 0:
		return k.damaged("accessor %d has sparse indices of the unknown type %d", i, s.Indices.ComponentType)
	case !k.fitsView(s.Indices.BufferView, s.Indices.ByteOffset, s.Count, index),
		!k.fitsView(s.Values.BufferView, s.Values.ByteOffset, s.Count, size):
		return k.damaged("accessor %d replaces values from outside of its buffer views", i)
	}
	return nil
}

// fitsView reports whether count values of a size are within a view. Each value takes the stride,
// except the last, which takes only its size (section 3.6.2.4).
func (k *checker) fitsView(view, offset, count, size integer) bool {
	v := &k.BufferViews[view]
	if count == 0 {
		return isWithin(offset, 0, v.ByteLength)
	}
	if !isWithin(offset, size, v.ByteLength) {
		return false
	}
	// Without a stride, values follow each other.
	stride := size
	if v.ByteStride != nil {
		stride = *v.ByteStride
	}
	return count-1 <= (v.ByteLength-offset-size)/stride
}

// componentSize returns the size of a component in bytes, 0 for an unknown type.
func componentSize(kind integer) integer {
	switch kind {
	case typeByte, typeUnsignedByte:
		return 1
	case typeShort, typeUnsignedShort:
		return 2
	case typeUnsignedInt, typeFloat:
		return 4
	default:
		return 0
	}
}

// Types of components (section 3.6.2.2).
const (
	typeByte          = 5120
	typeUnsignedByte  = 5121
	typeShort         = 5122
	typeUnsignedShort = 5123
	typeUnsignedInt   = 5125
	typeFloat         = 5126
)

// elementSize returns the size of a value in bytes and reports whether its type is
// known. Columns of matrices start at multiples of four bytes (section 3.6.2.4).
func (a *accessor) elementSize() (size integer, known bool) {
	component := componentSize(a.ComponentType)
	column := func(n integer) integer { return (n*component + 3) / 4 * 4 }
	switch a.Type {
	case "SCALAR":
		size = component
	case "VEC2":
		size = 2 * component
	case "VEC3":
		size = 3 * component
	case "VEC4":
		size = 4 * component
	case "MAT2":
		size = 2 * column(2)
	case "MAT3":
		size = 3 * column(3)
	case "MAT4":
		size = 4 * column(4)
	}
	return size, size > 0
}

// checkImages checks the indices of images and textures. The image of a texture may be in an
// extension instead (KHR_texture_basisu, EXT_texture_webp).
func (k *checker) checkImages() error {
	for i := range k.Images {
		if view := k.Images[i].BufferView; !isValidIndex(view, len(k.BufferViews)) {
			return k.damaged("image %d refers to buffer view %d, but there are %d", i, *view, len(k.BufferViews))
		}
	}
	for i := range k.Textures {
		if source := k.Textures[i].Source; !isValidIndex(source, len(k.Images)) {
			return k.damaged("texture %d refers to image %d, but there are %d", i, *source, len(k.Images))
		}
	}
	return nil
}

// checkMeshes checks the indices of primitives (section 5.24). Compressed primitives also have
// accessors, with counts and ranges.
func (k *checker) checkMeshes() error {
	for i, m := range k.Meshes {
		for n := range m.Primitives {
			p := &m.Primitives[n]
			switch position := p.Attributes.Position; {
			case !isValidIndex(position, len(k.Accessors)):
				return k.damaged("primitive %[2]d of mesh %[1]d refers to accessor %[3]d for positions, but there are %[4]d", i, n, *position, len(k.Accessors))
			// bounds and viewers use three components without a check.
			case position != nil && k.Accessors[*position].Type != "VEC3":
				return k.damaged("primitive %[2]d of mesh %[1]d has positions of type %[3]s instead of VEC3", i, n, input.Quote(k.Accessors[*position].Type))
			case !isValidIndex(p.Indices, len(k.Accessors)):
				return k.damaged("primitive %[2]d of mesh %[1]d refers to accessor %[3]d for indices, but there are %[4]d", i, n, *p.Indices, len(k.Accessors))
			case !isValidIndex(p.Material, len(k.Materials)):
				return k.damaged("primitive %[2]d of mesh %[1]d refers to material %[3]d, but there are %[4]d", i, n, *p.Material, len(k.Materials))
			case p.mode() < 0 || p.mode() > modeFan:
				return k.damaged("primitive %[2]d of mesh %[1]d has the unknown mode %[3]d", i, n, p.mode())
			}
		}
	}
	return nil
}

// checkNodes checks the indices of nodes and that none has two parents (section 3.5.2).
func (k *checker) checkNodes() error {
	// If each node has at most one parent, there are no cycles below a root. walk refuses a root
	// that is part of a cycle.
	hasParent := make([]bool, len(k.Nodes))
	for i := range k.Nodes {
		n := &k.Nodes[i]
		if !isValidIndex(n.Mesh, len(k.Meshes)) {
			return k.damaged("node %d refers to mesh %d, but there are %d", i, *n.Mesh, len(k.Meshes))
		}
		// node.local uses these lists without checking their lengths.
		for _, values := range []struct {
			what string
			list []float64
			want int
		}{{"matrix", n.Matrix, 16}, {"translation", n.Translation, 3}, {"rotation", n.Rotation, 4}, {"scale", n.Scale, 3}} {
			if values.list != nil && len(values.list) != values.want {
				return k.damaged("node %d has a %s of %d numbers instead of %d", i, values.what, len(values.list), values.want)
			}
		}
		if err := k.checkInstancing(i, n.Extensions.Instancing); err != nil {
			return err
		}
		for _, child := range n.Children {
			switch {
			case !isValidIndex(&child, len(k.Nodes)):
				return k.damaged("node %d refers to child %d, but there are %d", i, child, len(k.Nodes))
			// A node with two parents would be drawn twice, and after 60 such levels 2^60 times.
			case hasParent[child]:
				return k.damaged("node %d has two parents", child)
			}
			hasParent[child] = true
		}
	}
	return nil
}

// checkInstancing checks the accessors of the instances of a node.
func (k *checker) checkInstancing(node int, x *instancing) error {
	if x == nil {
		return nil
	}
	count := integer(-1)
	for _, accessor := range []*integer{x.Attributes.Translation, x.Attributes.Rotation, x.Attributes.Scale} {
		switch {
		case accessor == nil:
		case !isValidIndex(accessor, len(k.Accessors)):
			return k.damaged("node %d refers to accessor %d for instances, but there are %d", node, *accessor, len(k.Accessors))
		case count >= 0 && k.Accessors[*accessor].Count != count:
			return k.damaged("node %d has %d instances, and another attribute for %d", node, count, k.Accessors[*accessor].Count)
		default:
			count = k.Accessors[*accessor].Count
		}
	}
	return nil
}

// checkScenes checks the indices of scenes and of the default scene (section 5.17).
func (k *checker) checkScenes() error {
	if !isValidIndex(k.Scene, len(k.Scenes)) {
		return k.damaged("its default scene is number %d, but there are %d", *k.Scene, len(k.Scenes))
	}
	for i := range k.Scenes {
		for _, n := range k.Scenes[i].Nodes {
			if !isValidIndex(&n, len(k.Nodes)) {
				return k.damaged("scene %d refers to node %d, but there are %d", i, n, len(k.Nodes))
			}
		}
	}
	return nil
}
