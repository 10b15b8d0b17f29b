package sog

import "strconv"

// The content of a lod-meta.json ("The Streamed SOG Format", 2).
type (
	// streamMeta is the whole file. LODErrors is false: leaves do not hold the error
	// of each level, and viewers choose levels by distance instead.
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
	// streamAsset names the generator and its rules for dividing space.
	streamAsset struct {
		Generator         string `json:"generator"`
		ChunkGaussians    int    `json:"chunkGaussians"`
		ChunkExtent       int    `json:"chunkExtent"`
		ChunkMinGaussians int    `json:"chunkMinGaussians"`
	}
	// streamNode is a node of the tree. It has either children or LODs, whose keys are
	// the numbers of levels.
	streamNode struct {
		Bound    streamBound           `json:"bound"`
		Children []*streamNode         `json:"children,omitempty"`
		LODs     map[string]streamPart `json:"lods,omitempty"`
	}
	// streamBound is a box of float32, the precision of viewers: more digits would only
	// make the file larger.
	streamBound struct {
		Min [3]float32 `json:"min"`
		Max [3]float32 `json:"max"`
	}
	// streamPart is the range of Count Gaussians from Offset in Filenames[File].
	streamPart struct {
		File   int `json:"file"`
		Offset int `json:"offset"`
		Count  int `json:"count"`
	}
)

// encodeIndex returns the content of the lod-meta.json. All chunks must be written.
func (w *writer) encodeIndex(root *node, chunks []*plannedChunk) *streamMeta {
	m := &streamMeta{
		Version:   1,
		Asset:     streamAsset{generator, w.rules.chunkGaussians, w.rules.chunkExtent, w.rules.chunkMinGaussians},
		Counts:    w.result.Levels,
		LODLevels: len(w.result.Levels),
	}
	for _, count := range m.Counts {
		m.Count += count
	}
	if w.result.Environment > 0 {
		m.Environment = environmentName + "/" + metaName
	}
	for _, planned := range chunks {
		m.Filenames = append(m.Filenames, planned.name()+"/"+metaName)
	}
	m.Tree, _ = root.encode()
	return m
}

// encode returns the node for the lod-meta.json, and its box. Boxes are computed from
// the leaves up, because only writing the chunks has read the scales and rotations.
func (n *node) encode() (*streamNode, box) {
	out, around := &streamNode{}, emptyBox()
	if n.leaf != nil {
		out.LODs = map[string]streamPart{}
		for _, p := range n.leaf.parts {
			out.LODs[strconv.Itoa(p.level)] = streamPart{p.file, p.offset, p.count}
			around.addBox(p.box)
		}
	} else {
		for _, half := range n.children {
			child, box := half.encode()
			out.Children = append(out.Children, child)
			around.addBox(box)
		}
	}
	out.Bound = streamBound{around.low, around.high}
	return out, around
}
