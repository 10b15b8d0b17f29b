// Package programtest starts the real program in tests, and fails a test where the program
// does.
package programtest
