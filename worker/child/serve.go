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

	"portico/internal/jsonlines"
	"portico/internal/subprocess"
	"portico/model"
	"portico/splat"
	"portico/worker/sandbox"
)

// Converter converts a capture to the file out, relative to the working directory, whose folder is
// the only one that the process may write to. It returns the facts of the result, and for a
// collision the start of visitors. Posters do not need it: the child draws them itself.
type Converter func(ctx context.Context, capture *splat.Capture, out string, o splat.ConvertOptions) (splat.Facts, *splat.Start, error)

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
	lines := &jsonlines.Writer{Out: out}
	result, err := r.execute(ctx, lines, convert)
	if fault, ok := errors.AsType[*splat.InputError](err); ok {
		return errors.Join(err, lines.Fault(fault))
	}
	if err != nil {
		return err
	}
	return lines.Result(result)
}

// execute carries out the task and returns its result.
func (r *Request) execute(ctx context.Context, lines *jsonlines.Writer, convert Converter) (Result, error) {
	if r.Task == TaskConfinement {
		missing := map[sandbox.Measure]string{}
		for measure, err := range sandbox.Try() {
			missing[measure] = err.Error()
		}
		return Result{Missing: missing}, nil
	}
	inputs, err := r.open(ctx)
	if err != nil {
		return Result{}, err
	}
	capture, err := inputs[0].open(ctx)
	if err != nil {
		return Result{}, err
	}
	var made converted
	switch r.Task {
	case TaskInspect:
		err = capture.Measure(ctx)
		made.facts = capture.Facts
	case TaskConvert:
		if capture, err = r.edit(ctx, capture, inputs[1:]); err != nil {
			break
		}
		made, err = r.convert(ctx, capture, convert, lines.Progress)
	default:
		err = fmt.Errorf("%q is not a task", r.Task)
	}
	return Result{Facts: factsOf(made.facts), Start: startOf(made.start), Pictures: made.pictures, Turntable: made.turntable}, errors.Join(err, capture.Close())
}

// converted is what a task has read or made.
type converted struct {
	facts     splat.Facts
	start     *splat.Start // where visitors start, in the result of a collision
	pictures  []Picture    // the files of a poster
	turntable *Picture
}

// convert carries out TaskConvert. The extension of the output selects the format.
func (r *Request) convert(ctx context.Context, capture *splat.Capture, convert Converter, progress func(float64, string)) (made converted, err error) {
	from := (*splat.Viewpoint)(r.Viewpoint)
	if filepath.Ext(r.Out) == ".jpg" {
		if made, err = writePosters(ctx, capture, r.Out, from); err == nil {
			made.turntable, err = r.writeTurntable(ctx, capture, progress)
		}
		return made, err
	}
	made.facts, made.start, err = convert(ctx, capture, r.Out, splat.ConvertOptions{Workers: r.Workers, Progress: progress, Viewpoint: from})
	return made, err
}

// openedInput is an input whose files are open.
type openedInput struct {
	files         openFiles
	name          string
	suggestedView *model.SuggestedView
	up            *[3]float64
}

func (in openedInput) open(ctx context.Context) (*splat.Capture, error) {
	return splat.OpenOptions{View: (*splat.View)(in.suggestedView), Up: in.up}.Open(ctx, in.files, in.name)
}

// open opens the files of all inputs and confines the process. The order matters. The memory is
// limited before anything is read, files are opened while the process may open them, and nothing of
// a file is read before Enter returns.
func (r *Request) open(ctx context.Context) (inputs []openedInput, err error) {
	if r.Memory > 0 {
		if err := subprocess.LimitMemory(r.Memory); err != nil {
			return nil, fmt.Errorf("limit the memory: %w", err)
		}
	}
	for _, in := range append([]Input{r.Input}, r.Merged...) {
		files, err := openInput(ctx, in.In, in.WholeFolder)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, openedInput{files, filepath.Base(in.In), in.SuggestedView, in.Up})
	}
	writable := ""
	if r.Folder != "" {
		// sandbox.User changes the user, who may lack the right to enter the parents of the
		// folder.
		if err := os.Chdir(r.Folder); err != nil {
			return nil, err
		}
		writable = "."
	}
	return inputs, sandbox.Enter(sandbox.Options{Measures: r.Measures, Folder: writable, CPU: r.CPU, FileSize: r.FileSize})
}
