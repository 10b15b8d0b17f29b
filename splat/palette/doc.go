// Package palette quantises values for SOG: it builds palettes of vectors for
// spherical harmonics, and codebooks of single values for attributes that are
// stored as a byte. It does no input or output, and the output does not depend on the
// number of processors. Only package sog uses it.
//
// # Palettes
//
// The error of a palette is the sum of the squared distances between the points and
// their entries. The textbook's ten rounds of Lloyd's k-means, which compare every
// point with every entry, take a millisecond per splat at the sizes of SOG. Build
// takes less than a hundredth of that time, in four steps:
//
//   - It rotates the points to their principal axes. Distances stay the same, and
//     most comparisons end after a few of 45 values.
//   - It splits the points with a binary tree, which places the initial entries:
//     more where the error is large, not where there are many points.
//   - It builds a graph of the nearest entries of each entry, by their first few
//     axes. That is precise enough to choose which entries to compare.
//   - In each round, it compares the points of an entry with the entry's neighbours
//     and moves points by the rule of Hartigan and Wong (Algorithm AS 136, Applied
//     Statistics 28, 1979). The rule includes the change of both means, so with few
//     points per entry it leaves local optima that trap Lloyd's rule. Then it takes
//     the entries whose removal costs least and places each where another entry
//     gains most (Patane and Russo, The enhanced LBG algorithm, Neural Networks 14,
//     2001).
//
// All workers compare, on a state that does not change. A single goroutine then
// applies the changes in the order of the points, each only if it still lowers the
// error. That makes the result independent of the number of workers, and no round
// makes the error larger.
//
// The palette of a neighbouring chunk is not a useful start. Its entries have the
// error of the tree's entries after one round, and finding the nearest entry of each
// point takes longer than building the tree.
package palette
