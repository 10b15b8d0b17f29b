// Command mutation is a mutation fuzzer for the converters. It changes valid captures of
// every format at random and runs the real program on them, each in its own process, as
// the worker does. Each capture is inspected and rendered as a poster; captures of
// Gaussians are also converted to a streamed SOG and to the voxels of a collision, and decimated as
// levels of detail are. The other outputs alternate: each format that portico convert writes, the
// edits and filters, and the capture merged with itself and with a valid capture.
//
//	go run ./internal/trial/mutation -runs 1000 -seed 1           a thousand mutated captures
//	go run ./internal/trial/mutation -runs 100000 -limit 1h       as many as an hour has time for
//	go run ./internal/trial/mutation -seed 1 -first 123 -runs 1   one of them again
//
// Every run must end with a result or with an error message for the file's owner. It must
// not panic, use 1 GB of memory, take more than twice the time of the valid capture, or
// leave files behind. Otherwise the command fails, and keeps the files of the run for a
// test.
//
// The same seed gives the same mutations.
package main
