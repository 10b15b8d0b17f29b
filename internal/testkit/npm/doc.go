// Package npm installs npm packages for tests and benchmarks. Nothing else may import it.
package npm
