package archive

import (
	"path"
	"strings"

	"portico/splat/input"
)

// lcc2Manifest is the part of an XGRIDS LCC2 manifest that extraction needs (LCC2
// white paper 0.0.3). The tree of nodes refers to tiles by their index in the list
// of files, so the list alone says which files must exist.
type lcc2Manifest struct {
	// SplatType is the format of the tiles; absent means ".sog".
	SplatType string `json:"splatType"`
	Root      struct {
		// SplatFiles are the tiles, including the environment's.
		SplatFiles []string `json:"splatFiles"`
		// Files is the old protocol's name for SplatFiles. Its paths have a leading
		// slash and no extension.
		Files []string `json:"files"`
	} `json:"root"`
}

// lcc2 keeps the manifest and every .sog tile of its folder, including the ones that
// it names.
func (p *planner) lcc2() error {
	data, err := p.read()
	if err != nil {
		return err
	}
	tiles, err := p.lcc2Tiles(data)
	if err != nil {
		return err
	}
	if err := p.keepAllReferenced(tiles); err != nil {
		return err
	}
	for _, e := range p.archive.files {
		if name, ok := relativeTo(p.root, e.name); ok && input.HasExtension(name, ".sog") {
			p.keep(name, e)
		}
	}
	if len(p.files) == 0 {
		return p.manifestError("has no .sog tiles beside it").Advise(addMissing)
	}
	return nil
}

// lcc2Tiles returns the paths of the tiles that the manifest names, in the form of
// the new protocol.
func (p *planner) lcc2Tiles(data []byte) ([]string, error) {
	var m lcc2Manifest
	if err := input.DecodeTolerantJSON(data, &m); err != nil {
		return nil, p.manifestError("is not an LCC2 manifest: its JSON cannot be read").Advise("Export the capture again")
	}
	if !isSOGType(m.SplatType) {
		return nil, p.unsupportedTiles(m.SplatType)
	}
	tiles := make([]string, 0, len(m.Root.SplatFiles)+len(m.Root.Files))
	for _, list := range [][]string{m.Root.SplatFiles, m.Root.Files} {
		for _, name := range list {
			if input.HasExtension(name, ".spz") || input.HasExtension(name, ".ply") {
				return nil, p.unsupportedTiles(path.Ext(name))
			}
			tiles = append(tiles, lcc2TilePath(name))
		}
	}
	return tiles, nil
}

// isSOGType reports whether a manifest has SOG tiles. Exporters write the type with
// and without its dot, in either case, or leave it out.
func isSOGType(splatType string) bool {
	return splatType == "" || strings.EqualFold(strings.TrimPrefix(splatType, "."), "sog")
}

// unsupportedTiles refuses a capture whose tiles are not SOG. Extraction keeps only
// .sog files, so the capture would be served empty.
func (p *planner) unsupportedTiles(splatType string) error {
	return p.manifestError("has tiles of type %s", input.Quote(splatType)).Advise("Export the capture with .sog tiles")
}

// lcc2TilePath returns one path in the form of the new protocol. Exporters on
// Windows write backslashes; the leading slash of the old protocol means the
// manifest's folder.
func lcc2TilePath(name string) string {
	name = strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
	if !input.HasExtension(name, ".sog") {
		name += ".sog"
	}
	return name
}
