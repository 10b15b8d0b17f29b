package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"portico/splat/html"
	"portico/splat/input"
)

const (
	// maxCandidates is the maximum number of files that are checked for captures. An archive of more
	// files with such names is a collection, of which only these are offered.
	maxCandidates = 64
	// sniffBytes is how much of a file is read to recognise its format, in bytes. The header of
	// a PLY, and the JSON of a GLB with Gaussians, are smaller in practice.
	sniffBytes = 256 << 10
)

// candidates maps each extension of a capture in one file to the check of its first bytes. A
// mesh may have the same extension, but is not a capture.
func candidates() map[string]func(head []byte) bool {
	return map[string]func(head []byte) bool{
		".ply": isGaussianPLY,
		".spz": func(head []byte) bool { return startsWith(head, "NGSP", "\x1f\x8b") },
		".sog": func(head []byte) bool { return startsWith(head, bundleMagic) },
		".glb": isGaussianGLB,
		// Files of these two formats start with values of any kind.
		".splat":  func(head []byte) bool { return len(head) > 0 },
		".ksplat": func(head []byte) bool { return len(head) > 0 },
	}
}

// startsWith reports whether the content starts with one of the signatures.
func startsWith(head []byte, signatures ...string) bool {
	for _, signature := range signatures {
		if bytes.HasPrefix(head, []byte(signature)) {
			return true
		}
	}
	return false
}

// isGaussianPLY reports whether the header of a PLY names a property that only Gaussians
// have, in the form of trainers or of SuperSplat.
func isGaussianPLY(head []byte) bool {
	header, _, _ := bytes.Cut(head, []byte("end_header"))
	return startsWith(head, "ply\n", "ply\r") &&
		(bytes.Contains(header, []byte(" f_dc_0")) || bytes.Contains(header, []byte(" packed_position")))
}

// isPointsPLY reports whether the header of a PLY names colours, and no faces.
func isPointsPLY(head []byte) bool {
	header, _, _ := bytes.Cut(head, []byte("end_header"))
	return startsWith(head, "ply\n", "ply\r") && bytes.Contains(header, []byte(" red")) && !bytes.Contains(header, []byte("element face"))
}

// isGaussianGLB reports whether the JSON of a GLB names an extension for Gaussians: the
// ratified one or a draft.
func isGaussianGLB(head []byte) bool {
	return startsWith(head, "glTF") &&
		(bytes.Contains(head, []byte(`"KHR_gaussian_splatting`)) || bytes.Contains(head, []byte(`"KHR_spz_gaussian_splats`)))
}

// htmlExtension is the extension of HTML pages, which may have a capture anywhere in them.
const htmlExtension = ".html"

// singleCapture returns the capture of an archive that contains exactly one capture in one file,
// perhaps in several versions, and otherwise nil. It also returns the other captures: the versions
// that are left, or all captures if there are several. It reads at most sniffBytes of each candidate,
// except of a page, which it may read to the end.
func (z *Zip) singleCapture(ctx context.Context) (found *entry, others []Candidate, err error) {
	captures, all, err := z.captures(ctx)
	if err != nil || len(captures) == 0 {
		return nil, nil, err
	}
	found = captures[0].entry
	for _, c := range captures {
		if !all || versionOf(c.entry.name).scene != versionOf(found.name).scene {
			found = nil
			break
		}
		if versionOf(c.entry.name).isBetter(versionOf(found.name)) {
			found = c.entry
		}
	}
	for _, c := range captures {
		if c.entry != found {
			others = append(others, Candidate{Name: c.entry.name, Size: c.entry.size, Splats: c.splats})
		}
	}
	return found, others, nil
}

// singleFile is a capture in one file.
type singleFile struct {
	entry  *entry
	splats int64 // 0 if its start does not say
}

// captures returns the captures that are one file, and whether it has looked at all files. Points of a
// scanner or of a reconstruction are captures only if there are no others: trainers keep the points
// that they started from.
func (z *Zip) captures(ctx context.Context) (found []singleFile, all bool, err error) {
	known, tried := candidates(), 0
	var points []singleFile
	for _, e := range z.files {
		extension := strings.ToLower(path.Ext(e.name))
		matches, ok := known[extension]
		if !ok && extension != htmlExtension {
			continue
		}
		if tried++; tried > maxCandidates {
			break // a collection is not a single capture
		}
		file, arePoints := singleFile{entry: e}, false
		isCapture, err := z.sniff(ctx, e, func(r io.Reader) (bool, error) {
			if extension == htmlExtension {
				return html.Contains(r)
			}
			head, err := io.ReadAll(io.LimitReader(r, sniffBytes))
			arePoints = extension == ".ply" && isPointsPLY(head)
			file.splats = splatsOf(extension, head, e.size)
			return err == nil && matches(head), err
		})
		switch {
		case err != nil:
			return nil, false, err
		case isCapture:
			found = append(found, file)
		case arePoints:
			points = append(points, file)
		}
	}
	if found == nil {
		found = points
	}
	return found, tried <= maxCandidates, nil
}

// sniff reports whether the content of a file is a capture. It reports false for a damaged
// file, whose fault is found when the whole file is read.
func (z *Zip) sniff(ctx context.Context, e *entry, isCapture func(io.Reader) (bool, error)) (bool, error) {
	r, err := z.open(ctx, e)
	if err != nil {
		return false, ignoreDamage(err)
	}
	found, err := isCapture(r)
	return found, ignoreDamage(err)
}

// ignoreDamage returns the error unless it is a fault of the file.
func ignoreDamage(err error) error {
	if _, damaged := errors.AsType[*input.Error](err); damaged {
		return nil
	}
	return err
}
