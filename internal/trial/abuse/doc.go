// Command abuse lets hostile clients loose on the real server and measures what
// becomes of it, and of an honest user meanwhile: subscribers that stop reading,
// requests that never end, bodies that are bombs, and thousands of connections
// that say nothing. Each scenario has a server of its own over one private
// Postgres, limits on the number of requests switched off: what is hostile must
// be refused for what it is, not for how often it comes.
//
//	go run ./internal/trial/abuse [-scale full|small] [-only NAME,...]
//
// It prints a figure a line and exits with 1 when one is out of its bounds. The
// tests run the small form of the same scenarios. It reads /proc, so it runs on
// Linux.
package main
