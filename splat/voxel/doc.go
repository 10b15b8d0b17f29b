// Package voxel makes the collision of a capture: a sparse voxel octree of the space that its
// Gaussians fill. It also finds the start: where a visitor stands and looks. Packages splat and
// splat/edit use it.
//
// The octree has version 1.1 of PlayCanvas' "Voxel Format" (developer.playcanvas.com), a
// .voxel.json and a .voxel.bin. A leaf is a block of 4x4x4 voxels, a mask of 64 bits. Nodes are
// breadth-first; a node contains the mask of its children and the index of the first, or is
// solid, or has the index of a leaf. The format allows 2^24 nodes and leaves, and 2^17 blocks
// along an axis.
//
// Voxelize computes the same voxels as splat-transform with the same Steps. Build chooses the steps
// for a capture. Lengths are in metres, and all coordinates are those of viewers: y is up, and the
// data of a 3DGS PLY, whose y points down, is rotated by half a turn about z.
//
// Memory does not depend on the size of the result: 44 bytes for each Gaussian until the voxels are
// known, and then up to three dense grids of one bit for each voxel.
package voxel
