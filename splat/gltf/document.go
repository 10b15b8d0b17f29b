package gltf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"portico/splat/input"
)

// Bounds on the JSON of a file. A building of a hundred thousand parts has some
// ten megabytes and half a million objects.
const (
	// MaxJSON is the largest JSON that is read, in bytes.
	MaxJSON    = 64 << 20
	maxObjects = 1 << 20 // objects, lists and nulls together
)

// document is what is looked at of a glTF file. Indices are -1, or nil, where there
// are none.
type document struct {
	Asset              asset        `json:"asset"`
	ExtensionsUsed     []string     `json:"extensionsUsed"`
	ExtensionsRequired []string     `json:"extensionsRequired"`
	Scene              *integer     `json:"scene"`
	Scenes             []scene      `json:"scenes"`
	Nodes              []node       `json:"nodes"`
	Meshes             []mesh       `json:"meshes"`
	Accessors          []accessor   `json:"accessors"`
	BufferViews        []bufferView `json:"bufferViews"`
	Buffers            []buffer     `json:"buffers"`
	Images             []image      `json:"images"`
	Textures           []texture    `json:"textures"`
	Materials          []struct{}   `json:"materials"`
	Animations         []struct{}   `json:"animations"`
}

// asset says which viewers can read the file (section 5.9).
type asset struct {
	Version    string `json:"version"`
	MinVersion string `json:"minVersion"`
}

// scene names the roots of its trees (section 5.26).
type scene struct {
	Nodes []integer `json:"nodes"`
}

// node places what is in it and below it (section 5.25): by a matrix, or by a scale,
// then a rotation, then a translation. What is not written is nil.
type node struct {
	Children    []integer `json:"children"`
	Mesh        *integer  `json:"mesh"`
	Matrix      []float64 `json:"matrix"` // 16, column by column
	Translation []float64 `json:"translation"`
	Rotation    []float64 `json:"rotation"` // x, y, z, w
	Scale       []float64 `json:"scale"`
}

// mesh is one or several primitives, which have one material each (section 5.23).
type mesh struct {
	Primitives []primitive `json:"primitives"`
}

// primitive is what a viewer draws at once (section 5.24). Of its attributes only the
// positions are looked at.
type primitive struct {
	Attributes struct {
		Position *integer `json:"POSITION"`
	} `json:"attributes"`
	Indices  *integer `json:"indices"`
	Material *integer `json:"material"`
	Mode     *integer `json:"mode"`
	// Extensions is looked into for the mark of Gaussians, whatever it holds.
	Extensions struct {
		Gaussians json.RawMessage `json:"KHR_gaussian_splatting"`
	} `json:"extensions"`
}

// accessor reads values of one type from a view (section 5.1). Without a view they
// are zeros, or come from an extension that unpacks them.
type accessor struct {
	BufferView    *integer `json:"bufferView"`
	ByteOffset    integer  `json:"byteOffset"`
	ComponentType integer  `json:"componentType"`
	Normalized    bool     `json:"normalized"`
	Count         integer  `json:"count"`
	Type          string   `json:"type"`
	// Min and Max are the range of each component, in integers as they are
	// stored. Positions must have them.
	Min    []float64 `json:"min"`
	Max    []float64 `json:"max"`
	Sparse *sparse   `json:"sparse"`
}

// sparse replaces a few values of an accessor by others (section 5.2): those at the
// indices by the values, both from views.
type sparse struct {
	Count   integer `json:"count"`
	Indices struct {
		BufferView    integer `json:"bufferView"`
		ByteOffset    integer `json:"byteOffset"`
		ComponentType integer `json:"componentType"`
	} `json:"indices"`
	Values struct {
		BufferView integer `json:"bufferView"`
		ByteOffset integer `json:"byteOffset"`
	} `json:"values"`
}

// bufferView is a part of a buffer that is used for one thing (section 5.11). With
// meshoptimizer it is what comes out, and the extension names what goes in.
type bufferView struct {
	part
	ByteStride *integer `json:"byteStride"`
	Extensions struct {
		Meshopt    *part `json:"EXT_meshopt_compression"`
		KHRMeshopt *part `json:"KHR_meshopt_compression"`
	} `json:"extensions"`
}

// part is a range of a buffer, in bytes.
type part struct {
	Buffer     integer `json:"buffer"`
	ByteOffset integer `json:"byteOffset"`
	ByteLength integer `json:"byteLength"`
}

// buffer is data somewhere: in a file, in the URI itself, or in the BIN chunk
// (section 5.10).
type buffer struct {
	URI        string  `json:"uri"`
	ByteLength integer `json:"byteLength"`
	Extensions struct {
		Meshopt    fallback `json:"EXT_meshopt_compression"`
		KHRMeshopt fallback `json:"KHR_meshopt_compression"`
	} `json:"extensions"`
}

// fallback marks a buffer that only viewers without an extension load; it may have
// no data.
type fallback struct {
	Fallback bool `json:"fallback"`
}

// image is in a file, in the URI itself, or in a view (section 5.18). Its format is
// not looked at.
type image struct {
	URI        string   `json:"uri"`
	BufferView *integer `json:"bufferView"`
}

// texture shows an image; extensions may give it another one (section 5.29).
type texture struct {
	Source *integer `json:"source"`
}

// integer is a whole number up to 2^53, which JSON may write as 1.0 or 1e3 (section
// 2.7).
type integer int64

// UnmarshalJSON implements json.Unmarshaler.
func (i *integer) UnmarshalJSON(b []byte) error {
	if v, err := strconv.ParseInt(string(b), 10, 54); err == nil {
		*i = integer(v)
		return nil
	}
	if string(b) == "null" {
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return fmt.Errorf("%s is no whole number", b)
	}
	*i = integer(v)
	return nil
}

// parse reads the JSON. A byte order mark is forgiven, as viewers do. The objects are
// counted first, because "{}," becomes fifty times its size in memory; counting
// brackets in texts too is of no harm.
func parse(data []byte, name string) (*document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if n := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("null")); n > maxObjects {
		return nil, input.Errorf(name, "has JSON of %d objects; at most %d can be read", n, maxObjects)
	}
	d := &document{}
	if err := json.Unmarshal(data, d); err != nil {
		// Version 1 has names where 2.0 has indices, so it gets no further.
		var old struct{ Asset asset }
		if json.Unmarshal(data, &old) == nil && strings.HasPrefix(old.Asset.Version, "1.") {
			return nil, oldVersion(old.Asset.Version, name)
		}
		return nil, input.Errorf(name, "is no glTF file: its JSON is not valid, or not of that form")
	}
	return d, nil
}

// oldVersion returns the error about a file of another version.
func oldVersion(version, name string) error {
	return input.Errorf(name, "is glTF of version %s; 2.0 can be read", input.Quote(version))
}
