// Package sandbox takes from a process what it does not need for its work, for
// good: a conversion reads a stranger's file, and a fault in a decoder must not
// become the server's. Only the commands that a worker starts as children enter
// it; the worker asks what is available.
//
// Enter restricts all threads of the process, so it needs no second program and
// may be called once everything that the work reads is open. Linux has all
// measures; elsewhere only the limits work.
package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// Measure is one way in which a process is confined.
type Measure string

// The measures, in the order in which they are taken.
const (
	// Network is a network namespace without any interface that is up. Whoever
	// starts the process makes it: see Separate.
	Network Measure = "network"
	// User is a user and group that own nothing and have no capability.
	User Measure = "user"
	// Files is Landlock: no file can be opened outside of Options.Folder. From
	// Linux 6.7 on it refuses TCP too, from 6.12 on signals to others.
	Files Measure = "files"
	// Calls is seccomp: what a conversion does not need fails with EPERM, among
	// it sockets, new processes and programs.
	Calls Measure = "calls"
)

// Measures returns all of them.
func Measures() []Measure { return []Measure{Network, User, Files, Calls} }

// ID is the user and the group of confined processes. It is one that no
// distribution gives out (Debian reserves it), and not nobody: others run as that
// one, among them a private Postgres.
const ID = 65533

// Options says what a process keeps.
type Options struct {
	// Measures are those to take. Each must work.
	Measures []Measure
	// Folder is where files may be made, read and removed; empty, nowhere.
	Folder string
	// CPU is how much time on processors the process may use; 0 is no limit.
	CPU time.Duration
	// FileSize is the size that no file of the process may exceed, in bytes; 0 is
	// no limit.
	FileSize int64
}

// ErrCPU is what the process says on standard error before it ends at the limit
// of its CPU time.
const ErrCPU = "sandbox: the limit of CPU time is reached"

// Enter confines the process. After an error it is confined in part, and must end.
func Enter(o Options) error {
	for _, measure := range o.Measures {
		if !slices.Contains(Measures(), measure) {
			return fmt.Errorf("%q is no measure", measure)
		}
	}
	if err := limit(o); err != nil {
		return fmt.Errorf("limit resources: %w", err)
	}
	if err := refusePrivileges(); err != nil {
		return fmt.Errorf("refuse new privileges: %w", err)
	}
	for _, measure := range Measures() {
		if !slices.Contains(o.Measures, measure) {
			continue
		}
		if err := take(measure, o); err != nil {
			return fmt.Errorf("confine by %s: %w", measure, err)
		}
	}
	return nil
}

// Try takes every measure that works, in a process that ends after that, and
// returns why each of the others does not.
func Try() map[Measure]error {
	missing := map[Measure]error{}
	o := Options{Folder: "."}
	for _, measure := range Measures() {
		if err := take(measure, o); err != nil {
			missing[measure] = err
		}
	}
	return missing
}
