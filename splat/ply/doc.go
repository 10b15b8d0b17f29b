// Package ply reads PLY files of three kinds: 3D Gaussians of 3DGS trainers, 3D Gaussians that
// SuperSplat has compressed, and all others, which are meshes or points. It writes Gaussians in the
// first two forms. Packages splat, splat/lcc2 and splat/csv use it.
//
// A Gaussian of a trainer has the properties x, y, z in metres with y down; f_dc_0 to f_dc_2 and up
// to 72 f_rest, the spherical harmonics by channel; opacity as a logit; scale_0 to scale_2 as natural
// logarithms; and rot_0 to rot_3, a quaternion w, x, y, z of any length. Compressed PLY has four
// integers of 32 bits for a Gaussian, relative to the ranges of a chunk of 256 Gaussians.
//
// The package reads every valid header: text and both binary encodings, all types in both spellings,
// lists, elements in any order, comments, CRLF. It reads Gaussians from binary files of either byte
// order, with properties in any order and of any type, without loading the file; from text files up
// to MaxText, which it parses into memory; and compressed ones from little-endian files, because
// SuperSplat writes no others.
//
// A file must be as long as its header says. The package tolerates deviations of real exporters:
// unknown elements and properties, counts padded with spaces, obj_info lines, line ends or zero bytes
// after the data, and files without the third scale (2DGS). Up to one in a hundred Gaussians may be
// broken; they are left out.
//
// The documents are Greg Turk, "The PLY Polygon File Format" (1994); the reference implementation of
// 3DGS (INRIA gaussian-splatting); and PlayCanvas, "Compressed PLY".
package ply
