package main

import (
	"portico/server"
	"portico/worker/child"
)

// spatialFlags are the flags of the commands that read captures.
//
// Memory limits the writable memory of the child process that does the work (see
// sandbox.LimitMemory); 0 sets no limit.
type spatialFlags struct {
	JSON   bool        `help:"Print JSON lines: progress, then the result or the error."`
	Memory server.Size `help:"Memory limit. Default: the memory of the machine." placeholder:"BYTES"`
}

// newProgress returns the output that the flags select.
func (f *spatialFlags) newProgress(in *invocation) *progress {
	p := &progress{out: in.out}
	switch {
	case f.JSON:
		p.lines = &child.Lines{Out: in.out}
	case in.terminal != nil && isTerminal(in.terminal):
		p.bar = &progressBar{terminal: in.terminal}
	}
	return p
}
