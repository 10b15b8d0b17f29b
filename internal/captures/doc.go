// Command captures breaks valid captures of every format at random and has the
// real program read them, each in a process of its own as the worker runs it: as
// a streamed SOG or, where there are no Gaussians, a picture; as a poster; and as
// facts.
//
//	go run ./internal/captures -runs 1000 -seed 1   breaks a thousand
//	go run ./internal/captures -seed 1 -first 123 -runs 1   breaks one of them again
//
// Whatever the file holds, a run has to end by itself with a result, or with a
// sentence for its owner; without a panic, in less than 1 GB, in no more than
// twice the time that the whole capture takes, and with nothing left on the disk.
// What ends otherwise fails the command, and its files are kept for a test.
//
// The same seed breaks the same places every time.
package main
