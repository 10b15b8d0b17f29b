// Package meshopt decodes the attributes that meshoptimizer compressed in glTF files. It
// decodes parts of a view when they are read and keeps a few, so memory does not grow with
// the view. Only package gltf uses it.
//
// Formats: KHR_meshopt_compression, appendices A (mode 0, versions 0 and 1 of the stream)
// and B; EXT_meshopt_compression is its version 0 without the filter for colours.
package meshopt
