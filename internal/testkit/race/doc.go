// Package race reports whether a test was built with the race detector. Tests build the
// program in the same way, and skip what takes too long with it.
package race
