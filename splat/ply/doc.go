// Package ply reads PLY files: 3D Gaussians as 3DGS trainers write them, 3D
// Gaussians packed by SuperSplat, and any other PLY, which is a mesh or points.
//
// Every header is understood: text and both binary encodings, all types of both
// spellings, lists, elements in any order, comments, CRLF. Gaussians are read from
// binary files of either byte order with their properties in any order and of any
// type, without loading the file; from text files up to MaxText, which are parsed
// into memory; packed ones from little-endian files, which is what SuperSplat
// writes.
//
// A file must be as long as its header says. What exporters really do is
// tolerated: unknown elements and properties, counts padded with spaces, obj_info
// lines, line ends or zero bytes behind the data, files without the third scale
// (2DGS). Where values are not finite a few Gaussians are made invisible; many make
// an error.
//
// Formats: Greg Turk, "The PLY Polygon File Format" (1994); the INRIA
// gaussian-splatting reference implementation; PlayCanvas, "Compressed PLY".
package ply
