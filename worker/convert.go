package worker

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"portico/model"
	"portico/splat"
	"portico/splat/archive"
	"portico/storage"
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

// convert has a child convert a file on this machine. The name of the result decides its
// format: .jpg is a picture, .sog a bundle, and lod-meta.json a streamed SOG, which has
// more files beside it.
func (s *workspace) convert(ctx context.Context, in input, name string, limit time.Duration, report func(float64, string)) (*staged, *model.FileFacts, error) {
	m, result, err := s.runConversion(ctx, in, name, limit, report)
	if err != nil {
		return nil, nil, err
	}
	return m, result.Facts, nil
}

// runConversion is convert that returns the whole result of the child.
func (s *workspace) runConversion(ctx context.Context, in input, name string, limit time.Duration, report func(float64, string)) (*staged, *child.Result, error) {
	if !s.converts() {
		return nil, nil, errNoConversions
	}
	folder, inner, err := s.outFolder(name)
	if err != nil {
		return nil, nil, err
	}
	bytes, err := in.size()
	if err != nil {
		return nil, nil, fmt.Errorf("measure the input: %w", err)
	}
	result, err := s.children.Run(ctx, child.Job{
		Request: child.Request{
			Task: child.TaskConvert, In: in.path, WholeFolder: in.wholeFolder, View: in.view, Folder: folder, Out: filepath.Join(inner, name),
			Workers: s.processors, FileSize: resultGrowth*bytes + resultBase,
		},
		Dir: s.folder.path, Lock: s.folder.lock, Timeout: limit, SilenceTimeout: min(limit, s.silenceTimeout), Progress: report,
	}, &s.used)
	if err != nil {
		return nil, nil, err
	}
	output, err := stage(filepath.Join(folder, inner), name)
	return output, result, err
}

// The limit for each file of a result is resultGrowth times the input's size plus
// resultBase, in bytes. A result is usually smaller than its input. It is larger if the
// input was compressed better, and small inputs may unpack to much.
const (
	resultGrowth = 4
	resultBase   = 256 << 20
	// noFileSize is the limit of a child that writes no file; 0 would mean no limit.
	noFileSize = 1
)

// streamedName is the name of a streamed SOG's index, by which viewers recognise it.
const streamedName = "lod-meta.json"

// outFolder creates a folder for a child's result of this name. It returns the folder's
// path and the result's folder in it: a streamed SOG gets an inner folder, because the
// child renames that folder into place when all files are complete.
func (s *workspace) outFolder(name string) (folder, inner string, err error) {
	folder, err = s.subfolder("out")
	if err != nil {
		return "", "", err
	}
	if name == streamedName {
		inner = "result"
	}
	return folder, inner, s.children.GiveFolder(folder)
}

// inspect has a child read the facts of a file on this machine. A damaged file is not an
// error: its facts have the fault.
func (s *workspace) inspect(ctx context.Context, in input) (*model.FileFacts, error) {
	folder, err := s.open()
	if err != nil {
		return nil, err
	}
	result, err := s.children.Run(ctx, child.Job{
		Request: child.Request{
			Task: child.TaskInspect, In: in.path, WholeFolder: in.wholeFolder, Workers: runtime.GOMAXPROCS(0), FileSize: noFileSize,
		},
		Dir: folder.path, Lock: folder.lock, Timeout: inspectTimeout,
		Progress: func(float64, string) {}, // clients see no job for it
	}, &s.used)
	if fault, ok := asInput(err); ok {
		return &model.FileFacts{Format: model.FormatInvalid, Fault: fault.Error()}, nil
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
	if !a.workspace.converts() {
		return errNoConversions
	}
	folder, err := a.workspace.open()
	if err != nil {
		return err
	}
	// The unpacked files count in no quota, so the free space on the disk must do.
	if err := folder.checkFreeSpace(plan.Bytes); err != nil {
		return err
	}
	into, err := a.workspace.subfolder("in")
	if err != nil {
		return err
	}
	if err := extractTo(ctx, into, zip, plan, a.reportSteps("Extracting zip", percentArchiveRead, percentPrepared)); err != nil {
		return err
	}
	return a.convertTo(ctx, input{path: filepath.Join(into, plan.Primary), wholeFolder: true}, model.ConvertToStreamedSOG, splat.AttributionXGRIDS)
}

// extractTo extracts an archive into a folder on this machine.
func extractTo(ctx context.Context, folder string, zip *archive.Zip, plan archive.Plan, progress archive.Progress) error {
	to, err := openLocalFolder(folder)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // a folder has nothing to write
	return zip.Extract(ctx, plan, to, progress)
}

// convertFile converts the uploaded file, which the result replaces, or a stored file,
// which stays.
func (a *attempt) convertFile(ctx context.Context) error {
	a.progress.set(0, func() string { return "Reading file" })
	key, attribution := a.upload.StorageKey(), ""
	if a.job.SourceKey != "" {
		source, err := a.db.FileOf(ctx, a.job.UserID, a.job.SourceKey)
		if err != nil {
			return err
		}
		key, attribution = source.StorageKey(), source.Attribution()
	}
	in, err := a.workspace.openLocally(ctx, key, false, a.reportCopy(0, percentPrepared))
	if err != nil {
		return err
	}
	return a.convertTo(ctx, in, a.job.ConvertTo, attribution)
}

// convertTo converts a file on this machine, stores the result and completes the job.
// Two attempts may do this at once: the same input gives the same files, byte for byte.
func (a *attempt) convertTo(ctx context.Context, in input, to model.ConversionTarget, attribution string) error {
	output, facts, err := a.workspace.convert(ctx, in, resultName(a.upload, to), attemptTimeout, a.reportConversion(percentPrepared, percentConverted))
	if err != nil {
		return err
	}
	// Checked again with the result. This check saves the work of storing.
	a.sizeClause = "the converted file has"
	if err := checkQuota(ctx, a.db, a.upload, output.bytes, a.sizeClause); err != nil {
		return err
	}
	if err := a.workspace.storeStaged(ctx, a.upload.StorageRoot(), output, a.reportStored(percentConverted, percentStored)); err != nil {
		return err
	}
	file := model.NewFile(a.upload)
	file.ResourceKey = a.upload.ExtractedRoot() + output.primary
	file.ContentType = storage.MediaType(output.primary)
	file.Size, file.Objects, file.Facts = output.bytes, len(output.files), facts
	if facts != nil && facts.Attribution == "" {
		facts.Attribution = attribution // the format of the result may have no place for it
	}
	return a.complete(ctx, file)
}

// resultName returns the name of the first file of a conversion.
func resultName(upload *model.Upload, to model.ConversionTarget) string {
	if to == model.ConvertToStreamedSOG {
		return streamedName
	}
	name := strings.TrimPrefix(path.Base(upload.ResourceKey), upload.ID+"_")
	return strings.TrimSuffix(name, path.Ext(name)) + ".sog"
}
