// Package sog reads and writes SOG, PlayCanvas' format of compressed Gaussians,
// in its three forms: a folder with a meta.json and lossless WebP images, a
// bundle (.sog), which is a zip of the same files, and streamed SOG, a tree of
// such folders at several levels of detail under a lod-meta.json.
//
// The formats are specified at https://developer.playcanvas.com: "The SOG Format",
// version 2, and "The Streamed SOG Format", version 1. Images are WebP (RFC 9649).
// Gaussians are read and written as a gaussian.Source, which has the same axes and
// units as the files: y down, in metres. Packages splat and splat/lcc2 use this package.
//
// # The content of a SOG
//
// Pixel i of an image, counted row by row, belongs to Gaussian i. Its red, green, blue
// and alpha bytes are:
//
//   - means_l, means_u: the low and the high byte of x, y and z, 16 bits of
//     sign(v)*ln(1+|v|) between means.mins and means.maxs; alpha is 255.
//   - quats: three components of the rotation, and the index of the fourth.
//   - scales: three indices into scales.codebook, which has 256 logarithms.
//   - sh0: three indices into sh0.codebook, which has 256 zeroth harmonics, and the
//     opacity.
//   - shN_labels: the low and the high byte of an index into the palette.
//   - shN_centroids: the palette, 64 entries in a row. An entry has a pixel for each
//     coefficient, with the indices of its red, green and blue in shN.codebook.
//
// A streamed SOG divides space into leaves. For each leaf and level, its index contains
// the SOG with the leaf's Gaussians and their range in it. A viewer shows one level of
// each leaf at a time.
//
// # Writing
//
// Files are at least as precise as the output of splat-transform, the format's own
// tool. Positions and rotations are rounded to the nearest value. Colours, opacities
// and scales with at most 256 distinct values stay exact; captures that were stored as
// bytes have no more. Harmonics share entries of the palette only where it has fewer than
// the chunk has Gaussians. Space is divided by the same rules. The same capture gives the
// same bytes on any number of workers.
//
// A capture whose coarsest level is large gets coarser levels, each with half of the
// Gaussians of the level before, by merging neighbours (package decimate).
//
// # Reading
//
// Files come from strangers. Every fault in a file is an *input.Error, and Limits
// bound the memory and time that a file can cost: images are decoded only after their
// headers match the manifest, an image has few more pixels than its Gaussians need,
// and an index is read as a stream and cannot list a Gaussian twice. Files of version
// 1, which tools stopped writing in 2025, are read but not written.
package sog
