package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"portico/splat/folder"
	"portico/worker/child"
)

// The limits of every run.
const (
	childMemory = 1_000_000_000 // bytes
	// A mutated capture may take maxSlowdown times the time of the valid capture plus
	// slack, which is for very short runs.
	maxSlowdown = 2
	slack       = 500 * time.Millisecond
	// runTimeout kills a run that hangs.
	runTimeout = 2 * time.Minute
)

// task is a command of the program that runs on a capture.
type task struct {
	// name identifies the task in reports.
	name string
	// args are the subcommand and its flags, without the flags of all tasks.
	args []string
	// out is the file or folder that the task writes, if any.
	out string
}

// tasks returns the tasks for a capture.
func tasks(c capture) []task {
	all := []task{{"poster", []string{"convert"}, "poster.jpg"}, {"inspect", []string{"inspect"}, ""}}
	if c.gaussians {
		all = append(all, task{"convert", []string{"convert", "--workers", "1"}, "made"},
			task{"collision", []string{"convert", "--workers", "1", "--voxel-size", "0.2"}, "made.collision.glb"},
			task{"levels", []string{"convert", "--workers", "1", "--decimate", "30%"}, "made.ply"})
	}
	return all
}

// writers returns the tasks that write a capture of Gaussians in the formats that tasks does not.
// Each round has one of them.
func writers(c capture) []task {
	if !c.gaussians {
		return nil
	}
	convert := []string{"convert", "--workers", "1"}
	return []task{
		{"csv", convert, "made.csv"}, {"spz", convert, "made.spz"}, {"compressed", convert, "made.compressed.ply"},
		{"glb", convert, "made.glb"}, {"sog", convert, "made.sog"},
		{"spz3", append(convert[:3:3], "--spz-version", "3"), "made.spz"},
		{"changed", append(convert[:3:3], "--rotate", "10,20,30", "--scale", "2", "--translate", "1,2,3", "--filter-harmonics", "1"), "made.ply"},
		{"turntable", append(convert[:3:3], "--turntable", "--width", "48", "--height", "30", "--turntable-frames", "3"), "made.webp"},
	}
}

// writer returns the writer of a round, if the capture has any.
func writer(c capture, number uint64) []task {
	all := writers(c)
	if all == nil {
		return nil
	}
	// Captures take turns too: in a fixed order, a capture would meet some of the writers only.
	at := rand.New(rand.NewPCG(number, 1)).IntN(len(all)) //nolint:gosec // not a secret
	return all[at : at+1]
}

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
}

// run runs a task on the file in, in the environment of a worker's child process. It
// returns an error only for failures of this command; failures of the program are in the
// outcome.
func (r runner) run(ctx context.Context, t task, in string) (outcome, error) {
	at, err := os.MkdirTemp(r.folder, "run-*")
	if err != nil {
		return outcome{}, err
	}
	out, temporary := filepath.Join(at, "out"), filepath.Join(at, "tmp")
	if err := errors.Join(os.Mkdir(out, 0o700), os.Mkdir(temporary, 0o700)); err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	args := append(append([]string{}, t.args...), "--json", "--memory", strconv.Itoa(childMemory), in)
	if t.out != "" {
		args = append(args, filepath.Join(out, t.out))
	}
	cmd := exec.CommandContext(limited, r.binary, args...)
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
	o := judge(cmd.ProcessState, stdout.String(), stderr.String())
	o.failure = cmp.Or(o.failure, leftovers(o.fault == "", out, t.out, temporary))
	return o, os.RemoveAll(at)
}

// judge returns the outcome of a process. The exit status alone is not enough: Go programs
// that crash exit with child.ExitInput too.
func judge(state *os.ProcessState, stdout, stderr string) outcome {
	o := outcome{cpu: state.UserTime() + state.SystemTime()}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		o.peakMemory = usage.Maxrss << 10
	}
	result, fault, err := child.LastLine(stdout)
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

// leftovers lists the files that a run has left besides its result. It returns "" if there
// are none.
func leftovers(made bool, out, result, temporary string) string {
	var left []string
	for _, folder := range []string{out, temporary} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			left = append(left, err.Error())
		}
		for _, entry := range entries {
			// After a fault, not even a part of the result may exist.
			if folder == temporary || !made || entry.Name() != result {
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
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := os.WriteFile(at, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
