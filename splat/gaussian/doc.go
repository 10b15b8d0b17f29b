// Package gaussian defines the 3D Gaussians that the readers, writers and renderers of package
// splat exchange. It does no input or output. Package splat and all packages of formats use it.
//
// Coordinates are the same as in the PLY files of 3DGS (Kerbl et al., "3D Gaussian Splatting",
// 2023): right-handed, y down, in metres if the capture has a known scale. Readers of formats
// with other axes rotate their Gaussians (see Cloud.Rotate).
package gaussian
