package splat

import "portico/splat/sog"

// maxCoarsestChunks is the maximum number of chunks that CoarsestFiles names. The coarsest level of
// captures that Portico has converted has one or two chunks.
const maxCoarsestChunks = 4

// CoarsestFiles returns the names of the files of a streamed SOG that a viewer draws first: the
// chunks of the coarsest level and of the environment, with their images. The names are
// relative to the folder of the manifest. read returns the content of a file by its name. The
// result is nil for a capture whose coarsest level has more than a few chunks.
func CoarsestFiles(manifest []byte, read func(name string) ([]byte, error)) ([]string, error) {
	return sog.CoarsestFiles(manifest, maxCoarsestChunks, read)
}
