// Package npm gives tests and benchmarks the npm packages that they try the
// server's work with. It is for nothing that users run.
package npm
