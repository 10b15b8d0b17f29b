package property

import (
	"slices"
	"strings"
)

// space finds the space. An unknown one is 404, another user's 403, in this order
// (requirements.md, Entities).
func (r *rules) space(s step) (*ruledSpace, prediction) {
	i := slices.IndexFunc(r.spaces, func(space *ruledSpace) bool { return space.id == s.Space })
	if i < 0 {
		return nil, refusal(notFound, "Space not found")
	}
	if r.spaces[i].owner != s.User {
		return nil, refusal(forbidden, "")
	}
	return r.spaces[i], prediction{}
}

// Open and Closed are names of two options, on routes that the specification does not
// name (requirements.md, Spaces).
func optionOf(word string) string {
	switch word {
	case "Open":
		return "Public"
	case "Closed":
		return "Private"
	}
	return word
}

// checkPrivacy checks every way to set privacy: Link Only always needs Pro (requirements.md,
// Spaces).
func checkPrivacy(s step, option string) prediction {
	switch {
	case !slices.Contains([]string{"Public", "Private", "Link Only"}, option):
		return refusedByDoor(s, "Invalid privacy option")
	case option == "Link Only" && s.User != 0:
		return refusal(invalid, "You need to be a Pro user to set a space to Link Only")
	}
	return prediction{}
}

// refusedByDoor refuses a word that GraphQL's enums do not have. GraphQL words this
// refusal itself.
func refusedByDoor(s step, message string) prediction {
	if s.Door == doorGraphQL {
		message = ""
	}
	return refusal(invalid, message)
}

func (r *rules) createSpace(s step) prediction {
	var p prediction
	if s.Kind != "" && s.Kind != "hub" && s.Kind != "infinite" {
		p = refusal(invalid, "")
	}
	// create-space has no privacy (API section 4, Spaces).
	takesPrivacy := s.Privacy != "" && (s.Door == doorGraphQL || s.Form == formSpaces)
	if takesPrivacy {
		p = p.or(checkPrivacy(s, optionOf(s.Privacy)))
	}
	file, missing := r.file(s)
	if p = p.or(missing); p.isRefusal() {
		return p
	}
	space := &ruledSpace{
		id: s.As, owner: s.User, sequence: r.next(), title: "Untitled space", kind: "infinite", privacy: "Private",
		data: map[string]any{},
	}
	if file != nil {
		space.title = file.title()
	}
	if s.Title != nil {
		space.title = *s.Title
	}
	if s.Description != nil {
		space.description = *s.Description
	}
	if s.Kind != "" {
		space.kind = s.Kind
	}
	if takesPrivacy {
		space.privacy = optionOf(s.Privacy)
	}
	r.furnish(space, file)
	r.spaces = append(r.spaces, space)
	p = done(madeSpaceForm{webURL + "/" + space.id, space.title, space.kind})
	if s.Form == formSpaces {
		p.status = 201
	}
	return p
}

// furnish adds the entities that a new space has.
func (r *rules) furnish(space *ruledSpace, file *ruledUpload) {
	space.add(&ruledEntity{id: "RoomInfo", kind: "Simple", sequence: r.next(), data: map[string]any{}})
	if space.kind == "hub" {
		for _, id := range staticGates {
			space.add(&ruledEntity{id: id, kind: "Gate", sequence: r.next(), data: map[string]any{}})
		}
	}
	if file != nil {
		space.add(&ruledEntity{id: "@model@", kind: "UserModelEntity", sequence: r.next(), data: file.entityData(nil)})
	}
}

func (s *ruledSpace) add(e *ruledEntity) { s.entities = append(s.entities, e) }

func (s *ruledSpace) form(withData bool) spaceForm {
	form := spaceForm{
		ID: s.id, URL: webURL + "/" + s.id, Title: s.title, Description: s.description, Type: s.kind, Privacy: s.privacy,
	}
	if withData {
		form.Data = laidOver(nil, s.data)
	}
	return form
}

// readable finds the space for a reader: others reach a space that is not Private by its
// link, which is its id (API section 2, Privacy options).
func (r *rules) readable(s step) (*ruledSpace, prediction) {
	i := slices.IndexFunc(r.spaces, func(space *ruledSpace) bool { return space.id == s.Space })
	if i >= 0 && r.spaces[i].privacy != "Private" {
		return r.spaces[i], prediction{}
	}
	return r.space(s)
}

func (r *rules) readSpace(s step) prediction {
	space, p := r.readable(s)
	if p.isRefusal() {
		return p
	}
	return done(space.form(true))
}

func (r *rules) updateSpace(s step) prediction {
	space, p := r.space(s)
	if s.Privacy != "" {
		p = p.or(checkPrivacy(s, optionOf(s.Privacy)))
	}
	if p.isRefusal() {
		return p
	}
	if s.Title != nil {
		space.title = *s.Title
	}
	if s.Description != nil {
		space.description = *s.Description
	}
	if s.Privacy != "" {
		space.privacy = optionOf(s.Privacy)
	}
	space.data = laidOver(space.data, object(s.Data))
	return done(space.form(true))
}

// updatePrivacy follows the order and the texts of the table in API section 7.
func (r *rules) updatePrivacy(s step) prediction {
	space, p := r.space(s)
	if len(p.codes) > 0 && p.codes[0] == forbidden {
		p.message = "You are not authorized to update the privacy of this space"
	}
	wrong := checkPrivacy(s, s.Privacy)
	if p.isRefusal() && s.Door == doorGraphQL { // an enum is looked at first there
		return p.or(wrong)
	}
	if p.isRefusal() {
		return p
	}
	if wrong.isRefusal() {
		return wrong
	}
	space.privacy = s.Privacy
	return done(doneForm{})
}

func (r *rules) deleteSpace(s step) prediction {
	space, p := r.space(s)
	if p.isRefusal() {
		return p
	}
	r.spaces = slices.DeleteFunc(r.spaces, func(other *ruledSpace) bool { return other == space })
	return done(doneForm{})
}

// listSpaces returns the caller's spaces, newest first.
func (r *rules) listSpaces(s step) prediction {
	var rows []row
	for _, space := range slices.Backward(r.spaces) {
		found := strings.Contains(space.title, s.Search) || strings.Contains(space.description, s.Search)
		if space.owner == s.User && found {
			rows = append(rows, row{-space.sequence, space.form(false)})
		}
	}
	return r.page(s, rows)
}
