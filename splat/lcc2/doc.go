// Package lcc2 reads captures in XGRIDS' LCC2 format: a manifest with a tree of
// nodes, each of which is a part of one SOG bundle (LCC2 white paper 0.0.3).
//
// The white paper grants its use on condition that "Data Organization Format
// originated from XGRIDS" is shown with the data.
package lcc2
