package lcc2

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"portico/splat/input"
)

// The limits of a manifest: its size in bytes, and its levels of detail, which are the depth of
// the tree. Real manifests have a few megabytes and 5 to 8 levels.
const (
	maxManifest = 32 << 20
	maxLevels   = 32
)

// manifest is a .lcc2 file. The fields called Old have the names of the old protocol, which lists
// levels from the coarsest to the finest.
//
// The parts that are read, in the current protocol:
//
//	{
//	  "version": "0.0.3",
//	  "totalLevels": 2,
//	  "splatType": ".sog",
//	  "root": {
//	    "boundingBox": {"min": [x, y, z], "max": [x, y, z]},
//	    "splatFiles": ["data/3dgs/0.sog", …],
//	    "data": {"env": {"name": 0}},
//	    "child": {"0": {"data": {"3dgs": {"name": 1, "start": 0, "count": 90}}, "child": …}}
//	  }
//	}
//
// A name is an index in splatFiles.
type manifest struct {
	Version        string  `json:"version"`
	FileType       string  `json:"fileType"`
	TotalSplats    int64   `json:"totalSplats"`
	OldTotalSplats int64   `json:"total_splats"`
	LODSplats      []int64 `json:"lodSplats"`
	OldLODSplats   []int64 `json:"lod_3dgs_info"`
	TotalLevels    int     `json:"totalLevels"`
	// SplatType is the extension of the tiles, with or without a dot; "" means ".sog".
	SplatType      string `json:"splatType"`
	OldTotalLevels int    `json:"lod_level"`
	Root           node   `json:"root"`
}

// node is a region at one level of detail. Its children together are the same region
// one level finer.
type node struct {
	BoundingBox *box `json:"boundingBox"`
	Data        struct {
		Splats *part `json:"3dgs"`
		Env    *part `json:"env"`
	} `json:"data"`
	// Child contains the children as text. collect parses it when it reaches the node. Its
	// maximum depth also limits how many times nested text is scanned: once for each level.
	Child json.RawMessage `json:"child"`
	// SplatFiles are the paths of the tiles. Only the root has them.
	SplatFiles []string `json:"splatFiles"`
	OldFiles   []string `json:"files"`
}

// box is an axis-aligned box with z up.
type box struct {
	Min [3]float64 `json:"min"`
	Max [3]float64 `json:"max"`
}

// part is a range of Gaussians of one tile.
type part struct {
	// File is the index of the tile in SplatFiles.
	File  int `json:"name"`
	Start int `json:"start"`
	// Count is missing if the part reaches to the end of the tile.
	Count *int `json:"count"`
}

// children returns the nodes of the next finer level. It may be called once. The manifest lists
// the nodes as an array, or as an object with the keys "0", "1" and so on.
func (n *node) children() ([]node, error) {
	text := n.Child
	if len(text) == 0 {
		return nil, nil
	}
	// Unmarshal copies the text of the children at every level. Without the parent's copy, the
	// memory of a deep tree does not grow with the number of levels.
	n.Child = nil
	if text[0] != '{' {
		var nodes []node
		err := json.Unmarshal(text, &nodes)
		return nodes, err
	}
	var byKey map[string]node
	if err := json.Unmarshal(text, &byKey); err != nil {
		return nil, err
	}
	nodes := make([]node, 0, len(byKey))
	for _, key := range slices.SortedFunc(maps.Keys(byKey), byNumber) {
		nodes = append(nodes, byKey[key])
	}
	return nodes, nil
}

// byNumber compares keys as numbers, so that nodes keep the order of the exporter
// instead of the random order of a map.
func byNumber(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil && x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

// parse parses a manifest and converts the old protocol to the current one.
func parse(name string, data []byte) (*manifest, error) {
	var m manifest
	if err := input.DecodeTolerantJSON(data, &m); err != nil {
		return nil, input.Errorf(name, "is not an LCC2 manifest: its JSON cannot be read").Advise("Export the capture again")
	}
	if m.TotalLevels == 0 && m.OldTotalLevels != 0 {
		m.TotalLevels, m.TotalSplats, m.LODSplats = m.OldTotalLevels, m.OldTotalSplats, m.OldLODSplats
		slices.Reverse(m.LODSplats)
	}
	if m.TotalLevels < 1 || m.TotalLevels > maxLevels {
		return nil, input.Errorf(name, "has %d levels of detail; 1 to %d can be read", m.TotalLevels, maxLevels).Advise("Export the capture again")
	}
	m.Root.SplatFiles = append(m.Root.SplatFiles, m.Root.OldFiles...)
	for i, file := range m.Root.SplatFiles {
		m.Root.SplatFiles[i] = TileName(file, m.SplatType)
	}
	return &m, nil
}

// TileExtensions returns the extensions of the formats that tiles may have.
func TileExtensions() []string { return []string{".sog", ".spz", ".ply"} }

// TileName returns the path of a tile in the form of the current protocol. Exporters on Windows
// write backslashes. The old protocol has a leading slash and no extension, which is then the
// manifest's splatType. The folder refuses a path that leads outside.
func TileName(name, splatType string) string {
	name = strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
	if !slices.Contains(TileExtensions(), strings.ToLower(path.Ext(name))) {
		name += "." + cmp.Or(strings.TrimPrefix(splatType, "."), "sog")
	}
	return path.Clean(name)
}

// isValid reports whether the box is finite and its minimum is not above its maximum.
func (b *box) isValid() bool {
	for i := range 3 {
		if math.IsNaN(b.Min[i]) || math.IsInf(b.Min[i], 0) || math.IsInf(b.Max[i], 0) || !(b.Min[i] <= b.Max[i]) {
			return false
		}
	}
	return true
}
