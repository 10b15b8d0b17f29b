// Package scenery computes a capture of a cloister garden in the evening: for people who have no
// capture at hand, for pictures and for measurements. It has the geometry, light, shadows and
// colours of real captures. The same number of Gaussians gives the same bytes.
package scenery
