package archive

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"portico/splat/input"
)

// Kind is what an archive turned out to be.
type Kind string

// The kinds in their order of precedence: where an archive could be several,
// the first one counts. The richer capture wins over what is made from it.
const (
	// KindLCC2 is an XGRIDS LCC2 capture, served as it is: the .lcc2 manifest
	// and the .sog tiles, nothing else (API section 2).
	KindLCC2 Kind = "lcc2"
	// KindLCC is an XGRIDS LCC v1 capture. The plan holds what a converter
	// needs: the .lcc manifest and the data files beside it.
	KindLCC Kind = "lcc"
	// KindStreamedSOG is a lod-meta.json and the chunks that it names.
	KindStreamedSOG Kind = "streamed-sog"
	// KindSOG is a SOG meta.json and its images.
	KindSOG Kind = "sog"
	// KindGLTF is a .gltf and the buffers and images that it names.
	KindGLTF Kind = "gltf"
	// KindWhole is anything else. The zip itself is what is served: its plan
	// has no files and no primary.
	KindWhole Kind = "whole"
)

// Plan is what becomes of an archive.
type Plan struct {
	Kind Kind
	// Root is the folder of the archive that the files are relative to: the
	// manifest's. "" is the archive's top.
	Root string
	// Primary is the name of the file that the resource key points at: the
	// manifest. It lies at the top and is the last of Files, so that it appears
	// when all that it needs is in place.
	Primary string
	// Files are to be extracted in this order, which is that of the archive.
	Files []File
	// Bytes is the size of all Files.
	Bytes int64
}

// File is one file to extract.
type File struct {
	// Name is clean, slash-separated and relative to the plan's Root.
	Name string
	// Size is the unpacked size in bytes.
	Size int64

	entry *entry
	tile  bool // must begin like a SOG bundle
}

// recipe is how one kind is found and planned.
type recipe struct {
	kind Kind
	// match tells the manifest by its base name.
	match func(base string) bool
	// sniff, where set, looks into a file whose name says too little.
	sniff func(context.Context, *Zip, *entry) (bool, error)
	// plan keeps what the manifest needs; the manifest itself is kept anyway.
	plan func(*planner) error
}

// recipes returns the kinds in their order of precedence.
func recipes() []recipe {
	return []recipe{
		{kind: KindLCC2, match: extension(".lcc2"), plan: (*planner).lcc2},
		{kind: KindLCC, match: extension(".lcc"), plan: (*planner).lcc},
		{kind: KindStreamedSOG, match: named("lod-meta.json"), plan: (*planner).streamedSOG},
		{kind: KindSOG, match: named("meta.json"), sniff: isSOG, plan: (*planner).sog},
		{kind: KindGLTF, match: extension(".gltf"), plan: (*planner).gltf},
	}
}

// extension matches by extension, in any case.
func extension(ext string) func(string) bool {
	return func(base string) bool { return input.HasExtension(base, ext) }
}

// named is exact: viewers find these files by their very name.
func named(name string) func(string) bool {
	return func(base string) bool { return base == name }
}

// Plan decides what the archive is and checks that everything its manifest
// names is there. The manifest is the one nearest to the archive's top; two of
// them at one depth are an *input.Error, since either could be meant.
func (a *Zip) Plan(ctx context.Context) (Plan, error) {
	for _, recipe := range recipes() {
		manifest, err := a.manifest(ctx, recipe)
		if err != nil {
			return Plan{}, err
		}
		if manifest == nil {
			continue
		}
		p := newPlanner(ctx, a, manifest)
		if err := recipe.plan(p); err != nil {
			return Plan{}, err
		}
		return p.finish(recipe.kind), nil
	}
	return Plan{Kind: KindWhole}, nil
}

// manifest returns the file that makes the archive one of the recipe's kind, or
// nil.
func (a *Zip) manifest(ctx context.Context, r recipe) (*entry, error) {
	var found *entry
	for _, e := range a.shallowest(r.match) {
		if r.sniff != nil {
			ok, err := r.sniff(ctx, a, e)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		if found != nil {
			return nil, entryError(e.raw, "lies as high in the archive as %s; only one of them can be meant", quote(found.raw))
		}
		found = e
	}
	return found, nil
}

// shallowest returns the files that match by their base name and lie in the
// fewest folders.
func (a *Zip) shallowest(match func(base string) bool) []*entry {
	var found []*entry
	least := maxSegments + 1
	for _, e := range a.files {
		depth := strings.Count(e.name, "/")
		if depth > least || !match(path.Base(e.name)) {
			continue
		}
		if depth < least {
			found, least = nil, depth
		}
		found = append(found, e)
	}
	return found
}

// everything is the plan of Verify.
func (a *Zip) everything() Plan {
	plan := Plan{Kind: KindWhole}
	for _, e := range a.files {
		plan.Files = append(plan.Files, File{Name: e.name, Size: e.size, entry: e})
		plan.Bytes += e.size
	}
	return plan
}

// inFileOrder sorts files by where they lie in the archive, so that it is read
// from front to back.
func inFileOrder(files []File) {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.entry.offset, b.entry.offset) })
}
