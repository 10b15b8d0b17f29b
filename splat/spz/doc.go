// Package spz reads SPZ files, Niantic's packed 3D Gaussians, in all versions: 1 to 3,
// which are one gzip stream or the same bytes without compression, and 4, which has a
// Zstandard stream per property.
//
// Open reads only the header. The first use unpacks the Gaussians into memory, where
// they stay in the file's encoding of 16 to 92 bytes each; Read decodes them.
//
// The axes of a file are right, up, back unless an extension names others. Reading
// converts them to the axes of package gaussian, as the reference library does when it
// writes PLY. PlayCanvas' splat-transform and SuperSplat store the axes of PLY without
// the extension. The same library compresses their files, so nothing shows who wrote
// one: it is read upside down, as the reference library reads it, unless Options name
// its axes.
//
// Version 1, which was never released, has float16 positions. Spark appends a tree of
// levels of detail to versions 1 to 3; only its finest Gaussians are read.
//
// Formats: github.com/nianticlabs/spz at 21715c3, README.md and extensions/README.md;
// for the tree github.com/sparkjsdev/spark at 78bc65e, src/spz.ts.
package spz
