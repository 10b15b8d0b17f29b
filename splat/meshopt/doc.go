// Package meshopt decodes the attributes that meshoptimizer compressed in glTF files. It
// decodes a part of a view when the part is read, and keeps a few parts, so that memory does
// not grow with the view. Only package gltf uses it.
//
// The document is the glTF extension KHR_meshopt_compression, appendix A (mode 0, versions 0
// and 1 of the stream) and appendix B (filters). EXT_meshopt_compression is its version 0
// without the filter for colours. Elements have 4 to 256 bytes, a multiple of 4; all numbers
// are little endian.
package meshopt
