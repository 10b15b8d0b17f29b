// Package splat reads and converts spatial captures. It recognises a file by its
// content, returns the facts about it, draws a picture and writes SOG. It is pure:
// bytes in, bytes out, no database and no HTTP. The worker and the command line
// use it.
//
// Each format has a package of its own below this one. Package archive turns an
// uploaded zip into the files of one capture, package folder reads and writes
// these files, and package input has the one error that blames the user's file.
package splat
