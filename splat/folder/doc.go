// Package folder reads and writes the files of a capture by name. A Local folder
// is a directory on disk that no name can escape; a Memory folder serves tests
// and small captures. Everything below package splat uses it, and it imports
// nothing of ours.
package folder
