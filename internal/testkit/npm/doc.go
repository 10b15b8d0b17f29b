// Package npm installs npm packages for tests and benchmarks, which check the server's
// output with them. No program of users may import it.
package npm
