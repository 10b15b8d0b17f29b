package archive

import (
	"net/url"
	"strings"

	"portico/splat/gltf"
	"portico/splat/input"
)

// gltfManifest is what extraction needs of a glTF 2.0 file: what it loads.
// Files that only extensions name are not kept.
type gltfManifest struct {
	Buffers []gltfSource `json:"buffers"`
	Images  []gltfSource `json:"images"`
}

// gltfSource is a buffer or an image.
type gltfSource struct {
	URI string `json:"uri"` // empty: in a buffer view
}

// gltf keeps the buffers and images that the manifest names. An address on
// another server is refused: the space would break when it goes away, and would
// tell that server who looks at it.
func (p *planner) gltf() error {
	data, err := p.read()
	if err != nil {
		return err
	}
	var m gltfManifest
	if err := input.DecodeJSON(data, &m); err != nil {
		return p.fault("is no glTF file: it is not valid JSON of that form")
	}
	for _, list := range [][]gltfSource{m.Buffers, m.Images} {
		for _, source := range list {
			if err := p.gltfSource(source.URI); err != nil {
				return err
			}
		}
	}
	return nil
}

// gltfSource keeps one file, which is named by a relative URI reference (glTF
// 2.0 section 2.8).
func (p *planner) gltfSource(uri string) error {
	switch {
	case uri == "" || strings.HasPrefix(strings.ToLower(uri), "data:"):
		return nil
	case gltf.IsAddress(uri):
		return p.fault("refers to the address %s; everything it uses must be in the archive", quote(uri))
	}
	name, err := url.PathUnescape(uri)
	if err != nil {
		name = uri // written unescaped by a careless exporter
	}
	_, _, err = p.refer(name)
	return err
}
