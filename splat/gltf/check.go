package gltf

import (
	"math"
	"strings"

	"portico/splat/input"
)

// checker applies the rules to a document. Each rule relies on those before it: what
// has been checked to point to something is used as an index.
type checker struct {
	*document
	content *content
	name    string
}

// fault returns an error about the file. All are about the one that was asked for, for
// a file that it names has no rules of its own.
func (k *checker) fault(format string, args ...any) error {
	return input.Errorf(k.name, format, args...)
}

// check applies the rules that need the JSON only.
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

// checkVersion allows glTF 2.x, unless it says that it cannot be read as 2.0
// (section 3.2).
func (k *checker) checkVersion() error {
	switch asset := k.Asset; {
	case asset.Version == "":
		return k.fault("is no glTF file: it has no version")
	case !strings.HasPrefix(asset.Version, "2."):
		return oldVersion(asset.Version, k.name)
	case asset.MinVersion != "" && asset.MinVersion != "2.0":
		return k.fault("needs a viewer of glTF %s; 2.0 can be read", input.Quote(asset.MinVersion))
	}
	return nil
}

// points tells whether an index, if there is one, is that of one of n things.
func points(index *integer, n int) bool {
	return index == nil || *index >= 0 && *index < integer(n)
}

// checkViews holds the views to their buffers (section 5.11). Data compressed by
// meshoptimizer lies in a range of its own.
func (k *checker) checkViews() error {
	for i := range k.BufferViews {
		v := &k.BufferViews[i]
		for _, p := range []*part{&v.part, v.Extensions.Meshopt, v.Extensions.KHRMeshopt} {
			switch {
			case p == nil:
			case !points(&p.Buffer, len(k.Buffers)):
				return k.fault("buffer view %d lies in buffer %d, of %d", i, p.Buffer, len(k.Buffers))
			case !within(p.ByteOffset, p.ByteLength, k.Buffers[p.Buffer].ByteLength):
				return k.fault("buffer view %d of %d bytes at %d lies outside of buffer %d of %d bytes",
					i, p.ByteLength, p.ByteOffset, p.Buffer, k.Buffers[p.Buffer].ByteLength)
			}
		}
		if v.ByteStride != nil && (*v.ByteStride < 4 || *v.ByteStride > 252) {
			return k.fault("buffer view %d has a stride of %d bytes; 4 to 252 are allowed", i, *v.ByteStride)
		}
	}
	return nil
}

// within tells whether so many bytes at an offset lie within size bytes. None of the
// numbers is trusted, and no sum of them is made.
func within(offset, length, size integer) bool {
	return offset >= 0 && length >= 0 && offset <= size && length <= size-offset
}

// checkAccessors holds the accessors to their views (section 5.1).
func (k *checker) checkAccessors() error {
	for i := range k.Accessors {
		a := &k.Accessors[i]
		size, known := a.elementSize()
		switch {
		case a.Count < 0 || a.Count > math.MaxUint32:
			return k.fault("accessor %d has a count of %d", i, a.Count)
		case !points(a.BufferView, len(k.BufferViews)):
			return k.fault("accessor %d lies in buffer view %d, of %d", i, *a.BufferView, len(k.BufferViews))
		case !known && len(k.ExtensionsUsed) == 0:
			return k.fault("accessor %d has values of the unknown type %s of %d", i, input.Quote(a.Type), a.ComponentType)
		case !known:
			continue // an extension may have added it
		case a.BufferView != nil && !k.holds(*a.BufferView, a.ByteOffset, a.Count, size):
			return k.fault("accessor %d of %d values of %d bytes lies outside of its buffer view %d", i, a.Count, size, *a.BufferView)
		}
		if err := k.checkSparse(i, a, size); err != nil {
			return err
		}
	}
	return nil
}

// checkSparse holds the values that replace others to their views.
func (k *checker) checkSparse(i int, a *accessor, size integer) error {
	s := a.Sparse
	if s == nil {
		return nil
	}
	index := componentSize(s.Indices.ComponentType)
	switch {
	case s.Count < 0 || s.Count > a.Count:
		return k.fault("accessor %d of %d values replaces %d of them", i, a.Count, s.Count)
	case !points(&s.Indices.BufferView, len(k.BufferViews)) || !points(&s.Values.BufferView, len(k.BufferViews)):
		return k.fault("accessor %d replaces values from buffer views that there are not", i)
	case index == 0:
		return k.fault("accessor %d replaces values by indices of the unknown type %d", i, s.Indices.ComponentType)
	case !k.holds(s.Indices.BufferView, s.Indices.ByteOffset, s.Count, index),
		!k.holds(s.Values.BufferView, s.Values.ByteOffset, s.Count, size):
		return k.fault("accessor %d replaces values from outside of buffer views", i)
	}
	return nil
}

// holds tells whether count values of a size lie within a view. The last needs no
// more than its own size, the others their stride (section 3.6.2.4).
func (k *checker) holds(view, offset, count, size integer) bool {
	v := &k.BufferViews[view]
	if count == 0 {
		return within(offset, 0, v.ByteLength)
	}
	if !within(offset, size, v.ByteLength) {
		return false
	}
	stride := size
	if v.ByteStride != nil {
		stride = *v.ByteStride
	}
	return count-1 <= (v.ByteLength-offset-size)/stride
}

// componentSize returns the bytes of a component; 0 for an unknown one.
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

// elementSize returns how many bytes a value takes, and whether its type is one of the
// format. The columns of matrices begin
// at multiples of four bytes (section 3.6.2.4).
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

// checkImages checks where images and textures point to. Textures without an image get
// theirs from an extension (KHR_texture_basisu, EXT_texture_webp).
func (k *checker) checkImages() error {
	for i := range k.Images {
		if view := k.Images[i].BufferView; !points(view, len(k.BufferViews)) {
			return k.fault("image %d lies in buffer view %d, of %d", i, *view, len(k.BufferViews))
		}
	}
	for i := range k.Textures {
		if source := k.Textures[i].Source; !points(source, len(k.Images)) {
			return k.fault("texture %d shows image %d, of %d", i, *source, len(k.Images))
		}
	}
	return nil
}

// checkMeshes checks where primitives point to (section 5.24). Those compressed by an
// extension have accessors too, which say their counts and ranges.
func (k *checker) checkMeshes() error {
	for i, m := range k.Meshes {
		for n := range m.Primitives {
			p := &m.Primitives[n]
			switch position := p.Attributes.Position; {
			case !points(position, len(k.Accessors)):
				return k.fault("mesh %d: primitive %d has positions in accessor %d, of %d", i, n, *position, len(k.Accessors))
			case position != nil && k.Accessors[*position].Type != "VEC3":
				return k.fault("mesh %d: primitive %d has positions of type %s instead of VEC3", i, n, input.Quote(k.Accessors[*position].Type))
			case !points(p.Indices, len(k.Accessors)):
				return k.fault("mesh %d: primitive %d has indices in accessor %d, of %d", i, n, *p.Indices, len(k.Accessors))
			case !points(p.Material, len(k.Materials)):
				return k.fault("mesh %d: primitive %d has material %d, of %d", i, n, *p.Material, len(k.Materials))
			case p.mode() < 0 || p.mode() > modeFan:
				return k.fault("mesh %d: primitive %d has the unknown mode %d", i, n, p.mode())
			}
		}
	}
	return nil
}

// checkNodes checks where nodes point to, and that none has two parents (section
// 3.5.2).
func (k *checker) checkNodes() error {
	// That there are no cycles follows for what hangs from a root; bounds finds
	// the others.
	hasParent := make([]bool, len(k.Nodes))
	for i := range k.Nodes {
		n := &k.Nodes[i]
		if !points(n.Mesh, len(k.Meshes)) {
			return k.fault("node %d places mesh %d, of %d", i, *n.Mesh, len(k.Meshes))
		}
		for _, values := range []struct {
			what string
			list []float64
			want int
		}{{"matrix", n.Matrix, 16}, {"translation", n.Translation, 3}, {"rotation", n.Rotation, 4}, {"scale", n.Scale, 3}} {
			if values.list != nil && len(values.list) != values.want {
				return k.fault("node %d has a %s of %d numbers instead of %d", i, values.what, len(values.list), values.want)
			}
		}
		for _, child := range n.Children {
			switch {
			case !points(&child, len(k.Nodes)):
				return k.fault("node %d has child %d, of %d", i, child, len(k.Nodes))
			case hasParent[child]:
				return k.fault("node %d has two parents", child)
			}
			hasParent[child] = true
		}
	}
	return nil
}

// checkScenes checks where scenes point to, the default one too (section 5.17).
func (k *checker) checkScenes() error {
	if !points(k.Scene, len(k.Scenes)) {
		return k.fault("its default scene is number %d, of %d", *k.Scene, len(k.Scenes))
	}
	for i := range k.Scenes {
		for _, n := range k.Scenes[i].Nodes {
			if !points(&n, len(k.Nodes)) {
				return k.fault("scene %d has node %d, of %d", i, n, len(k.Nodes))
			}
		}
	}
	return nil
}
