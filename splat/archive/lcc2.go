package archive

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"portico/splat/input"
)

// lcc2Manifest is what extraction needs of an XGRIDS LCC2 manifest (LCC2 white
// paper 0.0.3). The tree of nodes addresses tiles by their index in the list of
// files, so the list alone says what must be there.
type lcc2Manifest struct {
	// SplatType is the format of the tiles; absent means ".sog".
	SplatType string `json:"splatType"`
	Root      struct {
		// SplatFiles are the tiles, the environment's included.
		SplatFiles []string `json:"splatFiles"`
		// Files is the old protocol's name for them, with a leading slash and
		// no extension.
		Files []string `json:"files"`
	} `json:"root"`
}

// lcc2 keeps the manifest and every .sog tile of its folder, which includes all
// that it names.
func (p *planner) lcc2() error {
	data, err := p.read()
	if err != nil {
		return err
	}
	tiles, err := lcc2Tiles(data)
	if err != nil {
		return p.fault("%s", err)
	}
	if err := p.referAll(tiles); err != nil {
		return err
	}
	for _, e := range p.archive.files {
		if name, ok := below(p.root, e.name); ok && input.HasExtension(name, ".sog") {
			p.keep(name, e)
		}
	}
	if len(p.files) == 0 {
		return p.fault("comes without .sog tiles")
	}
	return nil
}

// lcc2Tiles returns the paths of the tiles that a manifest names, normalised to
// the new protocol. Its errors are for the user.
func lcc2Tiles(data []byte) ([]string, error) {
	var m lcc2Manifest
	if err := input.DecodeTolerantJSON(data, &m); err != nil {
		return nil, errors.New("is no LCC2 manifest: it is not valid JSON of that form")
	}
	if !isSOGType(m.SplatType) {
		return nil, wrongTiles(m.SplatType)
	}
	tiles := make([]string, 0, len(m.Root.SplatFiles)+len(m.Root.Files))
	for _, list := range [][]string{m.Root.SplatFiles, m.Root.Files} {
		for _, name := range list {
			if input.HasExtension(name, ".spz") || input.HasExtension(name, ".ply") {
				return nil, wrongTiles(path.Ext(name))
			}
			tiles = append(tiles, lcc2Tile(name))
		}
	}
	return tiles, nil
}

// isSOGType forgives a missing dot and another case, which change nothing.
func isSOGType(splatType string) bool {
	return splatType == "" || strings.EqualFold(strings.TrimPrefix(splatType, "."), "sog")
}

// wrongTiles refuses tiles that would be dropped by the rule to keep .sog files
// only: the capture would be served empty.
func wrongTiles(splatType string) error {
	return fmt.Errorf("has tiles of type %s; only captures with .sog tiles can be served", quote(splatType))
}

// lcc2Tile normalises one path. Exporters on Windows write backslashes, and the
// old protocol's leading slash means the manifest's folder.
func lcc2Tile(name string) string {
	name = strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
	if !input.HasExtension(name, ".sog") {
		name += ".sog"
	}
	return name
}
