// Command faults breaks what Portico stands on, and Portico itself, while real
// clients publish, and looks afterwards for what was lost.
//
//	go run ./internal/trial/faults                        all of it
//	go run ./internal/trial/faults -only publish,redis    some of it
//	go run ./internal/trial/faults -runs 20 -seed 7       less of it, otherwise
//
// It builds the program once and runs it as processes: servers that work on no
// jobs and workers that serve nobody, over a private Postgres and a store of each
// scenario's own. The scenarios are
//
//	publish      server and workers are killed at random while clients upload,
//	             confirm, follow jobs and make spaces; files on a disk
//	publish-s3   the same with files in a bucket, half as often
//	postgres     the database is restarted, killed and cut off
//	s3           the bucket is slow, refuses, breaks connections, and is away
//	redis        the shared counters go away and come back
//	disk         the store, and the folder that captures are worked on in, fill up
//
// A scenario ends with an audit: every file that was confirmed is there byte for
// byte, every job has ended, the store holds what the database speaks for and
// nothing else, and the storage of accounts is what their objects
// take. What a machine cannot do, for want of a program or of rights, is skipped
// with a line that says so.
//
// The seed decides what is killed and when, and which requests fail; what each of
// them hits is the machine's to decide.
package main
