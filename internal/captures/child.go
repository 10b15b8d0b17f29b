package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"portico/splat/folder"
)

// The bounds of every run.
const (
	childMemory = 1_000_000_000 // bytes
	// slower is how many times the time of the whole capture a broken one may
	// take, and slack what is added to that for very short ones.
	slower = 2
	slack  = 500 * time.Millisecond
	// longest ends a run that hangs.
	longest = 2 * time.Minute
	// exitFault is the status of a child that tells of a fault in the file.
	exitFault = 2
)

// task is one thing that the program is asked to do with a capture.
type task struct {
	// name says in reports which it is.
	name string
	// args are the subcommand and its flags; what all have comes behind them.
	args []string
	// out is the file or folder that it makes; "" for none.
	out string
}

// tasks returns what is done with a capture.
func tasks(c capture) []task {
	all := []task{{"poster", []string{"convert"}, "poster.jpg"}, {"inspect", []string{"inspect"}, ""}}
	if c.gaussians {
		all = append(all, task{"convert", []string{"convert", "--workers", "1"}, "made"})
	}
	return all
}

// outcome is how a run ended.
type outcome struct {
	// fault is what the program said of the file; "" where it read it.
	fault string
	// cpu is the time on processors, user and system.
	cpu time.Duration
	// peak is the most memory that was resident, in bytes. Linux counts from before
	// the program is loaded: it is never less than what this command has.
	peak int64
	// broken says what must not be; "" where all is well.
	broken string
}

// runner runs the program.
type runner struct {
	// binary is the path of portico.
	binary string
	// folder is for what the runs read and write.
	folder string
}

// run carries out a task on the file at the path, in an environment like that of a
// worker's child. An error is trouble of ours; what is wrong with the program is in
// the outcome.
func (r runner) run(ctx context.Context, t task, in string) (outcome, error) {
	at, err := os.MkdirTemp(r.folder, "run-*")
	if err != nil {
		return outcome{}, err
	}
	out, temporary := filepath.Join(at, "out"), filepath.Join(at, "tmp")
	if err := errors.Join(os.Mkdir(out, 0o700), os.Mkdir(temporary, 0o700)); err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	args := append(append([]string{}, t.args...), "--json", "--memory", strconv.Itoa(childMemory), in)
	if t.out != "" {
		args = append(args, filepath.Join(out, t.out))
	}
	cmd := exec.CommandContext(limited, r.binary, args...)
	cmd.Env = []string{fmt.Sprintf("GOMEMLIMIT=%d", childMemory/4*3), "TMPDIR=" + temporary, "TZ=UTC"}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return outcome{}, err // it was not started
	}
	o := judge(cmd.ProcessState, stdout.String(), stderr.String())
	o.broken = cmp.Or(o.broken, leftovers(o.fault == "", out, t.out, temporary))
	return o, os.RemoveAll(at)
}

// judge tells how a process ended. Go itself ends with exitFault where it crashes, so
// that a fault must be told too.
func judge(state *os.ProcessState, stdout, stderr string) outcome {
	o := outcome{cpu: state.UserTime() + state.SystemTime()}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		o.peak = usage.Maxrss << 10
	}
	last, told := lastLine(stdout)
	o.fault = last.Error
	switch {
	// The second is how the runtime ends, of memory too.
	case strings.Contains(stderr, "panic") || strings.Contains(stderr, "fatal error"):
		o.broken = "it crashed"
	case state.ExitCode() == 0 && told && last.Result != nil:
	case state.ExitCode() == exitFault && told && last.Error != "":
	default:
		o.broken = "it ended with " + state.String()
	}
	if o.broken == "" && o.peak >= childMemory {
		o.broken = fmt.Sprintf("it took %d MB of memory", o.peak>>20)
	}
	if o.broken != "" {
		o.broken += ": " + stdout + stderr
	}
	return o
}

// line is the last one that a child prints.
type line struct {
	Result *json.RawMessage `json:"result"`
	Error  string           `json:"error"`
}

// lastLine reads what a child prints at its end, behind its progress.
func lastLine(stdout string) (last line, ok bool) {
	text := strings.TrimSuffix(stdout, "\n")
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return last, json.Unmarshal([]byte(text), &last) == nil
}

// leftovers names what a run has left besides its result; "" for nothing.
func leftovers(made bool, out, result, temporary string) string {
	var left []string
	for _, folder := range []string{out, temporary} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			left = append(left, err.Error())
		}
		for _, entry := range entries {
			// A result is there as a whole or not at all.
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

// store writes files into a folder, which is made too.
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
