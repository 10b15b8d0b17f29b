// Package splattest makes archives for tests: real captures of any size,
// written as a stream, and hostile zips of every sort that the archive rules
// refuse. It is for tests only, in any package, and depends on nothing of ours,
// so that a test does not check the code against itself.
package splattest
