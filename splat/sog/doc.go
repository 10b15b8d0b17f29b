// Package sog reads and writes SOG, PlayCanvas' format of compressed Gaussians,
// in its three forms: a folder with a meta.json and lossless WebP images, a
// bundle (.sog), which is a zip of the same files, and streamed SOG, a tree of
// such folders at several levels of detail under a lod-meta.json.
//
// The formats are those of https://developer.playcanvas.com, "The SOG Format"
// version 2 and "The Streamed SOG Format" version 1. Both directions pass
// Gaussians as a gaussian.Source, in whose coordinates the files are too.
//
// # What a SOG holds
//
// The i-th pixel of an image, row by row, is of the i-th Gaussian. Its bytes red,
// green, blue and alpha are:
//
//   - means_l, means_u: the low and the high byte of x, y and z, 16 bits of
//     sign(v)*ln(1+|v|) between means.mins and means.maxs; alpha is 255.
//   - quats: three components of the rotation, and which one is left out.
//   - scales: three numbers of scales.codebook, which has 256 logarithms.
//   - sh0: three numbers of sh0.codebook, which has 256 zeroth harmonics, and
//     the opacity.
//   - shN_labels: the low and the high byte of a number of the palette.
//   - shN_centroids: the palette, 64 entries in a row. An entry has a pixel for
//     each coefficient, whose bytes are the numbers of those of red, green and
//     blue in shN.codebook.
//
// A streamed SOG divides space into leaves, and lists for each leaf and level
// which Gaussians in a row of which SOG it has there. A viewer shows one level of
// each leaf at a time.
//
// # What is written
//
// Files are at least as exact as those of splat-transform, the format's own tool:
// positions and rotations are rounded to the nearest value, and colours, opacities
// and scales that have no more than 256 different values, as captures that were
// bytes before have, stay as they are. Space is divided by the same rules. The same
// capture gives the same bytes, on any number of workers.
//
// # What is read
//
// Files come from strangers. All that is wrong with one is an *input.Error, and
// Limits bound what it can ask for: nothing is decoded before its header has been
// compared with what the manifest says, an image has no more pixels than its
// Gaussians need, an index is read as a stream and cannot name a Gaussian twice.
// Files of version 1, which tools stopped writing in 2025, are refused.
package sog
