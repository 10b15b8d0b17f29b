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

// cost is the cost of a command with all its children. It is also the JSON that the child of
// measure writes.
type cost struct {
	CPU        time.Duration `json:"cpu_ns"` // user and system
	Wall       time.Duration `json:"wall_ns"`
	PeakMemory int64         `json:"peak_bytes"` // largest peak memory of a single process
}

// childArguments returns the file for the cost and the command to measure. Ok is false if
// this process is not a child of measure.
func childArguments() (report string, command []string, ok bool) {
	if len(os.Args) < 4 || os.Args[1] != "child" {
		return "", nil, false
	}
	return os.Args[2], os.Args[3:], true
}

// measureChild runs a command and writes its cost to a file. The command is killed when
// this process ends.
func measureChild(report string, command []string) error {
	// Linux sends Pdeathsig when the thread that started the child ends.
	runtime.LockOSThread()
	cmd := exec.Command(command[0], command[1:]...) //nolint:noctx // ends with this process
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	state := cmd.ProcessState
	c := cost{CPU: state.UserTime() + state.SystemTime(), Wall: time.Since(start)}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		c.PeakMemory = usage.Maxrss << 10 // Linux counts in KiB
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(report, b, 0o600)
}

// measure runs a command and returns its cost. It starts the command from a small child
// process: a child inherits its parent's memory until it executes the program, Linux
// includes that memory in the child's peak, and this process may have a lot.
func measure(ctx context.Context, command []string) (c cost, err error) {
	self, err := os.Executable()
	if err != nil {
		return c, err
	}
	report, err := os.CreateTemp("", "portico-conversion-cost-")
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

// median returns the median by CPU time, and of two medians the lower.
func median(costs []cost) cost {
	sorted := slices.SortedFunc(slices.Values(costs), func(a, b cost) int { return int(a.CPU - b.CPU) })
	return sorted[(len(sorted)-1)/2]
}
