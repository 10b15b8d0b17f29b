package private

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// locationWithPidFile returns a place with the text as its pid file.
func locationWithPidFile(t *testing.T, dir, text string) location {
	t.Helper()
	p := location{folder: dir}
	if err := os.MkdirAll(p.path("data"), 0o700); err != nil {
		t.Fatalf("MkdirAll: %v", err)
	}
	if err := os.WriteFile(filepath.Join(p.path("data"), "postmaster.pid"), []byte(text), 0o600); err != nil {
		t.Fatalf("WriteFile: %v", err)
	}
	return p
}

func pidText(socketFolder, status string) string {
	return strings.Join([]string{"4711", "/data", "1700000000", "5432", socketFolder, "", "123 456", status}, "\n") + "\n"
}

func TestReadPidFile(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		want       pidFile
		fails      bool
	}{
		{"ready", pidText("/run/x", "ready   "), pidFile{4711, "/run/x", "ready"}, false},
		{"stopping", pidText("/run/x", "stopping"), pidFile{4711, "/run/x", "stopping"}, false},
		{"half written", "4711\n/data\n", pidFile{}, false},
		{"empty", "", pidFile{}, false},
		{"not a number", strings.Replace(pidText("/run/x", "ready"), "4711", "x", 1), pidFile{}, true},
	} {
		got, err := readPidFile(locationWithPidFile(t, t.TempDir(), row.text))
		if got != row.want || (err != nil) != row.fails {
			t.Errorf("%s: got %+v, %v, want %+v, error %t", row.name, got, err, row.want, row.fails)
		}
	}
	if got, err := readPidFile(location{folder: t.TempDir()}); got != (pidFile{}) || err != nil {
		t.Errorf("no file: got %+v, %v, want nothing", got, err)
	}
}

func TestAcceptsConnections_checks_the_socket_too(t *testing.T) {
	t.Parallel()
	// A short folder, so that the socket is in the location.
	dir := openFolder(t)
	p := locationWithPidFile(t, dir, pidText(dir, "ready"))
	if p.acceptsConnections() {
		t.Error("a file that a killed server left: got accepting, want not")
	}
	listener, err := net.Listen("unix", p.socket())
	if err != nil {
		t.Fatalf("Listen: %v", err)
	}
	defer func() { _ = listener.Close() }()
	if !p.acceptsConnections() {
		t.Error("a listening server: got not accepting, want accepting")
	}
}

func TestRemoveStalePidFile_keeps_the_file_of_a_running_server(t *testing.T) {
	t.Parallel()
	dir := openFolder(t)
	p := locationWithPidFile(t, dir, pidText(dir, "ready"))
	listener, err := net.Listen("unix", p.socket())
	if err != nil {
		t.Fatalf("Listen: %v", err)
	}
	err = removeStalePidFile(p)
	if want := "pid 4711"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("with a server that was started by hand: got %v, want %q in it", err, want)
	}
	if err := listener.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	for _, name := range []string{"after a kill", "without a file"} {
		if err := removeStalePidFile(p); err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(p.path("data"), "postmaster.pid")); !os.IsNotExist(err) {
		t.Errorf("the file: got %v, want it gone", err)
	}
}
