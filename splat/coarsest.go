package splat

import "portico/splat/sog"

// maxCoarsestChunks is the maximum number of chunks that CoarsestFiles names. What the
// coarsest level of Portico's own captures has fits into one or two.
const maxCoarsestChunks = 4

// CoarsestFiles returns the names of the files of a streamed SOG that a viewer draws first,
// relative to the folder of its manifest: the chunks of the coarsest level and of the
// environment, with their images. read returns the content of a file by its name. The result
// is nil for a capture whose coarsest level has many chunks.
func CoarsestFiles(manifest []byte, read func(name string) ([]byte, error)) ([]string, error) {
	return sog.CoarsestFiles(manifest, maxCoarsestChunks, read)
}
