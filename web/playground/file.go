package playground

import (
	"errors"
	"io/fs"
	"path"

	"portico/web/asset"
)

// mediaTypes are the media types of the files that the page loads, by their extensions.
var mediaTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// open returns an embedded file that the page loads. The files of GraphiQL are embedded compressed,
// our own files uncompressed.
func open(name string) (*asset.File, error) {
	mediaType := mediaTypes[path.Ext(name)]
	compressed, err := embedded.ReadFile("files/" + name + ".gz")
	if err == nil {
		return asset.FromGzip(compressed, mediaType, asset.Forever), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	content, err := embedded.ReadFile("page/" + name)
	return asset.New(content, mediaType, asset.Forever), err
}
