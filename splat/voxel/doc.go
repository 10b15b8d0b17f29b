// Package voxel makes the collision of a capture: a sparse voxel octree of the space
// that its Gaussians fill, which viewers walk on, and a place to stand in it.
//
// The octree has version 1.1 of PlayCanvas' voxel format, a .voxel.json and a .voxel.bin.
// Voxelize computes what splat-transform does with the same Steps, voxel by voxel. Build
// chooses the steps by looking at the capture. Everything here is in the coordinates of
// viewers: y is up, and the data of a 3DGS PLY is turned half around z.
//
// Memory does not depend on the size of the result: 44 bytes for each Gaussian until the
// voxels are known, and then up to three dense grids of one bit for each voxel.
package voxel
