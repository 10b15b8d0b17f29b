package sog

import "strconv"

// The lod-meta.json as it is written ("The Streamed SOG Format", 2).
type (
	// streamMeta is the whole file. LODErrors tells that leaves do not say how far
	// a level is from the finest; viewers then go by distance.
	streamMeta struct {
		Version     int         `json:"version"`
		Asset       streamAsset `json:"asset"`
		Count       int64       `json:"count"`
		Counts      []int64     `json:"counts"`
		LODLevels   int         `json:"lodLevels"`
		LODErrors   bool        `json:"lodErrors"`
		Environment string      `json:"environment,omitempty"`
		Filenames   []string    `json:"filenames"`
		Tree        *streamNode `json:"tree"`
	}
	// streamAsset also tells by which rules space was divided.
	streamAsset struct {
		Generator         string `json:"generator"`
		ChunkGaussians    int    `json:"chunkGaussians"`
		ChunkExtent       int    `json:"chunkExtent"`
		ChunkMinGaussians int    `json:"chunkMinGaussians"`
	}
	// streamNode is a half of its parent, with either children or levels, whose
	// numbers are the keys of LODs.
	streamNode struct {
		Bound    streamBound           `json:"bound"`
		Children []*streamNode         `json:"children,omitempty"`
		LODs     map[string]streamPart `json:"lods,omitempty"`
	}
	// streamBound has no longer digits than the float32 that viewers make of it.
	streamBound struct {
		Min [3]float32 `json:"min"`
		Max [3]float32 `json:"max"`
	}
	// streamPart is Count Gaussians from Offset on of Filenames[File].
	streamPart struct {
		File   int `json:"file"`
		Offset int `json:"offset"`
		Count  int `json:"count"`
	}
)

// index returns what goes into the lod-meta.json: all that is known once every
// chunk is written.
func (w *writer) index(root *node, units []*unit) *streamMeta {
	m := &streamMeta{
		Version:   1,
		Asset:     streamAsset{generator, w.rules.unit, w.rules.extent, w.rules.sparse},
		Counts:    w.result.Levels,
		LODLevels: len(w.result.Levels),
	}
	for _, count := range m.Counts {
		m.Count += count
	}
	if w.result.Environment > 0 {
		m.Environment = environmentName + "/" + metaName
	}
	for _, u := range units {
		m.Filenames = append(m.Filenames, u.name()+"/"+metaName)
	}
	m.Tree, _ = root.index()
	return m
}

// index returns the node as it is written, and its box.
func (n *node) index() (*streamNode, box) {
	out, around := &streamNode{}, emptyBox()
	if n.leaf != nil {
		out.LODs = map[string]streamPart{}
		for _, p := range n.leaf.parts {
			out.LODs[strconv.Itoa(p.level)] = streamPart{p.file, p.offset, len(p.numbers)}
			around.join(p.box)
		}
	} else {
		for _, half := range n.halves {
			child, box := half.index()
			out.Children = append(out.Children, child)
			around.join(box)
		}
	}
	out.Bound = streamBound{around.low, around.high}
	return out, around
}
