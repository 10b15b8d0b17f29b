// Package edit changes captures while they are converted: it moves, rotates, scales and
// filters Gaussians. Each step is a gaussian.Source around another, so that steps run in
// any order and memory does not grow with the harmonics of a capture.
//
// The steps are those of PlayCanvas' splat-transform, and so are their meanings: vectors
// and angles are in its coordinates, y up, in which a capture stands as in a viewer.
package edit
