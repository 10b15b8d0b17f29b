package archive

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"portico/splat/input"
)

// Kind names the format of the capture in an archive.
type Kind string

// The kinds in their order of precedence: an archive that matches several kinds is of the
// first. A capture comes before the files that are made from it.
const (
	// KindLCC2 is an XGRIDS LCC2 capture. It is served unchanged: the .lcc2 manifest
	// and the .sog tiles, nothing else (API section 2).
	KindLCC2 Kind = "lcc2"
	// KindLCC is an XGRIDS LCC v1 capture. The plan contains the files that a conversion
	// needs: the .lcc manifest and the data files beside it.
	KindLCC Kind = "lcc"
	// KindStreamedSOG is a lod-meta.json and the chunks that it names.
	KindStreamedSOG Kind = "streamed-sog"
	// KindSOG is a SOG meta.json and its images.
	KindSOG Kind = "sog"
	// KindGLTF is a .gltf and the buffers and images that it names.
	KindGLTF Kind = "gltf"
	// KindSingle is a capture in one file, such as a PLY, with any other files. The plan
	// contains only the capture.
	KindSingle Kind = "single"
	// KindWhole is anything else. The zip itself is served, and its plan contains no files and
	// no primary.
	KindWhole Kind = "whole"
)

// Plan is the list of the files of an archive to extract.
type Plan struct {
	Kind Kind
	// Root is the manifest's folder in the archive, to which the files are relative.
	// "" is the archive's top.
	Root string
	// Primary is the name of the manifest or of the single capture. The resource key points to
	// it. It is the last of Files, so that all files that it needs exist before it does.
	Primary string
	// Files are the files in the order of extraction: the order in the archive, then Primary.
	Files []File
	// Bytes is the size of all Files.
	Bytes int64
	// Others are captures that are not extracted: other versions of a single capture, such as earlier
	// iterations of its training, or all captures of an archive of several.
	Others []Candidate
}

// File is one file to extract.
type File struct {
	// Name is clean, slash-separated and relative to the plan's Root.
	Name string
	// Size is the unpacked size in bytes.
	Size int64

	entry *entry
	tile  bool // must start like a SOG bundle
}

// rule is the rule by which one kind is recognised and planned.
type rule struct {
	kind Kind
	// match reports whether a base name is the manifest's.
	match func(base string) bool
	// sniff reports whether the content is a manifest, for names that other tools use too.
	// It may be nil.
	sniff func(context.Context, *Zip, *entry) (bool, error)
	// plan adds the files that the manifest needs. The planner already contains the
	// manifest itself.
	plan func(*planner) error
}

// rules returns the rules in their order of precedence.
func rules() []rule {
	return []rule{
		{kind: KindLCC2, match: extension(".lcc2"), plan: (*planner).addLCC2},
		{kind: KindLCC, match: extension(".lcc"), plan: (*planner).addLCC},
		{kind: KindStreamedSOG, match: hasName("lod-meta.json"), plan: (*planner).addStreamedSOG},
		{kind: KindSOG, match: hasName("meta.json"), sniff: isSOG, plan: (*planner).addSOG},
		{kind: KindGLTF, match: extension(".gltf"), plan: (*planner).addGLTF},
	}
}

// extension matches an extension in upper or lower case.
func extension(ext string) func(string) bool {
	return func(base string) bool { return input.HasExtension(base, ext) }
}

// hasName returns a function that matches one exact name, by which viewers recognise the format.
func hasName(name string) func(string) bool {
	return func(base string) bool { return base == name }
}

// Plan finds the capture and checks that all files that its manifest names exist. Of several
// manifests, the manifest in the fewest folders is used. An archive with several at the same depth is
// of KindWhole, since the user could mean either. Without a manifest, an archive with exactly
// one capture in one file, perhaps in several versions, is of KindSingle.
func (z *Zip) Plan(ctx context.Context) (Plan, error) {
	for _, rule := range rules() {
		manifests, err := z.manifests(ctx, rule)
		switch {
		case err != nil:
			return Plan{}, err
		case len(manifests) == 1:
			return z.planManifest(ctx, rule, manifests[0])
		case len(manifests) > 1:
			candidates, err := z.candidatesOf(ctx, rule, manifests)
			return Plan{Kind: KindWhole, Others: candidates}, cmp.Or(err, z.fault)
		}
	}
	capture, others, err := z.singleCapture(ctx)
	switch {
	case err != nil:
		return Plan{}, err
	case capture == nil:
		return Plan{Kind: KindWhole, Others: others}, z.fault
	}
	plan, err := newPlanner(ctx, z, capture).finish(KindSingle)
	plan.Others = others
	return plan, err
}

// planManifest returns the plan of the capture with this manifest.
func (z *Zip) planManifest(ctx context.Context, r rule, manifest *entry) (Plan, error) {
	p := newPlanner(ctx, z, manifest)
	if err := r.plan(p); err != nil {
		return Plan{}, err
	}
	return p.finish(r.kind)
}

// manifests returns the manifests that the rule recognises in the fewest folders.
func (z *Zip) manifests(ctx context.Context, r rule) (found []*entry, err error) {
	for _, e := range z.shallowest(r.match) {
		ok, err := r.recognises(ctx, z, e)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, e)
		}
	}
	return found, nil
}

// recognises reports whether a file with a matching base name is a manifest.
func (r rule) recognises(ctx context.Context, z *Zip, e *entry) (bool, error) {
	if r.sniff == nil {
		return true, nil
	}
	return r.sniff(ctx, z, e)
}

// shallowest returns the files with a matching base name that are in the fewest
// folders.
func (z *Zip) shallowest(match func(base string) bool) []*entry {
	var found []*entry
	// cleanName refuses more than maxSegments segments, so every file is less deep.
	minDepth := maxSegments + 1
	for _, e := range z.files {
		depth := strings.Count(e.name, "/")
		if depth > minDepth || !match(path.Base(e.name)) {
			continue
		}
		if depth < minDepth {
			found, minDepth = nil, depth
		}
		found = append(found, e)
	}
	return found
}

// allFiles returns the plan of Verify.
func (z *Zip) allFiles() Plan {
	plan := Plan{Kind: KindWhole}
	for _, e := range z.files {
		plan.Files = append(plan.Files, File{Name: e.name, Size: e.size, entry: e})
		plan.Bytes += e.size
	}
	return plan
}

// sortByOffset sorts files by their offset in the archive. The archive is then read from front
// to back, and the window loads each block once.
func sortByOffset(files []File) {
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.entry.offset, b.entry.offset) })
}
