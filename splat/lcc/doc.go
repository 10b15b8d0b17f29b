// Package lcc reads XGRIDS LCC v1 captures: 3D Gaussians in a grid of cells, in several levels
// of detail. Package splat uses it. It implements the white paper
// (github.com/xgrids/LCCWhitepaper), whose licence requires the line "Data Organization Format
// originated from XGRIDS" wherever such data is shown.
//
// A capture is a folder of files with fixed names and a manifest with any name:
//
//	*.lcc            JSON: levels, counts, ranges of the quantised values
//	index.bin        for each cell ("unit"), where its levels are in the data
//	data.bin         32 bytes per Gaussian
//	shcoef.bin       64 bytes per Gaussian: harmonics of degree 3; optional
//	environment.bin  Gaussians of the sky and of distant objects; optional
//	collision.lci    meshes for collision, one for each cell; optional
//	attrs.lcp        JSON: where to start; optional, and not in the white paper
//	thumb.jpg        a picture; optional, and not in the white paper
//
// All numbers are little endian. Positions are float32 in metres, with z up and right-handed.
// Colours and opacities are bytes, already activated. Scales are 16-bit fractions of a range in
// the manifest, linear and not logarithmic. Rotations are the three smallest components of a unit
// quaternion, and harmonics are fractions of a range in 11, 10 and 11 bits. Read converts all of
// them to the values and axes of gaussian.Source, y down.
//
// # Layout
//
// A unit of index.bin is the cell and, for each level of the manifest, where its Gaussians are:
//
//	0  u16  x of the cell, counted from the minimum of the bounding box
//	2  u16  y of the cell
//	for each level, from byte 4 on:
//	0  u32  number of Gaussians
//	4  u64  offset of the first one in data.bin
//	12 u32  size in data.bin, always 32 bytes for each Gaussian
//
// A record of data.bin has 32 bytes. The rotation is not aligned to its size:
//
//	 0  f32 x3  position in metres
//	12  u8 x4   red, green, blue, opacity: 0 to 255 is 0 to 1
//	16  u16 x3  scales: 0 to 65535 is the range "scale" of the manifest
//	22  u32     rotation: three components of 10 bits, the first in the lowest bits, and the
//	            index of the component that is left out in the upper 2 bits
//	26  u16 x3  normal, which is not read
//
// A record of shcoef.bin has 64 bytes and is at twice the offset of its record in data.bin: 15
// coefficients of 32 bits (red in bits 0 to 10, green in 11 to 20, blue in 21 to 31), and four
// bytes without meaning. In environment.bin each record of 32 bytes is followed by its record
// of 64 bytes if the capture has harmonics.
//
// collision.lci has a header of 48 bytes, a header of 40 bytes for each mesh, and the meshes:
//
//	 0  u32     magic, "coll"
//	 4  u32     version, 1 or 2
//	 8          length of the headers, bounding box and size of a cell, which are not read
//	44  u32     number of meshes
//	for each mesh:
//	 0  u32 x2  x and y of the cell, which are not read
//	 8  u64     offset of the mesh in the file
//	16  u64     size of the mesh
//	24  u32     number of vertices, three f32 each
//	28  u32     number of triangles, three u32 each; they follow the vertices
//	32  u32     size of the tree of boxes, which follows the triangles and is not read
//
// # Limits
//
// The files come from a stranger. Open makes every check that does not require reading data.bin.
// Later reads stay within the files, read no Gaussian twice, and need 16 bytes of memory for each
// unit. There are at most as many units as Gaussians. The limits are 32 levels, 2^30 Gaussians in
// a level, 2^20 in the environment, and 64 MiB for the index.
package lcc
