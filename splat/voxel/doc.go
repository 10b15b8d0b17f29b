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
// The .voxel.bin has no header; the .voxel.json has the numbers of nodes and leaves. All numbers
// are little endian:
//
//	nodes   u32 each  inner node: mask of the children in the upper 8 bits, and the index of
//	                  the first child in the lower 24; the children follow each other
//	                  solid node: 0xFF000000. It is not an inner node: no child has index 0
//	                  node of a leaf: the index of the leaf
//	leaves  u64 each  a bit for each voxel of the block: bit x + 4y + 16z is the voxel x, y, z
//
// The bit of a child in the mask is x + 2y + 4z, where x, y and z are 1 in the upper half.
// Empty cubes have no node.
//
// Voxelise computes the same voxels as splat-transform with the same Steps. Build chooses the steps
// for a capture. Lengths are in metres, and all coordinates are as in viewers: y is up, and the
// data of a 3DGS PLY, whose y points down, is rotated by half a turn about z.
//
// Memory does not depend on the size of the result: 44 bytes for each Gaussian until the voxels are
// known, and then up to three dense grids of one bit for each voxel.
package voxel
