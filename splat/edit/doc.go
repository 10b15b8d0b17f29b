// Package edit changes captures while they are converted: it moves, rotates, scales and
// filters Gaussians. Each step is a gaussian.Source around another, so that steps run in
// any order and memory does not grow with the harmonics of a capture. Decimation is an
// exception: its result is in memory.
//
// The steps have the names and meanings of PlayCanvas' splat-transform. Vectors and angles
// are in its coordinates with y up, which are also the coordinates of viewers.
package edit
