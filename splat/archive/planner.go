package archive

import (
	"context"
	"path"
	"strings"

	"portico/splat/input"
)

// planner collects the files of one plan. A path that a manifest contains is called a
// reference.
type planner struct {
	ctx      context.Context // of the call to Plan, which is the only user
	archive  *Zip
	manifest *entry
	root     string          // the manifest's folder; "" for the archive's top
	files    []File          // without the manifest
	added    map[*entry]bool // with the manifest
}

// newPlanner returns a planner that contains only the manifest.
func newPlanner(ctx context.Context, z *Zip, manifest *entry) *planner {
	root := path.Dir(manifest.name)
	if root == "." {
		root = ""
	}
	return &planner{ctx: ctx, archive: z, manifest: manifest, root: root, added: map[*entry]bool{manifest: true}}
}

// finish returns the plan with the manifest as its last file. A file with a fault in its name is an
// error.
func (p *planner) finish(kind Kind) (Plan, error) {
	// The manifest is last, even if its offset is lower: see Plan.Primary.
	sortByOffset(p.files)
	primary := File{Name: path.Base(p.manifest.name), Size: p.manifest.size, entry: p.manifest}
	plan := Plan{Kind: kind, Root: p.root, Primary: primary.Name, Files: append(p.files, primary)}
	for _, f := range plan.Files {
		if f.entry.fault != nil {
			return Plan{}, f.entry.fault
		}
		plan.Bytes += f.Size
	}
	return plan, nil
}

// readManifest returns the manifest's content.
func (p *planner) readManifest() ([]byte, error) {
	return p.archive.readManifest(p.ctx, p.manifest)
}

// add adds a file under a name relative to the root, unless it was added before.
func (p *planner) add(name string, e *entry) {
	// Several references may lead to one file, and each file is extracted once.
	if p.added[e] {
		return
	}
	p.added[e] = true
	p.files = append(p.files, File{Name: name, Size: e.size, entry: e, tile: input.HasExtension(name, ".sog")})
}

// find returns the file to which a reference points, or nil, and the clean reference. It
// ignores case, like the file systems on which exporters run. A reference that leads out of
// the root is an error.
func (p *planner) find(reference string) (*entry, string, error) {
	name, err := cleanName(path.Clean(strings.ReplaceAll(reference, `\`, "/")))
	if err != nil {
		return nil, "", p.manifestError("refers to %s, which %s", input.Quote(reference), err).Advise(adviceToZipAgain)
	}
	return p.archive.byName[foldCase(path.Join(p.root, name))], name, nil
}

// addReferenced adds the file to which a reference points. It returns the file and its new
// name, which is the name in the manifest, because viewers request that.
func (p *planner) addReferenced(reference string) (*entry, string, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, "", err // a manifest may have millions of references
	}
	e, name, err := p.find(reference)
	if err != nil {
		return nil, "", err
	}
	if e == nil {
		return nil, "", p.manifestError("refers to %s, which is not in the archive", input.Quote(reference)).Advise(adviceToAddMissing)
	}
	p.add(name, e)
	return e, name, nil
}

// addAllReferenced adds the files to which all references point.
func (p *planner) addAllReferenced(references []string) error {
	for _, reference := range references {
		if _, _, err := p.addReferenced(reference); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) manifestError(format string, args ...any) *input.Error {
	return input.Errorf(p.manifest.raw, format, args...)
}
