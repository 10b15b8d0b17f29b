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

// pidFile is what a server writes about itself into data/postmaster.pid.
type pidFile struct {
	pid          int
	socketFolder string
	status       string // starting, ready, stopping
}

// readPidFile returns the zero value when there is no file, or one that is only
// half written: then the server is starting.
func readPidFile(p place) (pidFile, error) {
	text, err := os.ReadFile(filepath.Join(p.path("data"), "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return pidFile{}, nil
	}
	if err != nil {
		return pidFile{}, fmt.Errorf("read the state of the server: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	// PostgreSQL's miscadmin.h numbers them: 1 pid, 5 socket folder, 8 status.
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

// accepting reports whether a server is ready. The file alone does not tell: a
// server that was killed leaves it behind.
func (p place) accepting() bool {
	file, err := readPidFile(p)
	return err == nil && file.status == "ready" && listening(p.socket())
}

// interrupt tells the running server to shut down fast, as Stop does. It may
// have ended already.
func (p place) interrupt() error {
	file, err := readPidFile(p)
	if err != nil || file.pid <= 0 {
		return err
	}
	if err := syscall.Kill(file.pid, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the server that a killed process left: %w", err)
	}
	return nil
}

// removeStalePidFile removes what a killed server or a power cut left. The lock
// is ours, so no server of ours runs; but PostgreSQL would refuse to start when
// the number in the file has gone to another process since. A server that
// somebody started by hand holds no lock and is respected.
func removeStalePidFile(p place) error {
	file, err := readPidFile(p)
	if err != nil {
		return err
	}
	if file.status != "" && listening(filepath.Join(file.socketFolder, socketName)) {
		return fmt.Errorf("the server with pid %d, which was not started by portico, uses %s: stop it first",
			file.pid, p.path("data"))
	}
	err = os.Remove(filepath.Join(p.path("data"), "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
