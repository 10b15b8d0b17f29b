package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
)

// longWait is a timeout that only a hung process reaches.
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

// installation returns the program, which is the test binary itself, with its data in a
// folder.
func installation(dir string, settings ...string) program.Installation {
	return program.Installation{Program: os.Args[0], Settings: append([]string{
		beProgram + "=1", "PORTICO_DATA_DIR=" + dir, "PORTICO_ADDR=127.0.0.1:0", "PORTICO_RATE_LIMITS=off",
	}, settings...)}
}

// runCommand runs a command to its end and returns its output and exit code.
func runCommand(t testing.TB, dir string, settings []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return runCommandWith(t, "", dir, settings, args...)
}

// runCommandWith is command with a standard input.
func runCommandWith(t testing.TB, input, dir string, settings []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	if testing.Short() {
		t.Skip("processes of the program take too long for a short run")
	}
	cmd := installation(dir, settings...).Command(nil, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// process is a process of the program that works in a data folder.
type process struct {
	*programtest.Process
	dir      string
	settings []string // variables of the installation, besides the folder
}

// launch starts a command that keeps running.
func launch(t testing.TB, dir string, settings []string, args ...string) *process {
	t.Helper()
	return &process{programtest.Start(t, installation(dir, settings...), nil, args...), dir, settings}
}

// serve starts a server, and returns when it accepts connections.
func serve(t testing.TB, dir string, settings ...string) *process {
	t.Helper()
	return &process{programtest.Serve(t, installation(dir, settings...)), dir, settings}
}

// user is an account at a server.
type user struct{ *api.Client }

// newUser creates an account as an operator does, while the server runs.
func (p *process) newUser(t testing.TB, email string, flags ...string) *user {
	t.Helper()
	return &user{p.NewClient(t, email, flags...)}
}

// reconnect returns the client of an account that existed before the server was restarted at
// another address.
func (p *process) reconnect(c *user) *user { return &user{p.Client(c.Client)} }

// startTimer returns a function that logs the time since the call of startTimer.
func startTimer(t testing.TB, what string) func() {
	start := time.Now()
	return func() { t.Logf("%s: %v", what, time.Since(start).Round(time.Millisecond)) }
}

// awaitNoPostgres waits until no process of the data folder's Postgres is left.
// The Postgres of a killed server ends a moment after it.
func awaitNoPostgres(t testing.TB, dir string) {
	t.Helper()
	api.Eventually(t, "no Postgres is left", func() bool { return len(postgresOf(t, dir)) == 0 })
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

// probe requests a URL over a new connection.
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
