// Package archive turns an uploaded zip into the files of one capture, in three
// steps that never hold a file in memory:
//
//	zip, err := archive.Open(r, size, archive.DefaultLimits())
//	plan, err := zip.Plan(ctx)
//	err = zip.Extract(ctx, plan, to, progress)
//
// The zip comes from a stranger. Open reads its central directory with a parser of
// our own: the standard library's neither limits the memory that a hostile
// directory takes nor reports where the local headers are, without which
// overlapping entries go unnoticed. Everything wrong with the file itself is an
// *input.Error, whose text is for the user; every other error is internal.
//
// Format: PKWARE, ".ZIP File Format Specification" (APPNOTE.TXT).
package archive
