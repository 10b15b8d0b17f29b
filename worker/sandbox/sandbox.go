// Package sandbox confines a process: the process permanently drops every right that its
// work does not need. A conversion reads files of strangers, and a flaw in a decoder must not
// expose the server. Package child enters the sandbox in the processes that a worker
// starts, and tests which measures work.
//
// Enter confines all threads of the running process, so no second program is needed.
// Call it when all input files are open. Linux has all measures; other systems have only
// the limits of resources.
package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// Measure is one way in which a process is confined.
type Measure string

// The measures, in the order in which Enter applies them.
const (
	// Network is a network namespace without an active interface. The parent creates
	// it when it starts the process: see Separate.
	Network Measure = "network"
	// User is a user and a group that own nothing and have no capabilities.
	User Measure = "user"
	// Files is Landlock: the process cannot open files outside Options.Folder. Since
	// Linux 6.7 it refuses TCP too, and since 6.12 signals to other processes.
	Files Measure = "files"
	// Calls is seccomp: system calls that a conversion does not need fail with EPERM,
	// among them sockets, new processes and programs.
	Calls Measure = "calls"
)

// Measures returns all measures, in the order in which Enter applies them.
func Measures() []Measure { return []Measure{Network, User, Files, Calls} }

// UserID is the user, and the group, of confined processes. No distribution assigns it (Debian
// reserves it). It is not nobody, because other programs run as nobody, among them a
// private Postgres.
const UserID = 65533

// Options configures Enter.
type Options struct {
	// Measures are the measures to apply. Enter fails if one does not work.
	Measures []Measure
	// Folder is the only folder where the process can create, read and remove files; ""
	// means none.
	Folder string
	// CPU is the limit of the processor time of all threads; 0 means no limit.
	CPU time.Duration
	// FileSize is the limit of the size of each written file, in bytes; 0 means no
	// limit.
	FileSize int64
}

// ErrCPU is the line that the process prints on standard error before it exits at the
// limit of its CPU time.
const ErrCPU = "sandbox: the limit of CPU time is reached"

// Enter confines the process. After an error the process may be confined in part, and
// must exit.
func Enter(o Options) error {
	for _, measure := range o.Measures {
		if !slices.Contains(Measures(), measure) {
			return fmt.Errorf("%q is not a measure", measure)
		}
	}
	if err := limitResources(o); err != nil {
		return fmt.Errorf("limit resources: %w", err)
	}
	if err := refusePrivileges(); err != nil {
		return fmt.Errorf("refuse new privileges: %w", err)
	}
	for _, measure := range Measures() {
		if !slices.Contains(o.Measures, measure) {
			continue
		}
		if err := apply(measure, o); err != nil {
			return fmt.Errorf("confine by %s: %w", measure, err)
		}
	}
	return nil
}

// Try applies every measure that works and returns the reasons for the others. The
// process must exit after that.
func Try() map[Measure]error {
	missing := map[Measure]error{}
	o := Options{Folder: "."}
	for _, measure := range Measures() {
		if err := apply(measure, o); err != nil {
			missing[measure] = err
		}
	}
	return missing
}
