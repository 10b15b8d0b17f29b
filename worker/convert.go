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

// The times of children.
const (
	// inspectTimeout is how long it may take to inspect a file, or to make its poster.
	inspectTimeout = 10 * time.Minute
	// defaultSilence is how long a conversion may give no sign of life.
	defaultSilence = time.Minute
)

// errNoConversions is the error of a conversion on a server without children.
var errNoConversions = &splat.InputError{Message: "Captures are not converted by this server"}

// convert has a child convert a file of this machine to one of the given name,
// whose extension says to what: .jpg is a picture, .sog a bundle, lod-meta.json a
// streamed SOG, which has more files beside it.
func (s *workspace) convert(ctx context.Context, in input, name string, limit time.Duration, report func(float64, string)) (*made, *model.FileFacts, error) {
	if !s.converts() {
		return nil, nil, errNoConversions
	}
	folder, inner, err := s.outFolder(name)
	if err != nil {
		return nil, nil, err
	}
	bytes, err := in.bytes()
	if err != nil {
		return nil, nil, fmt.Errorf("measure what is converted: %w", err)
	}
	result, err := s.children.Run(ctx, child.Job{
		Request: child.Request{
			Task: child.TaskConvert, In: in.path, WholeFolder: in.whole, Folder: folder, Out: filepath.Join(inner, name),
			Workers: s.processors, FileSize: resultGrowth*bytes + resultBase,
		},
		Dir: s.folder.path, Lock: s.folder.lock, Timeout: limit, Silence: min(limit, s.silence), Progress: report,
	}, &s.used)
	if err != nil {
		return nil, nil, err
	}
	m, err := collect(filepath.Join(folder, inner), name)
	return m, result.Facts, err
}

// The size that no file of a result exceeds, in bytes: a multiple of the input's,
// and for small inputs that unpack to much. Results are smaller than what is
// converted, but for captures that were compressed better.
const (
	resultGrowth = 4
	resultBase   = 256 << 20
	// noFile is for a child that makes no file; 0 would be no limit.
	noFile = 1
)

// streamedName is the first file of a streamed SOG, by which viewers know it.
const streamedName = "lod-meta.json"

// outFolder makes the folder where a child makes the file of this name, and returns
// the folder's path and the path of the result in it. A result of many files is moved
// into place whole, so it needs a folder of its own.
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

// inspect has a child look into a file of this machine. The facts of one that is
// damaged say so.
func (s *workspace) inspect(ctx context.Context, in input) (*model.FileFacts, error) {
	folder, err := s.open()
	if err != nil {
		return nil, err
	}
	result, err := s.children.Run(ctx, child.Job{
		Request: child.Request{
			Task: child.TaskInspect, In: in.path, WholeFolder: in.whole, Workers: runtime.GOMAXPROCS(0), FileSize: noFile,
		},
		Dir: folder.path, Lock: folder.lock, Timeout: inspectTimeout,
		Progress: func(float64, string) {}, // it is quick enough to go unreported
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

// convertZip makes a streamed SOG of an LCC v1 capture.
func (a *attempt) convertZip(ctx context.Context, zip *archive.Zip, plan archive.Plan) error {
	if !a.workspace.converts() {
		return errNoConversions
	}
	folder, err := a.workspace.open()
	if err != nil {
		return err
	}
	// What is unpacked is nobody's storage, and goes again.
	if err := folder.checkRoom(plan.Bytes); err != nil {
		return err
	}
	into, err := a.workspace.subfolder("in")
	if err != nil {
		return err
	}
	if err := extractTo(ctx, into, zip, plan, a.steps("Extracting zip", openedAt, preparedAt)); err != nil {
		return err
	}
	return a.convertTo(ctx, input{filepath.Join(into, plan.Primary), true}, model.ConvertToStreamedSOG, splat.AttributionXGRIDS)
}

// extractTo extracts an archive into a folder of this machine.
func extractTo(ctx context.Context, folder string, zip *archive.Zip, plan archive.Plan, progress archive.Progress) error {
	to, err := openScratch(folder)
	if err != nil {
		return err
	}
	defer to.Close() //nolint:errcheck // a folder has nothing to write
	return zip.Extract(ctx, plan, to, progress)
}

// convertFile converts what was uploaded, which then makes room for the result,
// or a file that was there before, which stays.
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
	in, err := a.workspace.local(ctx, key, false, a.copying(0, preparedAt))
	if err != nil {
		return err
	}
	return a.convertTo(ctx, in, a.job.ConvertTo, attribution)
}

// convertTo converts a file of this machine, stores what came of it and completes
// the job. Another attempt that is at it stores the same: the same input gives
// the same files, byte for byte.
func (a *attempt) convertTo(ctx context.Context, in input, to model.ConversionTarget, attribution string) error {
	made, facts, err := a.workspace.convert(ctx, in, resultName(a.upload, to), attemptTimeout, a.converting(preparedAt, convertedAt))
	if err != nil {
		return err
	}
	// Before any of it is stored. It is asked again with the result.
	a.sized = "the converted file has"
	if err := fits(ctx, a.db, a.upload, made.bytes, a.sized); err != nil {
		return err
	}
	if err := a.workspace.keep(ctx, a.upload.StorageRoot(), made, a.storing(convertedAt, storedAt)); err != nil {
		return err
	}
	file := model.NewFile(a.upload)
	file.ResourceKey = a.upload.ExtractedRoot() + made.primary
	file.ContentType = storage.MediaType(made.primary)
	file.Size, file.Objects, file.Facts = made.bytes, len(made.files), facts
	if facts != nil && facts.Attribution == "" {
		facts.Attribution = attribution // the capture's, whatever it is written in
	}
	return a.complete(ctx, file)
}

// resultName returns what the first file of a conversion is called.
func resultName(upload *model.Upload, to model.ConversionTarget) string {
	if to == model.ConvertToStreamedSOG {
		return streamedName
	}
	name := strings.TrimPrefix(path.Base(upload.ResourceKey), upload.ID+"_")
	return strings.TrimSuffix(name, path.Ext(name)) + ".sog"
}
