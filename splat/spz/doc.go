// Package spz reads SPZ files, the packed 3D Gaussians of Niantic, in all of their
// versions: 1 to 3, which are one gzip stream, and 4, whose streams are compressed
// by Zstandard each.
//
// Opening reads the header only. The Gaussians are unpacked into memory when they
// are needed first and stay as they are in the file, 16 to 92 bytes each; Read
// decodes them.
//
// The file's own axes are right, up, back unless an extension names others; what is
// read is turned to those of package gaussian, as the reference library turns it
// when it writes PLY. PlayCanvas' splat-transform stores the axes of PLY without
// naming them; such a file cannot be told from others and comes out upside down, as
// it does in the reference library.
//
// Version 1 was never released; its positions are float16. Spark writes a tree of
// levels of detail behind versions 1 to 3, of which the finest Gaussians are read.
//
// Formats: github.com/nianticlabs/spz at 21715c3, README.md and extensions/README.md;
// for the tree github.com/sparkjsdev/spark at 78bc65e, src/spz.ts.
package spz
