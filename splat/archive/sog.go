package archive

import (
	"context"
	"path"
	"slices"

	"portico/splat/input"
)

// maxSOGMeta bounds a SOG's meta.json, in bytes. It usually has a few kilobytes;
// what is larger is another tool's file of that common name, and not read.
const maxSOGMeta = 1 << 20

// sogMeta is the meta.json of a SOG (SOG v1 and v2): every property names the
// images that hold it.
type sogMeta struct {
	Means  sogProperty `json:"means"`
	Scales sogProperty `json:"scales"`
	Quats  sogProperty `json:"quats"`
	SH0    sogProperty `json:"sh0"`
	SHN    sogProperty `json:"shN"` // absent without higher bands
}

// sogProperty is one property of the splats; the images are its bytes.
type sogProperty struct {
	Files []string `json:"files"`
}

// files returns the paths of all images, or nil when the file is no SOG: a
// splat has these four properties.
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

// isSOG tells whether a file called meta.json is a SOG's. Other tools use the
// name, so a file that is none is no error.
func isSOG(ctx context.Context, a *Zip, e *entry) (bool, error) {
	files, err := readSOG(ctx, a, e)
	return files != nil, err
}

// readSOG returns the images that a meta.json names, nil when it is no SOG's.
func readSOG(ctx context.Context, a *Zip, e *entry) ([]string, error) {
	if e.size > maxSOGMeta {
		return nil, nil
	}
	data, err := a.readManifest(ctx, e)
	if err != nil {
		return nil, err
	}
	var m sogMeta
	if err := input.DecodeJSON(data, &m); err != nil {
		return nil, nil //nolint:nilerr // not a SOG is an answer here, not an error
	}
	return m.files(), nil
}

// sog keeps the images that the manifest names.
func (p *planner) sog() error {
	files, err := readSOG(p.ctx, p.archive, p.manifest)
	if err != nil {
		return err
	}
	return p.referAll(files)
}

// streamedSOG keeps the chunks that a lod-meta.json names, each with its images
// (streamed SOG v1).
func (p *planner) streamedSOG() error {
	data, err := p.read()
	if err != nil {
		return err
	}
	var m struct {
		Filenames   []string `json:"filenames"`
		Environment string   `json:"environment"` // a chunk too; often absent
	}
	if err := input.DecodeJSON(data, &m); err != nil || len(m.Filenames) == 0 {
		return p.fault("is no streamed SOG: it names no chunks")
	}
	if m.Environment != "" {
		m.Filenames = append(m.Filenames, m.Environment)
	}
	// Once each, however often they are named: every chunk is read.
	slices.Sort(m.Filenames)
	for _, chunk := range slices.Compact(m.Filenames) {
		if err := p.chunk(chunk); err != nil {
			return err
		}
	}
	return nil
}

// chunk keeps one chunk: a bundle, or a meta.json and its images, which it
// names relative to itself.
func (p *planner) chunk(reference string) error {
	e, name, err := p.refer(reference)
	if err != nil || input.HasExtension(name, ".sog") {
		return err
	}
	files, err := readSOG(p.ctx, p.archive, e)
	if err != nil {
		return err
	}
	if files == nil {
		return entryError(e.raw, "is no SOG, although %s says so", quote(p.manifest.raw))
	}
	for _, file := range files {
		if _, _, err := p.refer(path.Dir(name) + "/" + file); err != nil {
			return err
		}
	}
	return nil
}
