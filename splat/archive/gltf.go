package archive

import (
	"net/url"
	"strings"

	"portico/splat/gltf"
	"portico/splat/input"
)

// gltfManifest is the part of a glTF 2.0 file that extraction needs: the files that it loads.
// Files that only extensions name are not extracted.
type gltfManifest struct {
	Buffers []gltfSource `json:"buffers"`
	Images  []gltfSource `json:"images"`
}

// gltfSource is a buffer or an image.
type gltfSource struct {
	URI string `json:"uri"` // empty for data in a buffer view or the BIN chunk
}

// addGLTF adds the buffers and images that the manifest names. It refuses addresses on other
// servers: the model would break when such a server goes away, and the server would see every
// visitor.
func (p *planner) addGLTF() error {
	data, err := p.readManifest()
	if err != nil {
		return err
	}
	var m gltfManifest
	if err := input.DecodeJSON(data, &m); err != nil {
		return p.manifestError("is not a glTF file: its JSON cannot be read").Advise("Export the model again")
	}
	for _, list := range [][]gltfSource{m.Buffers, m.Images} {
		for _, source := range list {
			if err := p.addGLTFSource(source.URI); err != nil {
				return err
			}
		}
	}
	return nil
}

// addGLTFSource adds the file that a relative URI reference names (glTF 2.0 section 2.8). Data
// URIs and "" name no file.
func (p *planner) addGLTFSource(uri string) error {
	switch {
	case uri == "" || strings.HasPrefix(strings.ToLower(uri), "data:"):
		return nil
	case gltf.IsAddress(uri):
		return p.manifestError("refers to the address %s", input.Quote(uri)).
			Advise("Export the model with all its files and put them into the zip")
	}
	name, err := url.PathUnescape(uri)
	if err != nil {
		name = uri // some exporters do not escape names
	}
	_, _, err = p.addReferenced(name)
	return err
}
