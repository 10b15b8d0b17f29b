// Package lcc reads XGRIDS LCC v1 captures: 3D Gaussians in a grid of cells, in
// several levels of detail. It implements the white paper
// (github.com/xgrids/LCCWhitepaper), whose licence requires the line "Data
// Organization Format originated from XGRIDS" wherever such data is shown.
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
// The files come from a stranger. Open makes every check that does not require
// reading data.bin: later reads stay within the files, read no Gaussian twice and need
// no more memory than the files justify, which is 16 bytes per unit. There are at most
// as many units as Gaussians.
package lcc
