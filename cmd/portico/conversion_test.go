package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"portico/internal/testkit/api"
)

// halt waits for the process that converts for a job and stops it with SIGSTOP.
func (p *process) halt(jobID string) (pid int) {
	p.T.Helper()
	api.Eventually(p.T, "a process converts", func() bool {
		pid = converterID(p.T, p.dir, jobID)
		return pid != 0
	})
	check(p.T, syscall.Kill(pid, syscall.SIGSTOP))
	return pid
}

// converterID returns the id of the process that converts for a job; 0 for none.
func converterID(t testing.TB, dir, jobID string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("needs /proc")
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line := commandLineOf(pid)
		if converts(line) && strings.Contains(line, filepath.Join(dir, "work", jobID)) {
			return pid
		}
	}
	return 0
}

// commandLineOf returns the command line of a process; "" when it has ended.
func commandLineOf(pid int) string {
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return string(line)
}

// converts reports whether the command line starts a child that converts.
func converts(line string) bool { return strings.Contains(line, `"task":"convert"`) }

// stillConverts reports whether a process that converts still runs.
func stillConverts(pid int) bool {
	return converts(commandLineOf(pid))
}

// checkNoWork waits until the work folder has nothing of the job.
func checkNoWork(t testing.TB, dir, jobID string) {
	t.Helper()
	api.Eventually(t, "the folder of the job is removed", func() bool {
		left, err := filepath.Glob(filepath.Join(dir, "work", jobID+"*"))
		return err == nil && len(left) == 0
	})
}
