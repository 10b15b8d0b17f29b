package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"portico/internal/jsonlines"
	"portico/splat/folder"
	"portico/worker/child"
)

const (
	childMemory = 1_000_000_000 // bytes
	// A mutated capture may take maxSlowdown times the time of the valid capture plus
	// slack, which is for very short runs.
	maxSlowdown = 2
	slack       = 500 * time.Millisecond
	// runTimeout kills a run that hangs.
	runTimeout = time.Minute
)

// outcome is the result of a run.
type outcome struct {
	// fault is the program's message about the file. It is empty if the program read
	// the file.
	fault string
	// cpu is the CPU time, user and system.
	cpu time.Duration
	// peakMemory is the maximum resident memory in bytes. Linux includes the time
	// before the program is loaded, so it is never less than this command's memory.
	peakMemory int64
	// failure says what went wrong with the program. It is empty if nothing did.
	failure string
}

// runner runs the program.
type runner struct {
	// binary is the path of portico.
	binary string
	// folder is the folder for the files of all runs.
	folder string
	// valid is the path of a valid capture of one file, which damaged ones are merged with.
	valid string
}

// run runs a task on the file in, in the environment of a worker's child process. It
// returns an error only for failures of this command; failures of the program are in the
// outcome.
//
// Each run has a folder of its own, which is removed after it:
//
//	run-N/out    what the task writes
//	run-N/tmp    TMPDIR of the program
func (r runner) run(ctx context.Context, t task, in string) (outcome, error) {
	runFolder, err := os.MkdirTemp(r.folder, "run-*")
	if err != nil {
		return outcome{}, err
	}
	out, temporary := filepath.Join(runFolder, "out"), filepath.Join(runFolder, "tmp")
	if err := errors.Join(os.Mkdir(out, 0o700), os.Mkdir(temporary, 0o700)); err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, r.binary, r.arguments(t, in, out)...)
	// A worker's child has no other variables: keys must not reach a process that opens
	// strangers' files.
	cmd.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", childMemory/4*3), "TMPDIR=" + temporary, "TZ=UTC"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return outcome{}, err // not started
	}
	o := classify(cmd.ProcessState, stdout.String(), stderr.String())
	o.failure = cmp.Or(o.failure, leftovers(o.fault == "", out, t.results(), temporary))
	return o, os.RemoveAll(runFolder)
}

// arguments returns the command line of a task that reads in and writes into the folder out.
func (r runner) arguments(t task, in, out string) []string {
	args := append(slices.Clone(t.args), "--json", "--memory", strconv.Itoa(childMemory), in)
	args = append(args, t.changes...)
	switch t.merge {
	case mergeSame:
		args = append(args, in)
	case mergeValid:
		args = append(args, r.valid)
	}
	if t.out != "" {
		args = append(args, filepath.Join(out, t.out))
	}
	return args
}

// classify returns the outcome of a process. The exit status alone is not enough: Go programs
// that crash exit with child.ExitInput too.
//
// The outcomes by exit status, of which all others are failures:
//
//	0                  and a result on the last line
//	child.ExitInput    and a message for the owner of the file on the last line
//
// A panic exits with the status of child.ExitInput, so the output decides first.
func classify(state *os.ProcessState, stdout, stderr string) outcome {
	o := outcome{cpu: state.UserTime() + state.SystemTime()}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		o.peakMemory = usage.Maxrss << 10
	}
	result, fault, err := jsonlines.Last(stdout)
	o.fault = fault
	switch {
	// The Go runtime prints "fatal error" when it runs out of memory.
	case strings.Contains(stderr, "panic") || strings.Contains(stderr, "fatal error"):
		o.failure = "it crashed"
	case state.ExitCode() == 0 && err == nil && result != nil:
	case state.ExitCode() == child.ExitInput && err == nil && fault != "":
	default:
		o.failure = "it ended with " + state.String()
	}
	if o.failure == "" && o.peakMemory >= childMemory {
		o.failure = fmt.Sprintf("it took %d MB of memory", o.peakMemory>>20)
	}
	if o.failure != "" {
		o.failure += ": " + stdout + stderr
	}
	return o
}

// leftovers lists the files that a run has left besides its results. It returns "" if there
// are none.
func leftovers(made bool, out string, results []string, temporary string) string {
	var left []string
	for _, folder := range []string{out, temporary} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			left = append(left, err.Error())
		}
		for _, entry := range entries {
			// After a fault, not even a part of the result may exist.
			if folder == temporary || !made || !slices.Contains(results, entry.Name()) {
				left = append(left, entry.Name())
			}
		}
	}
	if left == nil {
		return ""
	}
	return fmt.Sprintf("it left %q", left)
}

// store writes files into a folder and creates the folder.
func store(folder string, files folder.Memory) error {
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
