package lcc2

import (
	"encoding/json"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"portico/splat/input"
)

// The bounds of what is read: a manifest in bytes, and the levels of detail, which
// are the depth of the tree. Real ones have a few megabytes and 5 to 8 levels.
const (
	maxManifest = 32 << 20
	maxLevels   = 32
)

// manifest is a .lcc2 file. The second names are those of the old protocol,
// which lists levels from the coarsest.
type manifest struct {
	Version        string  `json:"version"`
	FileType       string  `json:"fileType"`
	TotalSplats    int64   `json:"totalSplats"`
	OldTotalSplats int64   `json:"total_splats"`
	LODSplats      []int64 `json:"lodSplats"`
	OldLODSplats   []int64 `json:"lod_3dgs_info"`
	TotalLevels    int     `json:"totalLevels"`
	OldTotalLevels int     `json:"lod_level"`
	Root           node    `json:"root"`
}

// node is a region at one level of detail; its children together are the same
// region, one level finer.
type node struct {
	BoundingBox *box `json:"boundingBox"`
	Data        struct {
		Splats *part `json:"3dgs"`
		Env    *part `json:"env"`
	} `json:"data"`
	// Child is read when the walk comes by: that way its depth is bounded, and
	// so is the time to scan the nested text again at each level.
	Child json.RawMessage `json:"child"`
	// SplatFiles are the tiles; of the root only.
	SplatFiles []string `json:"splatFiles"`
	OldFiles   []string `json:"files"`
}

// box is an axis-aligned box with z up.
type box struct {
	Min [3]float64 `json:"min"`
	Max [3]float64 `json:"max"`
}

// part is a number of Gaussians in a row of one tile.
type part struct {
	// File is the tile's index.
	File  int `json:"name"`
	Start int `json:"start"`
	// Count is missing where the part is the rest of the tile.
	Count *int `json:"count"`
}

// children returns the nodes one level finer, once. They come as an array, or as
// an object whose keys are "0", "1", ...
func (n *node) children() ([]node, error) {
	text := n.Child
	if len(text) == 0 {
		return nil, nil
	}
	// Every level copies the text below it: what is read is let go of, so that a
	// deep tree is not in memory as often as it is deep.
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

// byNumber orders keys as the exporter counted them, so that a capture is read
// the same way each time.
func byNumber(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil && x != y {
		return x - y
	}
	return strings.Compare(a, b)
}

// parse reads a manifest and brings the old protocol into the form of the new.
func parse(name string, data []byte) (*manifest, error) {
	var m manifest
	if err := input.DecodeTolerantJSON(data, &m); err != nil {
		return nil, input.Errorf(name, "is no LCC2 manifest: it is not valid JSON of that form")
	}
	if m.TotalLevels == 0 && m.OldTotalLevels != 0 {
		m.TotalLevels, m.TotalSplats, m.LODSplats = m.OldTotalLevels, m.OldTotalSplats, m.OldLODSplats
		slices.Reverse(m.LODSplats)
	}
	if m.TotalLevels < 1 || m.TotalLevels > maxLevels {
		return nil, input.Errorf(name, "has %d levels of detail; 1 to %d can be read", m.TotalLevels, maxLevels)
	}
	m.Root.SplatFiles = append(m.Root.SplatFiles, m.Root.OldFiles...)
	for i, file := range m.Root.SplatFiles {
		m.Root.SplatFiles[i] = tileName(file)
	}
	return &m, nil
}

// tileName normalises the path of a tile as extraction does: exporters on
// Windows write backslashes, and the old protocol a leading slash and no
// extension. What leads out of the folder is found out when it is opened.
func tileName(name string) string {
	name = strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
	if !strings.EqualFold(path.Ext(name), ".sog") {
		name += ".sog"
	}
	return path.Clean(name)
}

// finite tells whether the box can be shown, and is not inside out.
func (b *box) finite() bool {
	for i := range 3 {
		if math.IsNaN(b.Min[i]) || math.IsInf(b.Min[i], 0) || math.IsInf(b.Max[i], 0) || !(b.Min[i] <= b.Max[i]) {
			return false
		}
	}
	return true
}
