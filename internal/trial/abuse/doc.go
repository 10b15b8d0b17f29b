// Command abuse runs hostile clients against the real server and measures the server and
// an honest user meanwhile: subscribers that stop reading, requests that never end, bombs,
// thousands of silent connections, rotated keys, guessed passwords, JSON without end,
// answers that nobody reads, uploads that are sent again, and queues of large jobs. Each
// scenario has a server of its own over one private Postgres.
//
//	go run ./internal/trial/abuse [-scale full|small] [-only NAME,...]
//
// It prints one figure per line and exits with 1 when a figure is out of its bounds. The
// tests run the small form of the same scenarios. It reads /proc, so it runs on Linux.
package main
