// Package archive extracts the files of one capture from an uploaded zip, in three steps.
// None of them keeps a whole file in memory, except for manifests:
//
//	zip, err := archive.Open(r, size, archive.DefaultLimits())
//	plan, err := zip.Plan(ctx)
//	err = zip.Extract(ctx, plan, to, progress)
//
// The zip comes from a stranger. Open reads the central directory with its own parser. The
// parser of the standard library does not limit the memory that a hostile directory takes,
// and does not report the offsets of the local headers, which are needed to find entries that
// overlap. Every fault of the file is an *input.Error, whose text is for the user; every other
// error is internal.
//
// The format is PKWARE's ".ZIP File Format Specification" (APPNOTE.TXT): the
// methods stored and Deflate, with zip64, without encryption and without split archives.
// Limits bounds the sizes. Packages worker and cmd/portico use this package.
package archive
