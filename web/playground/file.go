package playground

import (
	"errors"
	"io/fs"
	"path"

	"portico/web/asset"
)

// kinds are the media types of the files that the page loads.
var kinds = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}

// open returns an embedded file that the page loads. Those that are fetched are
// compressed, our own are not.
func open(name string) (*asset.File, error) {
	kind := kinds[path.Ext(name)]
	compressed, err := embedded.ReadFile("files/" + name + ".gz")
	if err == nil {
		return asset.FromGzip(compressed, kind, asset.Forever), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	content, err := embedded.ReadFile("page/" + name)
	return asset.New(content, kind, asset.Forever), err
}
