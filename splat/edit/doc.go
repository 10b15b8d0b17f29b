// Package edit changes captures while they are converted: it moves, rotates, scales, filters
// and reduces Gaussians. Package splat uses it. Each step wraps one gaussian.Source in another,
// so that steps can follow each other in any order, and memory does not grow with the harmonics
// of a capture. Decimation is an exception: its result is in memory.
//
// The steps have the names and meanings of the options of PlayCanvas' splat-transform. Vectors
// and angles are in its coordinates, which are also the coordinates of viewers: y up. The
// Gaussians themselves have the axes of package gaussian, y down.
package edit
