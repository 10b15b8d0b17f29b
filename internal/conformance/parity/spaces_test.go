package parity

import (
	"strings"

	"portico/model"
)

func spaceRows() []row {
	return []row{
		{"space of another user", func(p pair) (any, error) { return p.bob.space(p.hub()) }},
		{"space unknown", func(p pair) (any, error) { return p.alice.space("10000000_unknown") }},
		{"spaces", func(p pair) (any, error) {
			p.hub()
			p.must(p.alice.createSpace(spaceInput{}))
			return p.alice.spaces("")
		}},
		{"spaces found", func(p pair) (any, error) {
			p.hub()
			p.must(p.alice.createSpace(spaceInput{Title: "The needle"}))
			return p.alice.spaces("needle")
		}},
		{"update space", func(p pair) (any, error) { return p.alice.updateSpace(p.hub(), "New", "Newer") }},
		{"update space of another user", func(p pair) (any, error) { return p.bob.updateSpace(p.hub(), "New", "Newer") }},
		{"update space unknown", func(p pair) (any, error) { return p.alice.updateSpace("10000000_x", "New", "Newer") }},
		{"privacy Public", func(p pair) (any, error) { return p.privacy(p.alice, model.Public) }},
		{"privacy Link Only", func(p pair) (any, error) { return p.privacy(p.alice, model.LinkOnly) }},
		{"privacy Link Only of a free user", func(p pair) (any, error) { return p.privacy(p.bob, model.LinkOnly) }},
		{"privacy of another user", func(p pair) (any, error) { return nil, p.bob.updatePrivacy(p.hub(), model.Public) }},
		{"update space without a title", func(p pair) (any, error) { return p.alice.updateSpace(p.hub(), "", "Newer") }},
		{"update space with a blank title", func(p pair) (any, error) { return p.alice.updateSpace(p.hub(), " \u2003", "Newer") }},
		{"update space of a file without a title", func(p pair) (any, error) {
			space, err := p.alice.createSpace(spaceInput{Title: "Old", ResourceKey: p.file("My cat.glb")})
			p.must(space, err)
			return p.alice.updateSpace(space.ID, "", "Newer")
		}},
		{"privacy unknown space", func(p pair) (any, error) { return nil, p.alice.updatePrivacy("10000000_x", model.Public) }},
		{"delete space", func(p pair) (any, error) {
			id := p.hub()
			if err := p.alice.deleteSpace(id); err != nil {
				return nil, err
			}
			return p.alice.space(id)
		}},
		{"delete space of another user", func(p pair) (any, error) { return nil, p.bob.deleteSpace(p.hub()) }},
		{"delete space unknown", func(p pair) (any, error) { return nil, p.alice.deleteSpace("10000000_x") }},
	}
}

// newSpaceRows returns the rows about the creation of spaces.
func newSpaceRows() []row {
	return []row{
		{"create space from a file of another script", func(p pair) (any, error) {
			space, err := p.alice.createSpace(spaceInput{ResourceKey: p.file("客厅.glb")})
			if err != nil {
				return nil, err
			}
			page, err := p.alice.entities(space.ID, 50, "")
			return []any{space, page}, err
		}},
		{"create space", func(p pair) (any, error) {
			return p.alice.createSpace(spaceInput{Title: "Home <&>", Description: "of ours", Type: "hub"})
		}},
		{"create space from a file", func(p pair) (any, error) {
			space, err := p.alice.createSpace(spaceInput{ResourceKey: p.file("My cat.glb")})
			if err != nil {
				return nil, err
			}
			page, err := p.alice.entities(space.ID, 50, "")
			return []any{space, page}, err
		}},
		{"create space from an unknown file", func(p pair) (any, error) {
			return p.alice.createSpace(spaceInput{ResourceKey: "api_uploads/unknown.glb"})
		}},
		{"create space with a long title", func(p pair) (any, error) {
			return p.alice.createSpace(spaceInput{Title: strings.Repeat("x", 501)})
		}},
		{"create space with NUL", func(p pair) (any, error) { return p.alice.createSpace(spaceInput{Title: "a\x00"}) }},
	}
}
