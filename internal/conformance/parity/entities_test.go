package parity

import (
	"slices"

	"portico/model"
)

// entityRows returns the rows about entities and gates.
func entityRows() []row {
	return slices.Concat(createdEntityRows(), readEntityRows(), changedEntityRows(), gateRows())
}

// createdEntityRows creates entities other than gates.
func createdEntityRows() []row {
	return []row{
		{"create entity of a result of another script", func(p pair) (any, error) {
			return p.create(p.hub(), entityInput{ResourceKey: p.lccOf("客厅.lcc2")})
		}},
		{"create entity", func(p pair) (any, error) {
			return p.create(p.hub(), entityInput{ID: "a.b-c_1", Data: `{"n":12345678901234567890,"t":"<&>","f":1.50,"z":null}`})
		}},
		{"create entity of a file", func(p pair) (any, error) {
			return p.create(p.hub(), entityInput{ResourceKey: p.file("cat.ply"), Data: `{"label":"cat","position":[1,2,3]}`})
		}},
		{"create entity again", func(p pair) (any, error) {
			hub := p.hub()
			p.must(p.create(hub, entityInput{ID: "x", Data: `{"a":1}`}))
			return p.create(hub, entityInput{ID: "x", Data: `{"b":2}`})
		}},
		{"create entity with a bad id", func(p pair) (any, error) { return p.create(p.hub(), entityInput{ID: "a b"}) }},
		{"create entity with the id .", func(p pair) (any, error) { return p.create(p.hub(), entityInput{ID: "."}) }},
		{"create entity with the id ..", func(p pair) (any, error) { return p.create(p.hub(), entityInput{ID: ".."}) }},
		{"create entity with NUL", func(p pair) (any, error) {
			return p.create(p.hub(), entityInput{Data: `{"a":[{"label":"\u0000"}]}`})
		}},
		{"create entity of an unknown file", func(p pair) (any, error) {
			return p.create(p.hub(), entityInput{ResourceKey: "api_uploads/unknown.glb"})
		}},
		{"create entity in an unknown space", func(p pair) (any, error) { return p.create("10000000_x", entityInput{}) }},
		{"create entity in another user's space", func(p pair) (any, error) {
			entity, created, err := p.bob.createEntity(p.hub(), entityInput{})
			return []any{entity, created}, err
		}},
	}
}

func readEntityRows() []row {
	return []row{
		{"entity RoomInfo", func(p pair) (any, error) { return p.alice.entity(p.hub(), "RoomInfo") }},
		{"entity unknown", func(p pair) (any, error) { return p.alice.entity(p.hub(), "unknown") }},
		{"entity of another user", func(p pair) (any, error) { return p.bob.entity(p.hub(), "RoomInfo") }},
		{"entity in an unknown space", func(p pair) (any, error) { return p.alice.entity("10000000_x", "RoomInfo") }},
		{"entities", func(p pair) (any, error) { return p.alice.entities(p.hub(), 50, "") }},
		{"entities by pages", func(p pair) (any, error) {
			hub := p.hub()
			first, err := p.alice.entities(hub, 4, "")
			p.must(first, err)
			second, err := p.alice.entities(hub, 4, first.Next)
			return []any{first.Entities, first.More, second}, err
		}},
		{"entities with a bad limit", func(p pair) (any, error) { return p.alice.entities(p.hub(), 0, "") }},
		{"entities with a bad limit in an unknown space", func(p pair) (any, error) { return p.alice.entities("10000000_x", 0, "") }},
		{"entities with a bad cursor", func(p pair) (any, error) { return p.alice.entities(p.hub(), 10, "bad") }},
		{"entities of another user", func(p pair) (any, error) { return p.bob.entities(p.hub(), 10, "") }},
		{"entities of an unknown space", func(p pair) (any, error) { return p.alice.entities("10000000_x", 10, "") }},
	}
}

// changedEntityRows updates and deletes entities other than gates.
func changedEntityRows() []row {
	return []row{
		{"update entity unknown", func(p pair) (any, error) { return p.alice.updateEntity(p.hub(), "unknown", `{}`) }},
		{"update entity of another user", func(p pair) (any, error) { return p.bob.updateEntity(p.hub(), "RoomInfo", `{}`) }},
		{"update entity in an unknown space", func(p pair) (any, error) { return p.alice.updateEntity("10000000_x", "y", `{}`) }},
		{"delete entity", func(p pair) (any, error) {
			hub := p.hub()
			if err := p.alice.deleteEntity(hub, model.StaticGateIDs[0]); err != nil {
				return nil, err
			}
			return p.create(hub, entityInput{Type: "Gate", ID: model.StaticGateIDs[0]})
		}},
		{"delete RoomInfo", func(p pair) (any, error) { return nil, p.alice.deleteEntity(p.hub(), "RoomInfo") }},
		{"delete entity unknown", func(p pair) (any, error) { return nil, p.alice.deleteEntity(p.hub(), "unknown") }},
		{"delete entity of another user", func(p pair) (any, error) { return nil, p.bob.deleteEntity(p.hub(), "RoomInfo") }},
	}
}

// gateRows creates, links and moves gates.
func gateRows() []row {
	return []row{
		{"create dynamic gate", func(p pair) (any, error) {
			return p.create(p.hub(), gate(`{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0}}`))
		}},
		{"create dynamic gate without a place", func(p pair) (any, error) { return p.create(p.hub(), gate(`{}`)) }},
		{"create static gate", func(p pair) (any, error) { return p.create(p.hub(), entityInput{Type: "Gate"}) }},
		{"gate to a link with a percent sign", func(p pair) (any, error) {
			return p.alice.updateEntity(p.hub(), model.StaticGateIDs[2], `{"link":"https://example.com/50%off"}`)
		}},
		{"gate to a space as clients link it", func(p pair) (any, error) {
			return p.alice.updateEntity(p.hub(), model.StaticGateIDs[2], `{"link":"custom.travel.center.10000001_abc"}`)
		}},
		{"update entity of a gate", func(p pair) (any, error) {
			return p.alice.updateEntity(p.hub(), model.StaticGateIDs[3], `{"title":"Out","link":"https://example.com/?a=b&c","openAsTab":true}`)
		}},
		{"update entity of a gate against its link", func(p pair) (any, error) {
			return p.alice.updateEntity(p.hub(), model.StaticGateIDs[3], `{"link":"https://example.com","platform":"arrival.space"}`)
		}},
		{"update entity of a gate with a script", func(p pair) (any, error) {
			return p.alice.updateEntity(p.hub(), model.StaticGateIDs[0], `{"logoLinkURL":" Java\tScript:alert(1)"}`)
		}},
		{"create dynamic gate with a script", func(p pair) (any, error) {
			door := gate(`{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0},"looks":{"icon":["data:text/html,x"]}}`)
			return p.create(p.hub(), door)
		}},
		{"update entity of a gate with a wrong type", func(p pair) (any, error) {
			return p.alice.updateEntity(p.hub(), model.StaticGateIDs[0], `{"openAsTab":"yes"}`)
		}},
		{"move dynamic gate", func(p pair) (any, error) {
			hub := p.hub()
			p.must(p.create(hub, gate(`{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0},"hidden":true}`)))
			return p.alice.updateEntity(hub, "door", `{"dynamicGate":{"position":{"x":7,"y":8,"z":9}}}`)
		}},
	}
}
