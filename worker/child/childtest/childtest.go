// Package childtest replaces the child process in tests: the test binary, started with the
// name of a script, follows the protocol of package child or breaks it in one way. Only tests
// use it.
package childtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"portico/worker/child"
	"portico/worker/sandbox"
)

// scriptedChild is the first argument of a test binary that acts as a child. The second
// argument is the name of the script.
const scriptedChild = "scripted-child"

// Program returns the program of a Runner whose children follow the script.
func Program(script string) []string { return []string{os.Args[0], scriptedChild, script} }

// Run follows the script and exits if this process was started as a child. Call it first in
// TestMain.
func Run() {
	if len(os.Args) > 2 && os.Args[1] == scriptedChild {
		os.Exit(run(os.Args[2:]))
	}
}

// actor is a child that follows a script.
type actor struct {
	script  string
	request child.Request
}

// run follows the script and returns the exit status.
func run(args []string) int {
	a, err := newActor(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if a.request.Task == child.TaskConfinement {
		if a.script == "cannot be confined" {
			fmt.Fprintln(os.Stderr, "no such command")
			return 1
		}
		printLine(`{"result":{"missing":{"network":"a script","user":"a script","files":"a script","calls":"a script"}}}`)
		return 0
	}
	name, on, found := strings.Cut(a.script, " on ")
	if found && on != string(a.request.Task) && on != filepath.Ext(a.request.Out) {
		name = "good"
	}
	return a.follow(name)
}

// newActor reads the script's name, the subcommand and the request.
func newActor(args []string) (actor, error) {
	a := actor{script: args[0]}
	if len(args) != 3 || args[1] != child.Command {
		return a, fmt.Errorf("called with %q, want a script, %q and a request", args, child.Command)
	}
	if err := json.Unmarshal([]byte(args[2]), &a.request); err != nil {
		return a, fmt.Errorf("request %s: %w", args[2], err)
	}
	if r := a.request; r.Task != child.TaskConfinement && (r.In == "" || r.Memory == 0 || r.CPU == 0 || r.FileSize == 0) {
		return a, fmt.Errorf("request %s: want a file to read and all limits", args[2])
	}
	return a, nil
}

func printLine(line string) { fmt.Println(line) }

// fault prints a fault in the user's file and returns its exit status.
func fault(text string) int {
	line, _ := json.Marshal(map[string]string{"error": text})
	printLine(string(line))
	return child.ExitInput
}

// ending is a script that prints and then ends or hangs.
type ending struct {
	stdout, stderr string
	// code is the exit status of a script that does not hang.
	code  int
	hangs bool
}

// endings returns the scripts that print and end, by the names that follow accepts.
func endings() map[string]ending {
	return map[string]ending{
		"exits 2 silently":           {code: child.ExitInput},
		"no result":                  {stdout: `{"percent":100,"message":"done"}` + "\n"},
		"two results":                {stdout: strings.Repeat(`{"result":{}}`+"\n", 2), hangs: true},
		"garbage":                    {stdout: "Hello\x00\n", hangs: true},
		"null result":                {stdout: `{"result":null}` + "\n", hangs: true},
		"nothing in a line":          {stdout: "{}\n", hangs: true},
		"trouble":                    {stderr: "no such flag", code: 1},
		"disk full":                  {stderr: "write 0_0/means_l.webp: no space left on device", code: 1},
		"too large a file":           {stderr: "write 0_0/means_l.webp: file too large", code: 1},
		"too much time":              {stderr: sandbox.ErrCPU, code: 1},
		"silent":                     {hangs: true},
		"out of memory for a thread": {stderr: "runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort", code: 2},
		"out of memory for the heap": {stderr: "fatal error: failed to reserve page summary memory", code: 2},
		// The runtime crashes like this in about one of a hundred cases.
		"out of memory while collecting": {stderr: "SIGSEGV: segmentation violation\nPC=0x439dfd m=4 sigcode=1 addr=0x0", code: 2},
	}
}

// follow follows the script of this name and returns the exit status.
func (a actor) follow(name string) int {
	if e, ok := endings()[name]; ok {
		fmt.Print(e.stdout)
		fmt.Fprintln(os.Stderr, e.stderr)
		if e.hangs {
			hang()
		}
		return e.code
	}
	switch name {
	case "good":
		return a.carryOut()
	case "fault":
		return fault(`Entry "data.bin": is cut short`)
	case "fault in itself":
		return fault(strconv.Quote(filepath.Base(a.request.In)) + " is cut short")
	case "strange fault":
		return fault("odd\x00\n" + strings.Repeat("x", 2000))
	case "environment":
		found := os.Environ()
		slices.Sort(found)
		return fault(strings.Join(found, " "))
	case "huge line":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "panic":
		panic("a bug")
	case "out of memory":
		return allocate()
	case "killed":
		killSelf()
	case "killed at first":
		return a.onFirstRun(killSelf)
	case "slow":
		runUntilKilled()
	}
	return 0
}

// killSelf kills the process as the kernel does when the machine has no memory left.
func killSelf() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	hang()
}

// runUntilKilled prints progress until the parent kills the process.
func runUntilKilled() {
	signal.Ignore(syscall.SIGTERM)
	printLine(fmt.Sprintf(`{"percent":50,"message":"process %d"}`, os.Getpid()))
	for {
		<-time.After(50 * time.Millisecond)
		printLine(fmt.Sprintf(`{"percent":40,"message":"process %d is still here"}`, os.Getpid()))
	}
}

// hang waits until the process is killed.
func hang() { <-make(chan struct{}) }

// allocate limits its memory and allocates more than the limit.
func allocate() int {
	var now syscall.Rlimit
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 1
	}
	var pages uint64
	_, _ = fmt.Sscan(string(statm), &pages)
	now.Cur = pages*uint64(os.Getpagesize()) + 64<<20
	now.Max = now.Cur
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &now); err != nil {
		return 1
	}
	var kept [][]byte
	for {
		kept = append(kept, make([]byte, 1<<20))
		kept[len(kept)-1][0] = 1
	}
}

// onFirstRun calls do in the first of several children for one file. The later children do
// what the request says. The mark file is in the parent of the attempts' folders.
func (a actor) onFirstRun(do func()) int {
	mark := filepath.Join(os.Getenv("TMPDIR"), "..", "..", "mark-"+filepath.Base(a.request.In))
	file, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the test names the folder
	if err == nil {
		_ = file.Close()
		do()
	}
	return a.carryOut()
}
