package archive

import (
	"context"
	"path"
	"slices"

	"portico/splat/input"
)

// maxSOGMeta is the maximum size of the meta.json of a SOG, in bytes. Real ones have a few
// kilobytes; other tools use this common name for larger files.
const maxSOGMeta = 1 << 20

// sogMeta is the meta.json of a SOG, version 1 or 2: every property names the images that
// contain its values (PlayCanvas, "The SOG Format").
type sogMeta struct {
	Means  sogProperty `json:"means"`
	Scales sogProperty `json:"scales"`
	Quats  sogProperty `json:"quats"`
	SH0    sogProperty `json:"sh0"`
	SHN    sogProperty `json:"shN"` // absent without spherical harmonics
}

// sogProperty is one property of the Gaussians.
type sogProperty struct {
	Files []string `json:"files"`
}

// files returns the paths of all images. It returns nil if the file is not a SOG,
// whose Gaussians have at least four properties.
func (m sogMeta) files() []string {
	var all []string
	for _, property := range []sogProperty{m.Means, m.Scales, m.Quats, m.SH0} {
		if len(property.Files) == 0 {
			return nil
		}
		all = append(all, property.Files...)
	}
	return append(all, m.SHN.Files...)
}

// isSOG reports whether a file called meta.json belongs to a SOG. Other tools use
// the name too, so a different file is not an error.
func isSOG(ctx context.Context, z *Zip, e *entry) (bool, error) {
	files, err := readSOG(ctx, z, e)
	return files != nil, err
}

// readSOG returns the images that a meta.json names, or nil if it does not belong to a SOG.
func readSOG(ctx context.Context, z *Zip, e *entry) ([]string, error) {
	if e.size > maxSOGMeta {
		return nil, nil
	}
	data, err := z.readManifest(ctx, e)
	if err != nil {
		return nil, err
	}
	var m sogMeta
	if err := input.DecodeJSON(data, &m); err != nil {
		return nil, nil //nolint:nilerr // not a SOG is an answer here, not an error
	}
	return m.files(), nil
}

// addSOG adds the images that the manifest names.
func (p *planner) addSOG() error {
	files, err := readSOG(p.ctx, p.archive, p.manifest)
	if err != nil {
		return err
	}
	return p.addAllReferenced(files)
}

// addStreamedSOG adds the chunks that a lod-meta.json names, each with its images (PlayCanvas,
// "The Streamed SOG Format").
func (p *planner) addStreamedSOG() error {
	data, err := p.readManifest()
	if err != nil {
		return err
	}
	var m struct {
		Filenames   []string `json:"filenames"`
		Environment string   `json:"environment"` // also a chunk; often absent or null
	}
	if err := input.DecodeJSON(data, &m); err != nil || len(m.Filenames) == 0 {
		return p.manifestError("is not a streamed SOG: it names no chunks").Advise("Export the capture again")
	}
	if m.Environment != "" {
		m.Filenames = append(m.Filenames, m.Environment)
	}
	// A hostile manifest may name a chunk a million times. Every chunk is read, so duplicates
	// are removed first.
	slices.Sort(m.Filenames)
	for _, chunk := range slices.Compact(m.Filenames) {
		if err := p.addChunk(chunk); err != nil {
			return err
		}
	}
	return nil
}

// addChunk adds one chunk: a bundle, or a meta.json and its images. The references in a meta.json
// are relative to the meta.json.
func (p *planner) addChunk(reference string) error {
	e, name, err := p.addReferenced(reference)
	if err != nil || input.HasExtension(name, ".sog") {
		return err
	}
	files, err := readSOG(p.ctx, p.archive, e)
	if err != nil {
		return err
	}
	if files == nil {
		return input.Errorf(e.raw, "is not a SOG, but %s refers to it as one", input.Quote(p.manifest.raw)).Advise("Export the capture again")
	}
	for _, file := range files {
		if _, _, err := p.addReferenced(path.Dir(name) + "/" + file); err != nil {
			return err
		}
	}
	return nil
}
