// Package spz reads and writes SPZ files, Niantic's packed 3D Gaussians. It reads all versions:
// 1 to 3, which are one gzip stream or the same bytes without compression, and 4, which has a
// Zstandard stream for each property. It writes the versions 3 and 4. Packages splat, gltf and
// lcc2 use it.
//
// Positions are integers of 24 bits with a number of fractional bits, in metres; in version 1,
// which was never released, they are float16. Opacities, colours and logarithms of scales are
// bytes. Rotations have three or four bytes. Harmonics are bytes, with at most degree 4. All
// numbers are little endian.
//
// Open reads only the header. The first use unpacks the Gaussians into memory, where they stay
// in the encoding of the file with 16 to 92 bytes each; Read decodes them. MaxUnpacked limits
// this memory.
//
// The axes of a file are right, up, back unless an extension names others. Reading converts
// them to the axes of package gaussian, as the reference library does when it writes PLY.
// PlayCanvas' splat-transform and SuperSplat store the axes of PLY without the extension.
// Nothing in such a file shows this, so it is read upside down, as by the reference library,
// unless Options name its axes.
//
// Spark appends a tree of levels of detail to versions 1 to 3. Only the finest Gaussians of it
// are read.
//
// The documents are README.md and extensions/README.md of github.com/nianticlabs/spz at
// 21715c3, and for the tree src/spz.ts of github.com/sparkjsdev/spark at 78bc65e.
package spz
