package archive

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"portico/splat/input"
)

// version is what the name of a capture says about it. Trainers save a capture at several
// iterations, and tools add the same capture in other formats.
type version struct {
	// scene is the same for all versions of a capture.
	scene string
	// iteration is the number of the iteration, or -1 if the name has none.
	iteration int
	// format is the place in formatsByPrecision.
	format int
}

// iterationNumber matches the number of an iteration: in the folder of 3DGS (iteration_30000), and at
// the end of the names of Nerfstudio, gsplat, Brush and others (step-000029999, export_30000). After
// words that also name several scenes, only a number of four digits is one.
var iterationNumber = regexp.MustCompile(`(?:(iteration|iter|step|ckpt)[_-]?([0-9]{1,9})|(export|point_cloud|splat|gaussians?)[_-]([0-9]{4,9}))(?:_rank[0-9]+)?(/|$)`)

// formatsByPrecision are the extensions of captures, the most precise first: a PLY has what the
// trainer has written, and the others are made of it.
var formatsByPrecision = []string{".ply", ".glb", ".spz", ".sog", ".ksplat", ".splat", ".compressed.ply", ".html"}

// versionOf returns the version of a capture by its clean name.
func versionOf(name string) version {
	lower := strings.ToLower(name)
	extension := path.Ext(lower)
	if strings.HasSuffix(lower, ".compressed.ply") {
		extension = ".compressed.ply"
	}
	stem := strings.TrimSuffix(lower, extension)
	v := version{iteration: -1, format: slices.Index(formatsByPrecision, extension)}
	v.scene = iterationNumber.ReplaceAllStringFunc(stem, func(match string) string {
		parts := iterationNumber.FindStringSubmatch(match)
		if n, err := strconv.Atoi(parts[2] + parts[4]); err == nil {
			v.iteration = max(v.iteration, n)
		}
		return parts[1] + parts[3] + parts[5]
	})
	return v
}

// isBetter reports whether this version is taken instead of another one of the same capture.
func (v version) isBetter(other version) bool {
	return cmp.Or(cmp.Compare(v.iteration, other.iteration), cmp.Compare(other.format, v.format)) > 0
}

// maxNamed is the maximum number of names in a note.
const maxNamed = 8

// Note returns a sentence for people about the captures that are not extracted, without a full
// stop; "" if there are none.
func (p Plan) Note() string {
	if len(p.Others) == 0 {
		return ""
	}
	var names []string
	for _, other := range p.Others[:min(len(p.Others), maxNamed)] {
		names = append(names, input.Quote(other.Name))
	}
	if more := len(p.Others) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	list := strings.Join(names, ", ")
	if p.Kind == KindWhole {
		return "The archive has several captures: " + list
	}
	return fmt.Sprintf("The archive has several versions of the capture: %s was taken, and these were left out: %s", input.Quote(path.Join(p.Root, p.Primary)), list)
}
