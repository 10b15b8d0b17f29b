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
// The files come from a stranger. Open makes every check that does not require reading data.bin.
// Later reads stay within the files, read no Gaussian twice, and need 16 bytes of memory for each
// unit. There are at most as many units as Gaussians. The limits are 32 levels, 2^30 Gaussians in
// a level, 2^20 in the environment, and 64 MiB for the index.
package lcc
