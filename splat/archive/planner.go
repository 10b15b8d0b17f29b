package archive

import (
	"context"
	"path"
	"strings"

	"portico/splat/input"
)

// planner collects the files of one plan. A path in a manifest is a reference.
type planner struct {
	ctx      context.Context // of the call to Plan that made it
	archive  *Zip
	manifest *entry
	root     string          // the manifest's folder; "" for the archive's top
	files    []File          // without the manifest
	kept     map[*entry]bool // with the manifest
}

// newPlanner returns a plan that holds only the manifest.
func newPlanner(ctx context.Context, z *Zip, manifest *entry) *planner {
	root := path.Dir(manifest.name)
	if root == "." {
		root = ""
	}
	return &planner{ctx: ctx, archive: z, manifest: manifest, root: root, kept: map[*entry]bool{manifest: true}}
}

// finish returns the plan with the manifest as its last file.
func (p *planner) finish(kind Kind) Plan {
	// The manifest is last, whatever its offset is.
	inFileOrder(p.files)
	primary := File{Name: path.Base(p.manifest.name), Size: p.manifest.size, entry: p.manifest}
	plan := Plan{Kind: kind, Root: p.root, Primary: primary.Name, Files: append(p.files, primary)}
	for _, f := range plan.Files {
		plan.Bytes += f.Size
	}
	return plan
}

// read returns the manifest's content.
func (p *planner) read() ([]byte, error) {
	return p.archive.readManifest(p.ctx, p.manifest)
}

// keep adds a file once, under a name relative to the root.
func (p *planner) keep(name string, e *entry) {
	if p.kept[e] {
		return
	}
	p.kept[e] = true
	p.files = append(p.files, File{Name: name, Size: e.size, entry: e, tile: input.HasExtension(name, ".sog")})
}

// find returns the file behind a reference, or nil, and the clean reference. It
// ignores case, as the file system did on which the manifest was written. A
// reference that leads out of the root is an error.
func (p *planner) find(reference string) (*entry, string, error) {
	name, err := cleanName(path.Clean(strings.ReplaceAll(reference, `\`, "/")))
	if err != nil {
		return nil, "", p.manifestError("refers to %s, which %s", input.Quote(reference), err).Advise(zipAgain)
	}
	return p.archive.byName[foldCase(path.Join(p.root, name))], name, nil
}

// keepReferenced keeps the file behind a reference and returns the name under which
// it is kept: the one in the manifest, because viewers request that.
func (p *planner) keepReferenced(reference string) (*entry, string, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, "", err // a manifest may have millions of references
	}
	e, name, err := p.find(reference)
	if err != nil {
		return nil, "", err
	}
	if e == nil {
		return nil, "", p.manifestError("refers to %s, which is not in the archive", input.Quote(reference)).Advise(addMissing)
	}
	p.keep(name, e)
	return e, name, nil
}

// keepAllReferenced keeps the files behind all references.
func (p *planner) keepAllReferenced(references []string) error {
	for _, reference := range references {
		if _, _, err := p.keepReferenced(reference); err != nil {
			return err
		}
	}
	return nil
}

// manifestError returns an error about the manifest.
func (p *planner) manifestError(format string, args ...any) *input.Error {
	return input.Errorf(p.manifest.raw, format, args...)
}
