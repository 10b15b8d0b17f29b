package main

import "portico/server"

// spatialFlags are the flags of the commands that read captures.
//
// Memory limits the writable memory of the child process that does the work (see
// subprocess.LimitMemory); 0 sets no limit.
type spatialFlags struct {
	JSON   bool        `help:"Print JSON lines: progress, then the result or the error."`
	Memory server.Size `help:"Memory limit. Default: the memory of the machine." placeholder:"BYTES"`
}
