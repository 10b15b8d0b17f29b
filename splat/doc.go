// Package splat reads and converts spatial captures. It recognises a file by its
// content, returns the facts about it, draws a picture, and writes SOG, PLY, SPZ,
// glTF, CSV and collisions. It has no database and no HTTP: bytes in, bytes out.
// The worker and the command line use it.
//
// Each format has its own package below this one. Its reader is a gaussian.Source and
// its writer reads one, so that any format converts to any other and edits fit between.
// Package archive turns an uploaded zip into the files of one capture, package folder
// reads and writes these files, and package input has the error for faulty files: its
// text is for the user, and all other errors are internal.
package splat
