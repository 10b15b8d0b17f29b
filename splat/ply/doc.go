// Package ply reads PLY files: 3D Gaussians as 3DGS trainers write them, 3D
// Gaussians packed by SuperSplat, and any other PLY, which is a mesh or points.
//
// It reads every valid header: text and both binary encodings, all types in both
// spellings, lists, elements in any order, comments, CRLF. It reads Gaussians from
// binary files of either byte order, with properties in any order and of any type,
// without loading the file; from text files up to MaxText, which it parses into
// memory; and compressed ones from little-endian files, the only ones that SuperSplat
// writes.
//
// A file must be as long as its header says. The package tolerates what exporters
// really write: unknown elements and properties, counts padded with spaces, obj_info
// lines, line ends or zero bytes after the data, files without the third scale
// (2DGS). Up to one in a hundred Gaussians may be broken and is left out.
//
// Formats: Greg Turk, "The PLY Polygon File Format" (1994); the INRIA
// gaussian-splatting reference implementation; PlayCanvas, "Compressed PLY".
package ply
