// Package splattest creates files for tests: valid captures of any size, written as a stream, and
// hostile zips and captures for every rule of the readers. Only tests and the packages below
// internal may use it. It does not import other packages of Portico, so that tests do not check the
// code against itself. Its captures have the axes and units of their format.
package splattest
