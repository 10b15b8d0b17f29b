// Package lcc reads XGRIDS LCC v1 captures: 3D Gaussians in a grid of cells, in
// several levels of detail. It is written from the white paper
// (github.com/xgrids/LCCWhitepaper), whose licence asks that "Data Organization
// Format originated from XGRIDS" be shown wherever such data is.
//
// A capture is a folder of files with fixed names beside a manifest with any:
//
//	*.lcc            JSON: levels, counts, ranges of what is quantised
//	index.bin        for each cell ("unit"), where its levels lie in the next
//	data.bin         32 bytes for each Gaussian
//	shcoef.bin       64 bytes for each, harmonics of degree 3; not in all
//	environment.bin  Gaussians of the sky and of what is far away; not in all
//
// The files come from a stranger. Open checks all that can be checked without
// reading data.bin, so that nothing later reads outside of a file, reads one
// Gaussian twice or needs memory that the files do not account for: 16 bytes for
// each unit, of which there are no more than Gaussians.
package lcc
