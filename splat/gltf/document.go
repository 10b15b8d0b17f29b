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

// Limits of the JSON. A building of a hundred thousand parts has about ten megabytes
// and half a million objects.
const (
	// MaxJSON is the maximum size of the JSON in bytes.
	MaxJSON    = 64 << 20
	maxObjects = 1 << 20 // objects, lists and nulls together
)

// document is the part of a glTF file that the package checks. An absent index is nil.
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

// asset contains the versions of the format (section 5.9).
type asset struct {
	Version    string `json:"version"`
	MinVersion string `json:"minVersion"`
}

// scene lists the roots of its trees of nodes (section 5.26).
type scene struct {
	Nodes []integer `json:"nodes"`
}

// node transforms its mesh and its children (section 5.25), by a matrix, or by a scale, a
// rotation and a translation in this order. Absent values are nil.
type node struct {
	Children    []integer `json:"children"`
	Mesh        *integer  `json:"mesh"`
	Matrix      []float64 `json:"matrix"` // 16, column by column
	Translation []float64 `json:"translation"`
	Rotation    []float64 `json:"rotation"` // x, y, z, w
	Scale       []float64 `json:"scale"`
	Extensions  struct {
		Instancing *instancing `json:"EXT_mesh_gpu_instancing"`
	} `json:"extensions"`
}

// instancing places a mesh several times (EXT_mesh_gpu_instancing). Each attribute has a value for
// each instance.
type instancing struct {
	Attributes struct {
		Translation *integer `json:"TRANSLATION"`
		Rotation    *integer `json:"ROTATION"`
		Scale       *integer `json:"SCALE"`
	} `json:"attributes"`
}

// mesh is a list of primitives with one material each (section 5.23).
type mesh struct {
	Primitives []primitive `json:"primitives"`
}

// primitive is the geometry of one draw call (section 5.24).
type primitive struct {
	Attributes attributes `json:"attributes"`
	Indices    *integer   `json:"indices"`
	Material   *integer   `json:"material"`
	Mode       *integer   `json:"mode"`
	Extensions struct {
		// Gaussians is the extension of a primitive of Gaussians. FirstDraft is the extension of
		// the first draft, in which they are always compressed.
		Gaussians  json.RawMessage `json:"KHR_gaussian_splatting"`
		FirstDraft json.RawMessage `json:"KHR_spz_gaussian_splats_compression"`
	} `json:"extensions"`
}

// attributes contains the accessors of a primitive's attributes.
type attributes struct {
	Position *integer
	// all maps the names of all attributes to their accessors. It is nil unless the primitive has
	// Gaussians: maps for a million primitives would take too much memory.
	all map[string]integer
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *attributes) UnmarshalJSON(b []byte) error {
	var known struct {
		Position *integer `json:"POSITION"`
	}
	if err := json.Unmarshal(b, &known); err != nil {
		return err
	}
	a.Position = known.Position
	// Every naming scheme of Gaussians has an attribute whose name ends in SCALE (see namesOf).
	if !bytes.Contains(b, []byte("SCALE\"")) {
		return nil
	}
	return json.Unmarshal(b, &a.all)
}

// accessor describes values of one type in a view (section 5.1). Without a view the values are
// zeros, or an extension unpacks them.
type accessor struct {
	BufferView    *integer `json:"bufferView"`
	ByteOffset    integer  `json:"byteOffset"`
	ComponentType integer  `json:"componentType"`
	Normalized    bool     `json:"normalized"`
	Count         integer  `json:"count"`
	Type          string   `json:"type"`
	// Min and Max are the range of each component as it is stored. They are required for positions.
	Min    []float64 `json:"min"`
	Max    []float64 `json:"max"`
	Sparse *sparse   `json:"sparse"`
}

// sparse replaces the values of an accessor at some indices (section 5.2).
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

// bufferView is a section of a buffer (section 5.11). With the compression of meshoptimizer it
// describes the decoded data, and the extension describes the compressed data.
type bufferView struct {
	part
	ByteStride *integer `json:"byteStride"`
	Extensions struct {
		Meshopt    *compressedPart `json:"EXT_meshopt_compression"`
		KHRMeshopt *compressedPart `json:"KHR_meshopt_compression"`
	} `json:"extensions"`
}

// part is a section of a buffer, in bytes.
type part struct {
	Buffer     integer `json:"buffer"`
	ByteOffset integer `json:"byteOffset"`
	ByteLength integer `json:"byteLength"`
}

// buffer is data in a file, in the URI itself or in the BIN chunk (section 5.10).
type buffer struct {
	URI        string  `json:"uri"`
	ByteLength integer `json:"byteLength"`
	Extensions struct {
		Meshopt    fallback `json:"EXT_meshopt_compression"`
		KHRMeshopt fallback `json:"KHR_meshopt_compression"`
	} `json:"extensions"`
}

// fallback marks a buffer for viewers without the extension. It may have no data
// (EXT_meshopt_compression, "Fallback buffers").
type fallback struct {
	Fallback bool `json:"fallback"`
}

// image is in a file, in the URI itself or in a view (section 5.18).
type image struct {
	URI        string   `json:"uri"`
	BufferView *integer `json:"bufferView"`
}

// texture refers to an image, and an extension may replace it (section 5.29).
type texture struct {
	Source *integer `json:"source"`
}

// integer is a whole number up to 2^53. JSON may have it as 1.0 or 1e3 (section 2.7).
type integer int64

// UnmarshalJSON implements json.Unmarshaler.
func (i *integer) UnmarshalJSON(b []byte) error {
	// 54 bits with the sign: the integers that a float64 has exactly.
	if v, err := strconv.ParseInt(string(b), 10, 54); err == nil {
		*i = integer(v)
		return nil
	}
	if string(b) == "null" {
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return fmt.Errorf("%s is not a whole number", b)
	}
	*i = integer(v)
	return nil
}

// parse parses the JSON. Like viewers it accepts a byte order mark. It counts the objects before it
// parses them, because "{}," takes fifty times its size in memory. The count includes brackets in
// strings, which are rare in real files.
func parse(data []byte, name string) (*document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if n := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("null")); n > maxObjects {
		return nil, input.Errorf(name, "has JSON of %d objects; at most %d can be read", n, maxObjects).Advise("Export the model in parts")
	}
	d := &document{}
	if err := json.Unmarshal(data, d); err != nil {
		// Files of version 1.0 fail here, because they have names instead of indices.
		var old struct{ Asset asset }
		if json.Unmarshal(data, &old) == nil && strings.HasPrefix(old.Asset.Version, "1.") {
			return nil, oldVersion(old.Asset.Version, name)
		}
		return nil, input.Errorf(name, "is not a glTF file: its JSON cannot be read").Advise("Export the model again")
	}
	return d, nil
}

// oldVersion returns the error about a file of another version.
func oldVersion(version, name string) error {
	return input.Errorf(name, "is glTF version %s; 2.0 can be read", input.Quote(version)).Advise("Export it as glTF 2.0")
}
