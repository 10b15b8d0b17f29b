// Package programtest starts the real program in tests, and fails the test if the program fails.
package programtest
