package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
)

// moduleDir is the module's folder, seen from the tests'.
const moduleDir = "../../.."

// longWait is for what comes soon on a machine that works.
const longWait = 60 * time.Second

// build builds the program as it is shipped, with the race detector where the
// tests have it, and returns its path.
func build(t *testing.T) string {
	t.Helper()
	readSources(t)
	path := filepath.Join(t.TempDir(), "portico")
	args := []string{"build", "-o", path}
	if raceDetector {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./cmd/portico")...)
	cmd.Dir = moduleDir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// readSources lets the go command see what the program is made of: it caches the
// result of a test for as long as nothing that the test itself has opened
// changes, and knows nothing of what go build opens.
func readSources(t *testing.T) {
	t.Helper()
	check(t, filepath.WalkDir(moduleDir, func(path string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && path != moduleDir
		if err == nil && entry.IsDir() && (hidden || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		return err
	}))
}

// server is a running server with a database of its own.
type server struct {
	program string
	env     []string
	url     string
}

// serve starts a server and returns when it serves.
func serve(t *testing.T, program string, settings ...string) *server {
	t.Helper()
	s := &server{program: program, env: environment()}
	s.env = append(s.env, "PORTICO_ADDR=127.0.0.1:0", "PORTICO_DATA_DIR="+t.TempDir(),
		"PORTICO_DATABASE_URL="+postgres.URL(t, testdb.Migrate), "PORTICO_LOG_FORMAT=json")
	s.env = append(s.env, settings...)
	// Without the context of the test, which would kill it: it has to end well.
	cmd := exec.CommandContext(context.Background(), program, "serve")
	cmd.Env = s.env
	stderr, err := cmd.StderrPipe()
	check(t, err)
	check(t, cmd.Start())
	lines := make(chan string, 1<<16)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(stderr)
		scanner.Buffer(nil, 1<<20) // room for the stack of a panic
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() { stop(t, cmd, lines) })
	s.url = awaitServing(t, lines)
	return s
}

// environment is that of the test without the settings of a developer's server.
func environment() []string {
	var env []string
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PORTICO_") {
			env = append(env, variable)
		}
	}
	return env
}

// awaitServing returns the address that the server logs.
func awaitServing(t *testing.T, lines <-chan string) string {
	t.Helper()
	var seen []string
	timeout := time.After(longWait)
	for {
		select {
		case line, ok := <-lines:
			var record struct{ Msg, URL string }
			if seen = append(seen, line); !ok {
				t.Fatalf("the server ended; log:\n%s", strings.Join(seen, "\n"))
			}
			if json.Unmarshal([]byte(line), &record) == nil && record.Msg == "serving" {
				return record.URL
			}
		case <-timeout:
			t.Fatalf("the server does not serve; log:\n%s", strings.Join(seen, "\n"))
		}
	}
}

// stop stops the server as a supervisor does. It must end well and have logged
// no error: no client may bring it to one. A data race ends it with code 66.
func stop(t *testing.T, cmd *exec.Cmd, lines <-chan string) {
	t.Helper()
	check(t, cmd.Process.Signal(syscall.SIGTERM))
	kill := time.AfterFunc(longWait, func() { _ = cmd.Process.Kill() }) // the exit code tells
	defer kill.Stop()
	for line := range lines {
		if !strings.Contains(line, `"level":"INFO"`) {
			t.Errorf("log of the server: got %s, want nothing but INFO", line)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server: got %v, want it to end with code 0", err)
	}
}

// account adds an account by the command, as an operator does, and returns its
// key.
func (s *server) account(t *testing.T, email string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.program, "user", "add", email)
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr = s.env, &stderr
	out, err := cmd.Output()
	var user struct {
		APIKey string `json:"api_key"`
	}
	if err != nil || json.Unmarshal(out, &user) != nil || user.APIKey == "" {
		t.Fatalf("user add: got %v, output %q and errors %q, want a key", err, out, stderr.String())
	}
	return user.APIKey
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
