package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/db"
	"portico/storage"
	"portico/storage/disk"
	"portico/worker/child/childtest"
)

// processVariable is the environment variable that makes the test binary act as a worker process.
// Its value is the process's settings.
const processVariable = "PORTICO_WORKER_TEST_CHILD"

type settings struct {
	URL, Dir string
	// Script is the script that its children follow; "" means no children.
	Script string
	Work   string // its work folder
	// Dies makes the process kill itself at its first object, instead of stopping in the
	// middle of its third.
	Dies  bool
	Lease time.Duration
	Beat  time.Duration
}

// runProcess runs a worker, and logs to standard output, until standard input ends.
func runProcess(encoded string) int {
	if err := runSettings(encoded); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func runSettings(encoded string) error {
	var s settings
	if err := json.Unmarshal([]byte(encoded), &s); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, nil))
	database, err := db.Open(context.Background(), db.Options{URL: s.URL, Logger: log})
	if err != nil {
		return err
	}
	files, err := disk.Open(diskOptions(s.Dir, database))
	if err != nil {
		return err
	}
	var store storage.Store = stallAfter(files, 2)
	if s.Dies {
		store = trouble{files, func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }}
	}
	o := Options{
		DB: database, Store: store, Jobs: 1, JobRetention: time.Hour, Logger: log,
		Lease: s.Lease, Heartbeat: s.Beat, WorkFolder: s.Work,
	}
	if s.Script != "" {
		o.Program = childtest.Program(s.Script)
	}
	w, err := Start(context.Background(), o)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return w.Stop(context.Background())
}

type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	input io.Closer
	lines *bufio.Scanner
}

// spawn starts a process. The end of the test kills it.
func (w *world) spawn(t *testing.T, s settings) *process {
	t.Helper()
	o := w.options()
	s.URL, s.Dir, s.Work = w.url, w.dir, w.work
	if s.Lease == 0 {
		s.Lease, s.Beat = o.Lease, o.Heartbeat
	}
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), processVariable+"="+string(encoded))
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatalf("input: %v", err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("output: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the child: %v", err)
	}
	p := &process{t: t, cmd: cmd, input: input, lines: bufio.NewScanner(output)}
	t.Cleanup(p.kill)
	return p
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("signal the child: %v", err)
	}
}

// kill kills the process with SIGKILL, and returns when it has ended.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		p.wait()
	}
}

func (p *process) wait() {
	for p.lines.Scan() {
		p.t.Log("child:", p.lines.Text())
	}
	_ = p.cmd.Wait() // it was killed, so its exit status says nothing
}

// awaitLine waits for a line of the process' log.
func (p *process) awaitLine(part string) {
	p.t.Helper()
	for p.lines.Scan() {
		p.t.Log("child:", p.lines.Text())
		if strings.Contains(p.lines.Text(), part) {
			return
		}
	}
	p.t.Fatalf("the child ended without a line with %q", part)
}
