package archive

import (
	"path"
	"slices"
	"strings"

	"portico/splat/input"
	"portico/splat/lcc2"
)

// lcc2Manifest is the part of an XGRIDS LCC2 manifest that extraction needs (LCC2
// white paper 0.0.3). The tree of nodes refers to tiles by their index in the list
// of files, so the list alone says which files must exist.
type lcc2Manifest struct {
	// SplatType is the extension of the tiles; "" means ".sog".
	SplatType string `json:"splatType"`
	Root      struct {
		// SplatFiles are the tiles, including the environment's.
		SplatFiles []string `json:"splatFiles"`
		// Files is the old protocol's name for SplatFiles. Its paths have a leading
		// slash and no extension.
		Files []string `json:"files"`
	} `json:"root"`
}

// addLCC2 adds the tiles that the manifest names, in any format, and every other .sog file in the
// manifest's folder. It does not add other .ply files, because they may be meshes.
func (p *planner) addLCC2() error {
	data, err := p.readManifest()
	if err != nil {
		return err
	}
	tiles, err := p.lcc2Tiles(data)
	if err != nil {
		return err
	}
	if err := p.addAllReferenced(tiles); err != nil {
		return err
	}
	for _, e := range p.archive.files {
		if name, ok := relativeTo(p.root, e.name); ok && input.HasExtension(name, ".sog") {
			p.add(name, e)
		}
	}
	if len(p.files) == 0 {
		return p.manifestError("has no tiles beside it").Advise(adviceToAddMissing)
	}
	return nil
}

// lcc2Tiles returns the paths of the tiles that the manifest names, in the form of the current
// protocol.
func (p *planner) lcc2Tiles(data []byte) ([]string, error) {
	var m lcc2Manifest
	if err := input.DecodeTolerantJSON(data, &m); err != nil {
		return nil, p.manifestError("is not an LCC2 manifest: its JSON cannot be read").Advise("Export the capture again")
	}
	if !isTileType(m.SplatType) {
		return nil, p.manifestError("has tiles of type %s", input.Quote(m.SplatType)).
			Advise("Export the capture with .sog, .spz or .ply tiles")
	}
	tiles := make([]string, 0, len(m.Root.SplatFiles)+len(m.Root.Files))
	for _, list := range [][]string{m.Root.SplatFiles, m.Root.Files} {
		for _, name := range list {
			tiles = append(tiles, lcc2.TileName(name, m.SplatType))
		}
	}
	return tiles, nil
}

// isTileType reports whether tiles of a manifest's type can be read. Exporters write the type
// with or without its dot, in upper or lower case, or leave it out.
func isTileType(splatType string) bool {
	extension := strings.ToLower(path.Ext("." + strings.TrimPrefix(splatType, ".")))
	return splatType == "" || slices.Contains(lcc2.TileExtensions(), extension)
}
