// Command faults injects faults into Portico and its dependencies while real clients publish, and
// then checks that nothing was lost.
//
//	go run ./internal/trial/faults                        all scenarios
//	go run ./internal/trial/faults -only publish,redis    some scenarios
//	go run ./internal/trial/faults -runs 20 -seed 7       a shorter run with another seed
//
// It builds the program once and runs it as separate processes, servers without workers and workers
// without servers. Each scenario has its own private Postgres and its own store. The scenarios are
//
//	publish      servers and workers are killed at random while clients upload,
//	             confirm, follow jobs and create spaces; files on a disk
//	publish-s3   the same with files in a bucket, half as often
//	postgres     the database is restarted, killed and disconnected
//	s3           the bucket is slow, refuses requests, breaks connections, and is down
//	redis        Redis, with the shared counters, stops and starts again
//	disk         the disks of the store and of the work folder become full
//	failover     a primary and its synchronous standby, Redis, the bucket, the network between
//	             all of them, the processes and the clocks; -runs 1 lets each thing happen once.
//	             It takes an hour and runs only if it is named
//
// A scenario ends with an audit. Every confirmed file must be stored byte for byte, every job must
// have ended, the store must contain exactly the objects in the database, and the storage of each
// account must be the sum of its objects. The command skips what the machine does not support,
// because a program or a right is missing, and prints a line that says so.
//
// The failover scenario also records what clients did to entities and what they were told, and checks
// with porcupine that each history can be explained by one operation after the other. An operation
// without an answer may have happened or not.
//
// The seed determines what is killed and when, and which requests fail. The timing of the machine
// determines which work each fault hits.
package main
