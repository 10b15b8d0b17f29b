package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/sog"
)

// stream is the finest level of a streamed SOG.
type stream struct {
	levels []int // number of Gaussians of each level
	// cloud is the finest level, chunk by chunk.
	cloud *gaussian.Cloud
	// chunks holds the index of each Gaussian's chunk.
	chunks []uint16
	// steps holds the step between 16-bit positions of each chunk along each axis, in
	// logarithms of positions.
	steps [][3]float64
}

// step returns the step between 16-bit positions at Gaussian i along an axis, in metres. Positions
// are stored as logarithms, so a step is larger far from the origin.
func (s *stream) step(i, axis int) float64 {
	return s.steps[s.chunks[i]][axis] * (1 + math.Abs(float64(s.cloud.Positions[3*i+axis])))
}

// readStream reads the finest level with Portico's reader. It reads the manifests
// of the chunks, because only they have the steps of positions.
func readStream(ctx context.Context, at string) (s *stream, err error) {
	files, err := folder.OpenLocal(at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	whole, err := sog.Open(ctx, files, streamName)
	if err != nil {
		return nil, err
	}
	s = &stream{levels: whole.Levels(), cloud: &gaussian.Cloud{}}
	if _, err := whole.Check(ctx); err != nil {
		return nil, err
	}
	chunks, err := finestChunks(at)
	if err != nil {
		return nil, err
	}
	for _, chunk := range chunks {
		if err := s.add(ctx, files, at, chunk); err != nil {
			return nil, fmt.Errorf("chunk %s: %w", chunk, err)
		}
	}
	if s.cloud.Len() != s.levels[0] {
		return nil, fmt.Errorf("chunks have %d Gaussians, the level %d", s.cloud.Len(), s.levels[0])
	}
	return s, nil
}

func (s *stream) add(ctx context.Context, files folder.Reader, at, chunk string) error {
	reader, err := sog.Open(ctx, files, chunk)
	if err != nil {
		return err
	}
	cloud, err := readLevel(ctx, reader)
	if err != nil {
		return err
	}
	appendCloud(s.cloud, cloud)
	var meta struct {
		Means struct{ Mins, Maxs [3]float64 }
	}
	if err := readJSON(filepath.Join(at, chunk), &meta); err != nil {
		return err
	}
	var step [3]float64
	for k := range step {
		// A flat chunk has no steps; then every difference is too large.
		step[k] = max((meta.Means.Maxs[k]-meta.Means.Mins[k])/math.MaxUint16, math.SmallestNonzeroFloat32)
	}
	for range cloud.Len() {
		s.chunks = append(s.chunks, uint16(len(s.steps)))
	}
	s.steps = append(s.steps, step)
	return nil
}

// node is a node of the tree in a lod-meta.json.
type node struct {
	Children []node
	LODs     map[string]struct{ File int } `json:"lods"`
}

// addFinest adds the indices of the files with Gaussians of the finest level.
func (n node) addFinest(into map[int]bool) {
	if lod, ok := n.LODs["0"]; ok {
		into[lod.File] = true
	}
	for _, child := range n.Children {
		child.addFinest(into)
	}
}

// finestChunks returns the manifests of the chunks of the finest level. Neither
// writer mixes levels in a chunk.
func finestChunks(at string) ([]string, error) {
	var manifest struct {
		Filenames []string
		Tree      node
	}
	if err := readJSON(filepath.Join(at, streamName), &manifest); err != nil {
		return nil, err
	}
	files := map[int]bool{}
	manifest.Tree.addFinest(files)
	var chunks []string
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if file < 0 || file >= len(manifest.Filenames) {
			return nil, fmt.Errorf("%s has no file %d", streamName, file)
		}
		chunks = append(chunks, manifest.Filenames[file])
	}
	return chunks, nil
}

// readJSON decodes a JSON file. It needs no limits, because a contender has just written
// the file.
func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readLevel reads the finest level of a source and closes it.
func readLevel(ctx context.Context, source gaussian.Source) (*gaussian.Cloud, error) {
	numbers := make([]uint32, source.Levels()[0])
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	cloud := &gaussian.Cloud{}
	err := source.Read(ctx, 0, numbers, cloud)
	return cloud, errors.Join(err, source.Close())
}

// appendCloud appends the Gaussians of from to to, which must be empty or have the same
// degree.
func appendCloud(to, from *gaussian.Cloud) {
	to.Degree = from.Degree
	to.Positions = append(to.Positions, from.Positions...)
	to.Rotations = append(to.Rotations, from.Rotations...)
	to.Scales = append(to.Scales, from.Scales...)
	to.Colours = append(to.Colours, from.Colours...)
	to.Opacities = append(to.Opacities, from.Opacities...)
	to.Harmonics = append(to.Harmonics, from.Harmonics...)
}
