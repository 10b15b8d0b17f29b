// Command conversion compares "portico convert" with splat-transform, the converter of
// PlayCanvas, on synthetic captures that are the same in every run: LCC captures, which become
// streamed SOGs, and a plain PLY, which becomes one .sog. It measures CPU time, memory, the size
// of the result, and its errors compared with the capture, both for each Gaussian and in a
// rendered picture. It also checks that splat-transform
// can read Portico's output. The report shows Portico's target for each figure and whether
// Portico meets it.
//
//	go run ./internal/trial/conversion               all captures, some minutes
//	go run ./internal/trial/conversion -quick        the small captures
//	go run ./internal/trial/conversion -only p2m     selected captures
//	go run ./internal/trial/conversion -skip-node    Portico alone
//	go run ./internal/trial/conversion -levels a.ply the levels of detail made of a capture
//	go run ./internal/trial/conversion -levels a.lcc the levels that a capture has
//
// Both converters run as child processes, one at a time, with all cores. splat-transform
// and a recent Node are installed from npm into the user's cache folder, with the versions
// of the lock file in folder node. If npm or its registry is not available, the command
// prints a message and measures Portico alone.
//
// Without a GPU, splat-transform takes half an hour for the harmonics of 50,000
// Gaussians. It therefore runs one iteration (-iterations 1) instead of ten, which makes
// it faster and less precise.
package main
