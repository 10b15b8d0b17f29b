package archive

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"path"
	"regexp"
	"strconv"

	"portico/splat/input"
)

// Candidate is one of the captures of an archive that has several.
type Candidate struct {
	// Name is the clean name of the manifest, or of the only file, in the archive.
	Name string
	// Size is the unpacked size of all its files, in bytes.
	Size int64
	// Splats is the number of Gaussians; 0 if the start of the file does not say.
	Splats int64
}

// PlanCapture is Plan for the candidate with this name, whatever else the archive contains.
func (z *Zip) PlanCapture(ctx context.Context, name string) (Plan, error) {
	e := z.byName[foldCase(name)]
	if e == nil {
		return Plan{}, input.Errorf(name, "is not in the archive")
	}
	for _, rule := range rules() {
		if !rule.match(path.Base(e.name)) {
			continue
		}
		if ok, err := rule.recognises(ctx, z, e); err != nil || !ok {
			return Plan{}, err
		}
		return z.planManifest(ctx, rule, e)
	}
	return newPlanner(ctx, z, e).finish(KindSingle)
}

// candidatesOf returns the captures with these manifests. A manifest whose files are not in the archive
// is none; if there is no other, its fault is the error.
func (z *Zip) candidatesOf(ctx context.Context, r rule, manifests []*entry) (found []Candidate, err error) {
	var fault error
	for _, e := range manifests[:min(len(manifests), maxCandidates)] {
		plan, err := z.planManifest(ctx, r, e)
		switch {
		case err == nil:
			found = append(found, Candidate{Name: e.name, Size: plan.Bytes, Splats: z.splatsOfManifest(ctx, e)})
		case ignoreDamage(err) != nil:
			return nil, err
		default:
			fault = cmp.Or(fault, err)
		}
	}
	if found == nil {
		return nil, fault
	}
	return found, nil
}

// splatsOfManifest returns the number of Gaussians that a manifest states; 0 if it states none. The
// formats have the number of the finest level under different names.
func (z *Zip) splatsOfManifest(ctx context.Context, e *entry) int64 {
	var m struct {
		Levels       []int64 `json:"splats"`      // LCC
		StreamLevels []int64 `json:"counts"`      // streamed SOG
		Count        int64   `json:"count"`       // SOG
		Total        int64   `json:"totalSplats"` // LCC2
	}
	data, err := z.readManifest(ctx, e)
	if err != nil || input.DecodeJSON(data, &m) != nil {
		return 0 // the number is an extra: the file itself was read before
	}
	for _, levels := range [][]int64{m.Levels, m.StreamLevels} {
		if len(levels) > 0 {
			return max(0, levels[0])
		}
	}
	return max(0, m.Count, m.Total)
}

// vertices matches the number of Gaussians in the header of a PLY.
var vertices = regexp.MustCompile(`element vertex ([0-9]{1,15})\s`)

// splatsOf returns the number of Gaussians of a capture in one file that its first bytes state, or its
// size; 0 if neither does.
func splatsOf(extension string, head []byte, size int64) int64 {
	switch extension {
	case ".ply":
		if found := vertices.FindSubmatch(head); found != nil {
			n, err := strconv.ParseInt(string(found[1]), 10, 64)
			if err == nil {
				return n
			}
		}
	case ".splat":
		return size / 32 // bytes of each
	case ".ksplat":
		return numberAt(head, 16)
	case ".spz":
		// Versions before 4 are gzip streams, and have the same header inside.
		if unpacked, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			head = make([]byte, 12)
			if _, err := io.ReadFull(unpacked, head); err != nil {
				return 0
			}
		}
		return numberAt(head, 8)
	}
	return 0
}

// numberAt returns the little-endian number at the offset; 0 behind the end.
func numberAt(head []byte, at int) int64 {
	if len(head) < at+4 {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(head[at:]))
}
