package server

// version is the version of this source: of the last release, or of the next one with "-dev". A
// release has a commit of its own that changes it. The linker may replace it, for builds that are not
// released: -ldflags="-X portico/server.version=0.1.0-test".
var version = "0.1.0-dev"

// Version returns the version of the program.
func Version() string { return version }
