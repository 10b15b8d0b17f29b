package worker

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"time"

	"portico/model"
	"portico/splat"
	"portico/splat/archive"
	"portico/worker/child"
)

// The time limits of children.
const (
	// inspectTimeout is the limit for an inspection and for a poster.
	inspectTimeout        = 10 * time.Minute
	defaultSilenceTimeout = time.Minute
)

// errNoConversions is the error of a conversion on a server without children.
var errNoConversions = &splat.InputError{Message: "Captures are not converted by this server"}

// conversion describes a conversion for a child.
type conversion struct {
	in input
	// name is the name of the result. It decides the format: .jpg is a picture, .sog a
	// bundle, and lod-meta.json a streamed SOG, which has more files beside it.
	name string
	// edits are the changes of the capture. Each model.MergeEdit among them adds the next
	// capture of merged.
	edits  []model.Edit
	merged []input
	// viewpoint is where a picture is taken from; nil shows the whole subject.
	viewpoint *model.PosterView
	// lookAround reports whether the viewpoint is inside a place (see child.Request).
	lookAround bool
	// maxFileSize is the limit for each file of the result, in bytes; 0 means resultLimit.
	maxFileSize int64
	timeout     time.Duration
	progress    func(percent float64, message string) // nil for none
}

// convert has a child convert a file on this machine. It returns the files of the result, which
// stay in the temporary folder, and the child's description of them. c.progress is called on
// another goroutine.
func (t *attemptTools) convert(ctx context.Context, c conversion) (*stagedResult, *child.Result, error) {
	if !t.converts() {
		return nil, nil, errNoConversions
	}
	folder, inner, err := t.outFolder(c.name)
	if err != nil {
		return nil, nil, err
	}
	if c.maxFileSize == 0 {
		if c.maxFileSize, err = resultLimit(c.name, c.in); err != nil {
			return nil, nil, err
		}
	}
	if c.progress == nil {
		c.progress = func(float64, string) {}
	}
	result, err := t.children.Run(ctx, child.Job{
		Request: child.Request{
			Task: child.TaskConvert, Input: c.in.forChild(), Folder: folder, Out: filepath.Join(inner, c.name),
			Edits: c.edits, Merged: childInputs(c.merged), Viewpoint: c.viewpoint, LookAround: c.lookAround, Workers: t.processors, FileSize: c.maxFileSize,
		},
		WorkFolder: t.folder.path, Lock: t.folder.lock, Timeout: c.timeout, SilenceTimeout: min(c.timeout, t.silenceTimeout), Progress: c.progress,
	}, &t.used)
	if err != nil {
		return nil, nil, err
	}
	output, err := stage(filepath.Join(folder, inner), c.name)
	return output, result, err
}

// forChild returns the input in the form that children receive.
func (in input) forChild() child.Input {
	return child.Input{In: in.path, WholeFolder: in.wholeFolder, SuggestedView: in.suggestedView, Up: in.up}
}

func childInputs(inputs []input) []child.Input {
	var sent []child.Input
	for _, in := range inputs {
		sent = append(sent, in.forChild())
	}
	return sent
}

// The limit for each file of a result is a multiple of the input's size plus resultBase, in
// bytes. A result for viewers is usually smaller than its input. It is larger if the input
// was compressed better, and resultBase allows for small inputs, whose fixed parts count
// more. A Gaussian has about 10 bytes in SPZ and SOG, up to 248 in formats without
// compression, and about 600 as text.
const (
	resultGrowth       = 4
	uncompressedGrowth = 64
	textGrowth         = 128
	resultBase         = 256 << 20
	// noFileSize is the limit of a child that writes no file; 0 would mean no limit.
	noFileSize = 1
)

// resultLimit returns the limit for each file of a result of this name, in bytes.
func resultLimit(name string, inputs ...input) (int64, error) {
	bytes := int64(0)
	for _, in := range inputs {
		size, err := in.size()
		if err != nil {
			return 0, fmt.Errorf("measure the input: %w", err)
		}
		bytes += size
	}
	growth := int64(resultGrowth)
	switch path.Ext(name) {
	case ".ply", ".glb":
		growth = uncompressedGrowth
	case ".csv":
		growth = textGrowth
	}
	return growth*bytes + resultBase, nil
}

// streamedName is the name of a streamed SOG's index, by which viewers recognise it.
const streamedName = "lod-meta.json"

// outFolder creates a folder for a child's result of this name. It returns the folder's path, and
// the inner folder of the result, "" for none: a streamed SOG gets an inner folder, because the
// child renames it to its final name when all files are complete. The caller lets the child write
// nowhere else.
func (t *attemptTools) outFolder(name string) (folder, inner string, err error) {
	folder, err = t.subfolder("out")
	if err != nil {
		return "", "", err
	}
	if name == streamedName {
		inner = "result"
	}
	return folder, inner, t.children.GiveFolder(folder)
}

// inspect has a child read the facts of the file, whose content is on this machine. A damaged file
// is not an error: its facts contain the fault.
func (t *attemptTools) inspect(ctx context.Context, file *model.File, in input) (*model.FileFacts, error) {
	folder, err := t.open()
	if err != nil {
		return nil, err
	}
	result, err := t.children.Run(ctx, child.Job{
		Request: child.Request{
			Task: child.TaskInspect, Input: in.forChild(), Workers: runtime.GOMAXPROCS(0), FileSize: noFileSize,
		},
		WorkFolder: folder.path, Lock: folder.lock, Timeout: inspectTimeout,
		Progress: func(float64, string) {}, // clients see no job for an inspection
	}, &t.used)
	if fault, ok := asInputError(err); ok {
		return &model.FileFacts{Format: model.FormatInvalid, Fault: faultOf(fault, file)}, nil
	}
	if err != nil {
		return nil, err
	}
	if result.Facts == nil {
		return &model.FileFacts{Format: model.FormatOther}, nil
	}
	return result.Facts, nil
}

// convertZip converts a zipped LCC v1 capture to a streamed SOG.
func (a *attempt) convertZip(ctx context.Context, zip *archive.Zip, plan archive.Plan) error {
	if !a.tools.converts() {
		return errNoConversions
	}
	folder, err := a.tools.open()
	if err != nil {
		return err
	}
	// The unpacked files count in no quota, so the free space on the disk is checked instead.
	if err := folder.checkFreeSpace(plan.Bytes); err != nil {
		return err
	}
	into, err := a.tools.subfolder("in")
	if err != nil {
		return err
	}
	if err := extractTo(ctx, into, zip, plan, a.reportSteps(model.JobExtractingZip, percentArchiveRead, percentPrepared)); err != nil {
		return err
	}
	in := input{path: filepath.Join(into, plan.Primary), wholeFolder: true}
	return a.convertTo(ctx, conversionSource{in: in, attribution: splat.AttributionXGRIDS}, model.ConvertToStreamedSOG)
}

func extractTo(ctx context.Context, folder string, zip *archive.Zip, plan archive.Plan, progress archive.Progress) error {
	to, err := openLocalFolder(folder)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // a folder has nothing to write
	return zip.Extract(ctx, plan, to, progress)
}
