// Package lcc2 reads captures in XGRIDS' LCC2 format: a manifest with a tree of
// nodes, each of which is a part of one tile (LCC2 white paper 0.0.3,
// github.com/xgrids/LCC2Whitepaper). The children of a node are the same region one
// level finer. Tiles are SOG bundles, SPZ or PLY files, as the manifest says.
//
// The white paper requires the line "Data Organization Format originated from XGRIDS"
// wherever the data is shown.
package lcc2
