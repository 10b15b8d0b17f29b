// Package splattest creates archives for tests: valid captures of any size, written as a
// stream, and hostile zips and captures for every rule of the readers. It is only for
// tests, in any package. It does not import other packages of Portico, so that tests do
// not check the code against itself.
package splattest
