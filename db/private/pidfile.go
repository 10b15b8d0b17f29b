package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// pidFile is the content of data/postmaster.pid, where a server stores its state.
type pidFile struct {
	pid          int
	socketFolder string
	status       string // starting, ready, stopping
}

// readPidFile returns the zero value if there is no file, or if it is incomplete because
// the server is starting.
func readPidFile(p location) (pidFile, error) {
	text, err := os.ReadFile(filepath.Join(p.path("data"), "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return pidFile{}, nil
	}
	if err != nil {
		return pidFile{}, fmt.Errorf("read the state of the server: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	// The lines are defined in PostgreSQL's miscadmin.h: 1 is the pid, 5 the socket
	// folder, 8 the status.
	if len(lines) < 8 {
		return pidFile{}, nil
	}
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		return pidFile{}, fmt.Errorf("read the state of the server: %w", err)
	}
	return pidFile{
		pid: pid, socketFolder: strings.TrimSpace(lines[4]), status: strings.TrimSpace(lines[7]),
	}, nil
}

// acceptsConnections reports whether a server is ready. The file alone is not enough,
// because a killed server leaves it behind.
func (p location) acceptsConnections() bool {
	file, err := readPidFile(p)
	return err == nil && file.status == "ready" && isListening(p.socket())
}

// interrupt requests a fast shutdown of the running server, like Stop. The server may
// have ended already.
func (p location) interrupt() error {
	file, err := readPidFile(p)
	if err != nil || file.pid <= 0 {
		return err
	}
	if err := syscall.Kill(file.pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the server of a killed process: %w", err)
	}
	return nil
}

// removeStalePidFile removes the file of a killed server. This process holds the lock, so
// no server of Portico is running, but PostgreSQL would refuse to start if another process
// now has the pid in the file. A server that was started by hand holds no lock; it is left
// alone, with an error.
func removeStalePidFile(p location) error {
	file, err := readPidFile(p)
	if err != nil {
		return err
	}
	if file.status != "" && isListening(filepath.Join(file.socketFolder, socketName)) {
		return fmt.Errorf("the server with pid %d, which was not started by portico, uses %s: stop it first",
			file.pid, p.path("data"))
	}
	err = os.Remove(filepath.Join(p.path("data"), "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
