// Package ply reads PLY files of three kinds: 3D Gaussians of 3DGS trainers, 3D Gaussians that
// SuperSplat has compressed, and all others, which are meshes or points. It writes Gaussians in the
// first two forms. Packages splat, splat/lcc2 and splat/csv use it.
//
// A Gaussian of a trainer has the properties x, y, z in metres with y down; f_dc_0 to f_dc_2 and up
// to 72 f_rest, the spherical harmonics by channel; opacity as a logit; scale_0 to scale_2 as
// natural logarithms; and rot_0 to rot_3, a quaternion w, x, y, z of any length. Compressed PLY has
// four integers of 32 bits for a Gaussian, relative to the ranges of a chunk of 256 Gaussians.
//
// The elements of a compressed PLY are, with their rows:
//
//	chunk   18 float: minimum and maximum of the positions, then of the scales, then of the
//	        colours, as min_x, min_y, min_z, max_x and so on. Old files have only the first 12,
//	        and their colours are from 0 to 1.
//	vertex  4 uint, each packed from its highest bit down:
//	        packed_position  x 11 bits, y 10, z 11, as shares of the ranges of the chunk
//	        packed_rotation  2 bits for the index of the largest of w, x, y, z, and 10 bits for
//	                         each other component, from -1/sqrt(2) to 1/sqrt(2)
//	        packed_scale     x 11 bits, y 10, z 11, as shares
//	        packed_color     red, green and blue 8 bits each, as shares; opacity 8 bits
//	sh      uchar f_rest_0 and so on, from -4 to 4; absent without harmonics
//
// Gaussian i belongs to chunk i/256. So a writer sorts the Gaussians by their place in space
// first: then the ranges of a chunk are narrow, and the steps of its positions are small.
//
// The package reads every valid header: text and both binary encodings, all types in both
// spellings, lists, elements in any order, comments, CRLF. It reads Gaussians from binary files of
// either byte order, with properties in any order and of any type, without loading the file; from
// text files up to MaxText, which it parses into memory; and compressed ones from little-endian
// files, because SuperSplat writes no others.
//
// A file must be as long as its header says. The package tolerates deviations of real exporters:
// unknown elements and properties, counts padded with spaces, obj_info lines, line ends or zero
// bytes after the data, and files without the third scale (2DGS). Up to one in a hundred Gaussians
// may be broken; they are left out.
//
// The documents are Greg Turk, "The PLY Polygon File Format" (1994); the reference implementation
// of 3DGS (INRIA gaussian-splatting); and PlayCanvas, "Compressed PLY".
package ply
