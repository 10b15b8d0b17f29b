// Package splat reads and converts spatial captures. It recognises a file by its content, returns
// facts about it, draws pictures, and writes SOG, PLY, SPZ, glTF, CSV and collisions. It uses no
// database and no HTTP: it only reads and writes files. Package worker and the command line use it.
//
// Each format has its own package below this one, whose comment names the format's document,
// axes, units, encodings and limits. A reader is a gaussian.Source and a writer reads one, so
// that any format converts to any other, with edits in between. Package archive extracts the
// files of one capture from an uploaded zip, package folder reads and writes these files, and
// package input contains the error for faults in them: its text is for the user, and all other
// errors are internal.
package splat
