// Package input is how the readers of package splat see a capture: files opened
// by name, with random access and a known size, and one kind of error for what
// is wrong with them. It imports nothing of ours.
package input
