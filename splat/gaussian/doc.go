// Package gaussian defines the 3D Gaussians that the readers, writers and renderers of
// package splat exchange. It does no input or output.
//
// Coordinates are the same as in 3DGS PLY files: right-handed, y down, in metres if the
// capture has a known scale. Readers of formats with other axes rotate their Gaussians
// (see Cloud.Rotate).
package gaussian
