package private

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"

	"portico/internal/testkit/leak"
)

// childVariable makes the test binary act as another process of the cluster
// whose data folder it names.
const childVariable = "PORTICO_PRIVATE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVariable); dir != "" {
		os.Exit(runChild(dir))
	}
	leak.Main(m)
}

// runChild starts the cluster, prints a line, and stops the cluster when its input ends.
func runChild(dir string) int {
	c, err := Start(context.Background(), Options{DataFolder: dir, FastUnsafe: true})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("started", c.serverLock.held.Load())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := c.Stop(context.Background()); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// child is another process that uses the cluster.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	input  io.Closer
	output *bufio.Reader
}

// spawnChild starts the process without waiting for its cluster.
func spawnChild(t *testing.T, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatalf("StdinPipe: %v", err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("StdoutPipe: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start child: %v", err)
	}
	c := &child{t: t, cmd: cmd, input: input, output: bufio.NewReader(output)}
	t.Cleanup(c.kill)
	return c
}

// started waits for the child's cluster and reports whether the child owns it.
func (c *child) started() bool {
	c.t.Helper()
	line, err := c.output.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "started ") {
		c.t.Fatalf("child said %q, %v; want started", line, err)
	}
	return line == "started true\n"
}

// kill kills the child with SIGKILL. It does nothing after the child has ended.
func (c *child) kill() {
	if c.cmd.ProcessState == nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait() // the error is the kill
	}
}

// stop lets the child stop its cluster and waits for its end.
func (c *child) stop() {
	c.t.Helper()
	if err := c.input.Close(); err != nil {
		c.t.Errorf("close the child's input: %v", err)
	}
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("child ended: got %v, want no error", err)
	}
}

// openFolder returns a temporary folder that every user can enter. Unlike the folders
// of t.TempDir, it can hold root's cluster.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "private-")
	if err != nil {
		t.Fatalf("MkdirTemp: %v", err)
	}
	t.Cleanup(func() { removeFolder(t, dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
	// Tests compare paths, and on macOS the temporary folder is behind a link.
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatalf("EvalSymlinks: %v", err)
	}
	return dir
}

// removeFolder retries, because a server that is stopping may still write files.
func removeFolder(t *testing.T, dir string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := poll(ctx, 20*time.Millisecond, func() (bool, error) { return os.RemoveAll(dir) == nil, nil })
	if err != nil {
		t.Errorf("remove %s: %v", dir, err)
	}
}

// start starts a cluster that is stopped with the test.
func start(t *testing.T, o Options) *Cluster {
	t.Helper()
	o.FastUnsafe = true
	if testing.Verbose() {
		o.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	c, err := Start(deadline(t), o)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { stop(t, c) })
	return c
}

func stop(t *testing.T, c *Cluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Stop(ctx); err != nil {
		t.Errorf("Stop: got %v, want no error", err)
	}
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// open returns a pool of the cluster's database.
func open(t *testing.T, c *Cluster) *sql.DB {
	t.Helper()
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(c.AdminURL())))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// mustExec runs a statement that must succeed.
func mustExec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(deadline(t), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// show returns the only value of a query.
func show(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	var text string
	if err := db.QueryRowContext(deadline(t), query).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

// eventually waits for a condition that has no event.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	err := poll(deadline(t), 10*time.Millisecond, func() (bool, error) { return holds(), nil })
	if err != nil {
		t.Fatalf("wait until %s: %v", what, err)
	}
}
