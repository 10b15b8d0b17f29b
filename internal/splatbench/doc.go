// Command splatbench compares "portico convert" with splat-transform, the converter
// of PlayCanvas, on made-up LCC captures that are the same in every run: what each
// takes in CPU time and memory, how large its streamed SOG is, how far that is from
// the capture, Gaussian by Gaussian and as a picture, and whether splat-transform
// reads ours back. Behind each figure stands what Portico is held to, and whether
// it is.
//
//	go run ./internal/splatbench               all captures, some minutes
//	go run ./internal/splatbench -quick        the small ones
//	go run ./internal/splatbench -only p2m     some of them
//	go run ./internal/splatbench -skip-node    Portico alone
//
// Both converters run as child processes, one after the other, with all cores.
// splat-transform and a Node that is new enough for it come from npm, by the lock
// file in folder node, into the user's cache folder. Without npm, or where the
// registry is out of reach, Portico is measured alone and a line says why.
//
// On a processor the harmonics of splat-transform take half an hour for every
// 50,000 Gaussians. It is therefore given one iteration (-iterations 1) in place
// of its ten, which is to its advantage in time and to its disadvantage in
// exactness.
package main
