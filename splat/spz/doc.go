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
// # Layout
//
// All versions start with the same 15 bytes. In the versions 1 to 3 they are inside the gzip
// stream, so readHeader decompresses the start of the file to identify it.
//
//	 0  u32  magic, "NGSP"
//	 4  u32  version
//	 8  u32  number of Gaussians
//	12  u8   degree of the harmonics, 0 to 4
//	13  u8   fractional bits of a position
//	14  u8   flags: 1 antialiased, 2 extensions, 0x80 Spark's tree
//	15  u8   versions 1 to 3: zero; version 4: number of streams
//	16  u32  version 4 only: offset of the table of streams
//	20       version 4 only: 12 zero bytes
//
// Then follow the properties, each for all Gaussians before the next property, because similar
// bytes compress better together. The bytes for each Gaussian are:
//
//	positions  9  x, y and z: signed integers of 24 bits (version 1: 6, float16)
//	opacities  1  0 to 255 is 0 to 1
//	colours    3  f_dc, in the range of colourScale
//	scales     3  natural logarithm, (byte/16)-10
//	rotations  4  three smallest components and an index (versions 1 and 2: 3, x, y and z)
//	harmonics  3 for each coefficient of a channel: (byte-128)/128, red, green, blue in turn
//
// In the versions 1 to 3 Spark's tree and then the extensions follow the harmonics. In version
// 4 the extensions are between the header and the table. The table has a row for each stream,
// with its packed and unpacked size in 64 bits each. The Zstandard streams follow the table
// without gaps; without harmonics there are five. An extension is its type and its length, in
// 32 bits each, and its bytes.
//
// # Documents
//
// The documents are README.md and extensions/README.md of github.com/nianticlabs/spz at
// 21715c3, and for the tree src/spz.ts of github.com/sparkjsdev/spark at 78bc65e.
package spz
