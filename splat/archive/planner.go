package archive

import (
	"context"
	"path"
	"strings"

	"portico/splat/input"
)

// planner collects the files of one plan.
type planner struct {
	ctx      context.Context // of the one call to Plan
	archive  *Zip
	manifest *entry
	root     string          // the manifest's folder, "" for the top
	files    []File          // without the manifest
	kept     map[*entry]bool // with it
}

// newPlanner begins a plan with nothing but the manifest.
func newPlanner(ctx context.Context, a *Zip, manifest *entry) *planner {
	root := path.Dir(manifest.name)
	if root == "." {
		root = ""
	}
	return &planner{ctx: ctx, archive: a, manifest: manifest, root: root, kept: map[*entry]bool{manifest: true}}
}

// finish returns the plan with the manifest as its last file.
func (p *planner) finish(kind Kind) Plan {
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

// keep adds a file under a name relative to the root, once.
func (p *planner) keep(name string, e *entry) {
	if p.kept[e] {
		return
	}
	p.kept[e] = true
	p.files = append(p.files, File{Name: name, Size: e.size, entry: e, tile: input.HasExtension(name, ".sog")})
}

// find returns the file that a manifest refers to by a path relative to the
// root, or nil, and the clean form of that path. Upper and lower case do not
// matter, because they did not on the machine that wrote it; a path out of the
// root is an error.
func (p *planner) find(reference string) (*entry, string, error) {
	name, err := cleanName(path.Clean(strings.ReplaceAll(reference, `\`, "/")))
	if err != nil {
		return nil, "", p.fault("refers to %s, which it must not: %s", quote(reference), err)
	}
	return p.archive.byName[fold(path.Join(p.root, name))], name, nil
}

// refer keeps the file that the manifest refers to. It is kept under the name
// by which the manifest, and so a viewer, asks for it; that name is returned.
func (p *planner) refer(reference string) (*entry, string, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, "", err // there may be millions of references
	}
	e, name, err := p.find(reference)
	if err != nil {
		return nil, "", err
	}
	if e == nil {
		return nil, "", p.fault("refers to %s, which is not in the archive", quote(reference))
	}
	p.keep(name, e)
	return e, name, nil
}

// referAll keeps all files that the manifest refers to.
func (p *planner) referAll(references []string) error {
	for _, reference := range references {
		if _, _, err := p.refer(reference); err != nil {
			return err
		}
	}
	return nil
}

// fault is an error in the manifest.
func (p *planner) fault(format string, args ...any) error {
	return entryError(p.manifest.raw, format, args...)
}
