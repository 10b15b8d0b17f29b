// Command abuse runs hostile clients against the real server, and at the same time measures the
// server and an honest user. The hostile clients are subscribers that stop reading, requests that
// never end, decompression bombs, thousands of idle connections, rotated keys, guessed passwords,
// endless JSON, responses that are never read, repeated uploads, and queues of large jobs. Each
// scenario has its own server, and all share one private Postgres.
//
//	go run ./internal/trial/abuse [-scale full|small] [-only NAME,...]
//
// It prints one figure per line, and exits with 1 if a figure exceeds its limit. The tests run the
// same scenarios at the scale small. The command reads /proc, so it runs only on Linux.
package main
