package sog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"portico/splat/input"
)

// CoarsestFiles returns the names of the files that a viewer of a streamed SOG draws first:
// the chunks of the environment and of the coarsest level, each with its images. The names are
// relative to the folder of manifest, which is the lod-meta.json. read returns the content of a
// file by its name; it is called for each chunk. The result is nil where these are more
// than maxChunks chunks.
func CoarsestFiles(manifest []byte, maxChunks int, read func(name string) ([]byte, error)) ([]string, error) {
	x := &index{limits: DefaultLimits(), levels: unknownLevels}
	if err := x.read(&tokens{Decoder: json.NewDecoder(bytes.NewReader(manifest))}); err != nil {
		return nil, fmt.Errorf("read %s: %w", streamName, err)
	}
	chunks := x.coarsestChunks()
	if len(chunks) > maxChunks {
		return nil, nil
	}
	var files []string
	for _, chunk := range chunks {
		if !fs.ValidPath(chunk) {
			return nil, fmt.Errorf("read %s: the name %q is invalid", streamName, chunk)
		}
		files = append(files, chunk)
		if path.Base(chunk) != metaName {
			continue // a bundle has its images inside
		}
		content, err := read(chunk)
		if err != nil {
			return nil, err
		}
		images, err := imagesOf(content)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", chunk, err)
		}
		for _, image := range images {
			files = append(files, path.Join(path.Dir(chunk), image))
		}
	}
	return files, nil
}

// coarsestChunks returns the names of the chunks of the environment and the coarsest level.
func (x *index) coarsestChunks() []string {
	var chunks []string
	if x.environment != "" {
		chunks = append(chunks, x.environment)
	}
	coarsest := int32(0)
	for _, p := range x.parts {
		coarsest = max(coarsest, p.level)
	}
	for _, p := range x.parts {
		if p.level != coarsest || p.file < 0 || int(p.file) >= len(x.files) {
			continue
		}
		if name := x.files[p.file]; !slices.Contains(chunks, name) {
			chunks = append(chunks, name)
		}
	}
	return chunks
}

// imagesOf returns the names of the images of a meta.json.
func imagesOf(content []byte) ([]string, error) {
	var m struct {
		Means, Scales, Quats, SH0, SHN struct{ Files []string }
	}
	if err := input.DecodeJSON(content, &m); err != nil {
		return nil, err
	}
	var images []string
	for _, files := range [][]string{m.Means.Files, m.Scales.Files, m.Quats.Files, m.SH0.Files, m.SHN.Files} {
		for _, name := range files {
			if !fs.ValidPath(name) {
				return nil, fmt.Errorf("the name %q is invalid", name)
			}
			images = append(images, name)
		}
	}
	return images, nil
}
