// Package lcc2 reads captures in XGRIDS' LCC2 format (LCC2 white paper 0.0.3,
// github.com/xgrids/LCC2Whitepaper). A capture is a JSON manifest with a tree of nodes, and
// tiles. Each node is a range of the Gaussians of one tile; the children of a node are the same
// region at the next finer level. Tiles are SOG bundles, SPZ or PLY files: the manifest states
// which. Packages splat and splat/archive use this package.
//
// Tiles have the axes of LCC, z up and in metres, whatever their format. Read rotates them to the
// axes of gaussian.Source, y down. The limits are 32 MiB for the manifest, 32 levels, and 2^31-1
// Gaussians in a level. Four tiles are open at a time.
//
// The white paper requires the line "Data Organization Format originated from XGRIDS"
// wherever the data is shown.
package lcc2
