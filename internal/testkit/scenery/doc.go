// Package scenery makes a capture of an imagined place, a cloister garden in the evening: with
// real geometry, light, shadow and colour, so that pictures and measurements show what a
// visitor of a real capture would see. The same number of Gaussians gives the same bytes.
// It is for tests and trials.
package scenery
