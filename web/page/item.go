package page

import (
	"net/url"
	"path"
	"strings"

	"portico/model"
)

// item is a thing in a space as its page lists it.
type item struct {
	Title string // "" for none: the page then shows the kind alone
	Kind  string // a part of the key of its message
	// Address is the page that a gate leads to; empty for other things, and for gates that
	// lead nowhere.
	Address  string
	External bool // whether Address is of another site
}

// itemsOf returns the things that the page of a space lists. Entities that show nothing,
// such as start points and gates that nobody has set up, are left out.
//
// The list is for people without the 3D view, and for search engines.
func (p *Pages) itemsOf(r *request, entities []*model.SpaceItem) []item {
	var items []item
	for _, entity := range entities {
		switch {
		case entity.IsGate():
			if entity.Title != "" || entity.Link != "" {
				items = append(items, gateItem(r, entity))
			}
		case entity.GLBURL != "":
			items = append(items, item{Title: titleOf(entity), Kind: kindOf(entity)})
		case entity.Title != "" && entity.Type != "SpawnPoint":
			items = append(items, item{Title: entity.Title, Kind: "object"})
		}
	}
	return items
}

// gateItem returns a gate with the address that it leads to.
func gateItem(r *request, entity *model.SpaceItem) item {
	gate := item{Title: entity.Title, Kind: "gate"}
	if id := entity.LinkedSpace(); id != "" {
		gate.Address = r.link("/"+id, nil)
		return gate
	}
	gate.Address = entity.LinkedURL()
	gate.External = gate.Address != ""
	if gate.Title == "" {
		gate.Title = entity.Link
	}
	return gate
}

// titleOf returns the title of an entity that shows a file: its own, or the name of the
// file without the extension.
func titleOf(entity *model.SpaceItem) string {
	if entity.Title != "" {
		return entity.Title
	}
	if entity.File != nil {
		return entity.File.Title()
	}
	u, err := url.Parse(entity.GLBURL)
	if err != nil || u.Path == "" {
		return ""
	}
	name := path.Base(u.Path)
	return strings.TrimSuffix(name, path.Ext(name))
}

// kindOf returns the kind of the file that an entity shows: by its facts, or else by the
// extension in its address.
func kindOf(entity *model.SpaceItem) string {
	if entity.File != nil && entity.File.Facts != nil {
		switch facts := entity.File.Facts; {
		case facts.Splats > 0:
			return "capture"
		case facts.Format == model.FormatMeshPLY:
			return "model"
		}
	}
	address := entity.GLBURL
	if u, err := url.Parse(entity.GLBURL); err == nil {
		address = u.Path
	}
	if kind := model.KindOf(address); kind != "" {
		return string(kind)
	}
	return "object"
}
