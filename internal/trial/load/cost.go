package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of CPU time in /proc/PID/stat, the same on all systems that
// Go runs on.
const tick = 10 * time.Millisecond

// process is a line of /proc/PID/stat.
type process struct {
	own, ended time.Duration // CPU of itself, and of children that were waited for
}

// readProcess reads the times of a process from /proc (proc_pid_stat(5)).
func readProcess(pid int) (process, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	return parseProcess(text)
}

// parseProcess parses the fields after the name, which may have blanks and brackets.
//
// A line has the number of the process, its name in brackets, and fields, of which these are read,
// counted from the state on:
//
//	0     state
//	11    utime, in ticks
//	12    stime
//	13    cutime, of children that ended and were waited for
//	14    cstime
func parseProcess(text []byte) (process, error) {
	_, after, _ := strings.Cut(string(text[max(0, bytes.LastIndexByte(text, ')')):]), " ")
	fields := strings.Fields(after)
	if len(fields) < 15 {
		return process{}, errors.New("/proc/PID/stat has too few fields")
	}
	var numbers [4]int
	for i, field := range []int{11, 12, 13, 14} { // utime stime cutime cstime
		n, err := strconv.Atoi(fields[field])
		if err != nil {
			return process{}, err
		}
		numbers[i] = n
	}
	return process{
		own:   time.Duration(numbers[0]+numbers[1]) * tick,
		ended: time.Duration(numbers[2]+numbers[3]) * tick,
	}, nil
}

func cpuOf(pid int) (time.Duration, error) {
	p, err := readProcess(pid)
	return p.own, err
}

// cpuOfTree returns the CPU time of a process with one thread and of all its children, of ended
// ones too: a backend of Postgres is a child of the postmaster.
func cpuOfTree(pid int) (time.Duration, error) {
	root, err := readProcess(pid)
	if err != nil {
		return 0, err
	}
	total := root.own + root.ended
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return 0, err
	}
	for child := range strings.FieldsSeq(string(children)) {
		text, err := os.ReadFile("/proc/" + child + "/stat")
		if err != nil {
			// Its time is in ended of the postmaster then, and counts all the same.
			continue // it has ended by now
		}
		p, err := parseProcess(text)
		if err != nil {
			return 0, err
		}
		total += p.own
	}
	return total, nil
}

// cpuOfSelf returns the CPU time of this process, the client.
func cpuOfSelf() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// peakMemory returns the maximum resident memory of a process so far, in bytes.
func peakMemory(pid int) (int64, error) { return memoryOf(pid, "VmHWM:") }

// residentMemory returns the memory of a process, in bytes.
func residentMemory(pid int) (int64, error) { return memoryOf(pid, "VmRSS:") }

// memoryOf reads a field of /proc/PID/status (proc_pid_status(5)).
func memoryOf(pid int, field string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, field); ok {
			kilobytes, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no %s", field)
}

// costs is the CPU time of each process.
type costs struct{ server, database, client time.Duration }

// costs returns the CPU time that each side has used so far. The difference of two readings
// is what a round cost.
func (s *server) costs() (c costs, err error) {
	var errs [3]error
	c.server, errs[0] = cpuOf(s.child.process.Cmd.Process.Pid)
	c.database, errs[1] = cpuOfTree(s.world.postmaster)
	c.client, errs[2] = cpuOfSelf()
	return c, errors.Join(errs[:]...)
}

// minus returns what was used since o.
func (c costs) minus(o costs) costs {
	return costs{server: c.server - o.server, database: c.database - o.database, client: c.client - o.client}
}

// plus returns what both used.
func (c costs) plus(o costs) costs {
	return costs{server: c.server + o.server, database: c.database + o.database, client: c.client + o.client}
}
