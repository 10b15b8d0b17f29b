package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// cost is what a command took, with all its children.
type cost struct {
	CPU  time.Duration `json:"cpu_ns"` // user and system
	Wall time.Duration `json:"wall_ns"`
	Peak int64         `json:"peak_bytes"` // most memory of one process at a time
}

// inChild returns the command that this process is to measure when it is a child,
// and the file to write the cost to.
func inChild() (report string, command []string, ok bool) {
	if len(os.Args) < 4 || os.Args[1] != "child" {
		return "", nil, false
	}
	return os.Args[2], os.Args[3:], true
}

// measureChild runs a command, kills it when our parent is gone, and writes its
// cost to a file.
func measureChild(report string, command []string) error {
	// Linux sends the signal when the thread ends that started the child.
	runtime.LockOSThread()
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // ends with us
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	state := cmd.ProcessState
	c := cost{CPU: state.UserTime() + state.SystemTime(), Wall: time.Since(start)}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		c.Peak = usage.Maxrss << 10 // Linux counts in KiB
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(report, b, 0o600)
}

// measure runs a command to its end. It does so through a small child of our own:
// Linux counts what a process held before it became another program towards the
// peak of that, and we may hold a lot.
func measure(ctx context.Context, command []string) (c cost, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	report, err := os.CreateTemp("", "portico-splatbench-cost-")
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, report.Close(), os.Remove(report.Name())) }()
	cmd := exec.CommandContext(ctx, self, append([]string{"child", report.Name()}, command...)...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return c, fmt.Errorf("%s: %w\n%s", command[0], errors.Join(err, ctx.Err()), output.Bytes())
	}
	return c, json.NewDecoder(report).Decode(&c)
}

// middle returns the cost in the middle by CPU time, of the two there the smaller.
func middle(costs []cost) cost {
	sorted := slices.SortedFunc(slices.Values(costs), func(a, b cost) int { return int(a.CPU - b.CPU) })
	return sorted[(len(sorted)-1)/2]
}
