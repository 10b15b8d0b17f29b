package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// longWait is for what comes soon on a machine that works.
const longWait = 60 * time.Second

// dataDir makes a data folder that Postgres' user may pass through, which the
// folders of testing.T do not allow.
func dataDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "portico-cmd-")
	check(t, err)
	check(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
	return filepath.Join(dir, "data")
}

// portico returns the program, ready to be started: the test binary as it is.
func portico(dir string, settings []string, args ...string) *exec.Cmd {
	// Without the context of the test: it would send a signal of its own.
	cmd := exec.Command(os.Args[0], args...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PORTICO_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, beProgram+"=1", "PORTICO_DATA_DIR="+dir, "PORTICO_ADDR=127.0.0.1:0", "PORTICO_RATE_LIMITS=off")
	cmd.Env = append(cmd.Env, settings...)
	return cmd
}

// command runs a command to its end and returns its output and exit code.
func command(t testing.TB, dir string, settings []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return commandWith(t, "", dir, settings, args...)
}

// commandWith is command with a standard input.
func commandWith(t testing.TB, input, dir string, settings []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := portico(dir, settings, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// process is a running server.
type process struct {
	t   testing.TB
	cmd *exec.Cmd
	dir string
	url string
	// settings are those that commands beside it need too.
	settings []string
	// ended is closed when the process has ended and every line of its log is in lines.
	ended chan struct{}

	mu      sync.Mutex
	lines   []string
	changed chan struct{} // closed and replaced with each line
}

// launch starts a command that goes on, and stops it with the test.
func launch(t testing.TB, cmd *exec.Cmd, dir string) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, dir: dir, ended: make(chan struct{}), changed: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	go p.follow(stderr)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // ended already, mostly
		p.wait()
		if t.Failed() {
			t.Logf("log of the program:\n%s", strings.Join(p.log(), "\n"))
		}
	})
	return p
}

// serve starts a server and returns when it serves.
func serve(t testing.TB, dir string, settings ...string) *process {
	t.Helper()
	p := launch(t, portico(dir, settings, "serve"), dir)
	p.url = p.logged("serving")["url"].(string)
	return p
}

func (p *process) follow(stderr io.Reader) {
	defer close(p.ended)
	scanner := bufio.NewScanner(stderr)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		p.mu.Lock()
		p.lines = append(p.lines, scanner.Text())
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
	_ = p.cmd.Wait() // its ProcessState says how it ended
}

// log returns what was logged by now.
func (p *process) log() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.lines...)
}

// logged waits for a line with this message and returns its attributes.
func (p *process) logged(message string) map[string]any {
	p.t.Helper()
	return p.loggedWhere(message, "msg", message)
}

// loggedWhere is logged for a line whose attribute has this value.
func (p *process) loggedWhere(message, attribute string, value any) map[string]any {
	p.t.Helper()
	timeout := time.After(longWait)
	for from := 0; ; {
		p.mu.Lock()
		lines, changed := p.lines[from:], p.changed
		from = len(p.lines)
		p.mu.Unlock()
		for _, line := range lines {
			record := map[string]any{}
			if json.Unmarshal([]byte(line), &record) == nil && record["msg"] == message && record[attribute] == value {
				return record
			}
		}
		select {
		case <-changed:
		case <-p.ended:
			if len(p.log()) == from {
				p.t.Fatalf("the program ended and did not log %q; log:\n%s", message, strings.Join(p.log(), "\n"))
			}
		case <-timeout:
			p.t.Fatalf("the program did not log %q; log:\n%s", message, strings.Join(p.log(), "\n"))
		}
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	check(p.t, p.cmd.Process.Signal(s))
}

// wait waits for the end and returns the exit code, -1 after a signal.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(longWait):
		_ = p.cmd.Process.Kill()
		p.t.Error("the program does not end")
		<-p.ended
	}
	return p.cmd.ProcessState.ExitCode()
}

// stop stops the server as a supervisor does.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	if code := p.wait(); code != 0 {
		p.t.Fatalf("exit code after SIGTERM: got %d, want 0", code)
	}
}

// checkJSON checks that nothing but JSON was logged.
func (p *process) checkJSON() {
	p.t.Helper()
	for _, line := range p.log() {
		if !json.Valid([]byte(line)) {
			p.t.Errorf("log line: got %q, want JSON", line)
		}
	}
}

// awaitNoPostgres waits until no process of the data folder's Postgres is left.
// The Postgres of a killed server ends a moment after it.
func awaitNoPostgres(t testing.TB, dir string) {
	t.Helper()
	eventually(t, "no Postgres is left", func() bool { return len(postgresOf(t, dir)) == 0 })
}

// postgresOf returns the ids of the Postgres servers that run in the folder.
func postgresOf(t testing.TB, dir string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs /proc")
	}
	check(t, err)
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if err == nil && strings.Contains(string(line), dir) && strings.Contains(string(line), "postgres\x00-D") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(longWait)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		<-ticker.C
	}
}

// probe asks for an address over a connection that is not kept.
func probe(url string) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: longWait}
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusOK {
		err = errors.Join(err, errors.New(url+": "+response.Status))
	}
	return errors.Join(err, response.Body.Close())
}
