package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// beChild opens a cluster, prints its address and waits to be killed.
func beChild() {
	var p process
	p.allow()
	server, err := p.open(migrate)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(server.url(templateName))
	select {}
}

// killedChild runs a test process up to its database, kills it with -9 and
// returns the address of the database.
func killedChild(t *testing.T, temporary string) *url.URL {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=yes", "TMPDIR="+temporary)
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("StdoutPipe: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start child: %v", err)
	}
	line, readErr := bufio.NewReader(output).ReadString('\n')
	if err := cmd.Process.Kill(); err != nil {
		t.Errorf("Kill: %v", err)
	}
	_ = cmd.Wait() // the error is the kill
	address, err := url.Parse(strings.TrimSpace(line))
	if readErr != nil || err != nil || address.Scheme != "unix" {
		t.Fatalf("child said %q, %v, %v; want an address", line, readErr, err)
	}
	return address
}

func TestMakeFolder_after_a_test_process_was_killed(t *testing.T) {
	t.Parallel()
	temporary, err := os.MkdirTemp("", "testdb-")
	if err != nil {
		t.Fatalf("MkdirTemp: %v", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(temporary); err != nil {
			t.Errorf("RemoveAll: %v", err)
		}
	})
	if err := os.Chmod(temporary, 0o711); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
	address := killedChild(t, temporary)
	folder := filepath.Dir(filepath.Dir(address.Path))
	waitUntil(t, "the server has ended", func() bool {
		conn, err := net.Dial("unix", address.Path)
		if err == nil {
			_ = conn.Close() // nothing was sent
		}
		return err != nil && !inUse(folder)
	})

	sweep(temporary, time.Now().Add(-time.Hour))
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("a young folder after a sweep: got %v, want it kept", err)
	}
	sweep(temporary, time.Now().Add(time.Hour))
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that was left over, after a sweep: got %v, want it gone", err)
	}
}

func TestParentFolder_respects_TMPDIR(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	if got, want := parentFolder(), dir; got != want {
		t.Errorf("parentFolder: got %q, want %q", got, want)
	}
	t.Setenv("TMPDIR", "")
	if got := parentFolder(); got != memoryFolder && got != os.TempDir() {
		t.Errorf("parentFolder without TMPDIR: got %q, want %q or %q", got, memoryFolder, os.TempDir())
	}
}

func TestSweep_spares_a_running_cluster(t *testing.T) {
	t.Parallel()
	URL(t, migrate)
	sweep(filepath.Dir(shared.server.folder), time.Now().Add(-startGrace))
	if got, want := inUse(shared.server.folder), true; got != want {
		t.Errorf("inUse: got %t, want %t", got, want)
	}
	if _, err := os.Stat(shared.server.folder); err != nil {
		t.Errorf("folder: got %v, want it kept", err)
	}
}

func TestRemoveFolder_follows_the_cluster(t *testing.T) {
	t.Parallel()
	folder, elsewhere := filepath.Join(t.TempDir(), "folder"), filepath.Join(t.TempDir(), "cluster")
	for _, dir := range []string{folder, elsewhere} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatalf("Mkdir: %v", err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(folder, "postgres")); err != nil {
		t.Fatalf("Symlink: %v", err)
	}
	if err := removeFolder(folder); err != nil {
		t.Fatalf("removeFolder: %v", err)
	}
	for _, dir := range []string{folder, elsewhere} {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want it gone", dir, err)
		}
	}
}

// waitUntil polls until the condition is true.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("wait until %s: %v", what, ctx.Err())
		case <-ticker.C:
		}
	}
}
