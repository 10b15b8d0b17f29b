// Package palette finds small sets of values that stand for many: palettes of
// vectors, which SOG needs for its spherical harmonics, and codebooks of single
// values, which it needs for everything that is a byte. It does arithmetic only,
// and the same input gives the same output on any number of processors.
//
// # Palettes
//
// A palette is good if the sum of the squared distances between the points and
// their entries is small. The textbook's answer, ten rounds of Lloyd's k-means
// with every point beside every entry, takes a millisecond of every splat at the
// sizes of SOG. Build takes less than a hundredth of that in four steps:
//
//   - The points are turned to their principal axes. This keeps distances, and
//     lets most of the comparisons end after a few of 45 values.
//   - A tree of splits deals the entries out, more of them where the error is
//     than where the points are.
//   - A graph knows the nearest entries of each entry, as the first few axes tell
//     them, which is enough to know what is worth a comparison.
//   - In each round the points of an entry are compared with the neighbours of
//     their entry, and moved by the rule of Hartigan and Wong (Algorithm AS 136,
//     Applied Statistics 28, 1979), which counts what a move does to the means of
//     both entries: among few points per entry this leaves local optima in which
//     Lloyd's rule stays. Then entries that are missed least are taken away and
//     given to the points that gain most by a second one, as Patane and Russo do
//     (The enhanced LBG algorithm, Neural Networks 14, 2001).
//
// Comparing is done by all workers on a state that stands still; changing it is
// done by one, in the order of the points, and only where it lowers the error as
// it is by then. This is what makes the result independent of the workers, and
// every round better than the last.
//
// A palette of other points, those of a neighbouring chunk, is no start worth
// having: its entries have the error of the tree's after one round, and finding
// the nearest of them for each point takes longer than the tree.
package palette
