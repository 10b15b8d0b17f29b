package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"portico/splat"
	"portico/worker/sandbox"
)

// Converter makes the file out, relative to the current folder, of a capture.
type Converter func(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (Converted, error)

// Serve confines this process, carries out a worker's request in it, and writes the
// lines of the protocol to out. A *splat.InputError is written to the output and
// returned as well: the process must exit with ExitInput.
func Serve(ctx context.Context, request string, out io.Writer, convert Converter) error {
	decoder := json.NewDecoder(strings.NewReader(request))
	decoder.DisallowUnknownFields()
	var r Request
	if err := decoder.Decode(&r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	lines := &Lines{Out: out}
	result, err := r.execute(ctx, lines, convert)
	if fault, ok := errors.AsType[*splat.InputError](err); ok {
		return errors.Join(err, lines.Fault(fault))
	}
	if err != nil {
		return err
	}
	return lines.Result(result)
}

// execute does the task.
func (r *Request) execute(ctx context.Context, lines *Lines, convert Converter) (Result, error) {
	if r.Task == TaskConfinement {
		missing := map[sandbox.Measure]string{}
		for measure, err := range sandbox.Try() {
			missing[measure] = err.Error()
		}
		return Result{Missing: missing}, nil
	}
	capture, err := r.open(ctx)
	if err != nil {
		return Result{}, err
	}
	var made Converted
	switch r.Task {
	case TaskInspect:
		err = capture.Measure(ctx)
		made.Facts = capture.Facts
	case TaskConvert:
		if err = capture.Edit(ctx, r.changes()); err != nil {
			break
		}
		made, err = convert(ctx, capture, r.Out, splat.ConvertOptions{
			Workers: r.Workers, Progress: lines.Progress, Viewpoint: (*splat.Viewpoint)(r.Viewpoint),
		})
	default:
		err = fmt.Errorf("%q is no task", r.Task)
	}
	return Result{Facts: factsOf(made.Facts), Start: startOf(made.Start), Pictures: made.Pictures}, errors.Join(err, capture.Close())
}

// changes returns the changes of the capture.
func (r *Request) changes() []splat.Edit {
	changes := make([]splat.Edit, len(r.Edits))
	for i, edit := range r.Edits {
		changes[i] = splat.Edit(edit)
	}
	return changes
}

// open opens the input's files, confines the process, and reads the capture.
func (r *Request) open(ctx context.Context) (*splat.Capture, error) {
	if r.Memory > 0 {
		if err := sandbox.LimitMemory(r.Memory); err != nil {
			return nil, fmt.Errorf("limit the memory: %w", err)
		}
	}
	files, err := openInput(ctx, r.In, r.WholeFolder)
	if err != nil {
		return nil, err
	}
	writable := ""
	if r.Folder != "" {
		// The new user might not reach the folder by its path.
		if err := os.Chdir(r.Folder); err != nil {
			return nil, err
		}
		writable = "."
	}
	err = sandbox.Enter(sandbox.Options{Measures: r.Measures, Folder: writable, CPU: r.CPU, FileSize: r.FileSize})
	if err != nil {
		return nil, err
	}
	return splat.OpenOptions{View: (*splat.View)(r.View)}.Open(ctx, files, filepath.Base(r.In))
}
