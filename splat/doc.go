// Package splat knows the files of spatial captures. It is pure: bytes in,
// bytes out, no database and no HTTP; the worker and the resolvers use it.
//
// Its archive half turns an uploaded zip into the files that are served, in
// three steps that never hold a file in memory:
//
//	archive, err := splat.OpenArchive(r, size, splat.DefaultLimits())
//	plan, err := archive.Plan(ctx)
//	err = archive.Extract(ctx, plan, sink, progress)
//
// The zip comes from a stranger. OpenArchive reads its central directory with a
// parser of our own, because the library's neither bounds what a hostile
// directory makes it allocate nor shows where the local headers lie, which is
// what tells overlapping entries apart. Everything wrong with the file itself
// is an *InputError, whose text is meant for the user; every other error is
// ours.
package splat
