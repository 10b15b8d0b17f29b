// Package scenery generates a capture of a cloister garden in the evening. It has realistic
// geometry, light, shadows and colours, so that pictures and measurements are similar to those
// of real captures. The same number of Gaussians gives the same bytes. Only tests and trials use
// it.
package scenery
