package property

import "strings"

// Each id that clients choose is for entities of one kind: no document says what a change
// of the kind does.
const (
	idPlain = "a.b-c_1"
	idTyped = "Marker.1"
	idModel = "the-model"
	idGate  = "door"
)

// entityData contains data of entities other than gates.
var entityData = []string{
	`{}`, `{"label":"cat"}`, `{"n":12345678901234567890,"t":"<&>","f":1.50,"z":null}`, `{"position":[1,2,3],"label":null}`,
	`{"scale":2,"glbUrl":"https://elsewhere.example/x.glb"}`, `{"label":{"deep":[[{}]]},"n":-0.5e2}`, `{"":"","ü":"🚪"}`,
	`{"dynamicGate":{"a":1,"b":{"c":2}}}`, `{"dynamicGate":{"b":{"d":3}}}`, `{"dynamicGate":null}`,
}

// gateData contains changes of gates; @s@ is a space.
var gateData = []string{
	`{}`, `{"title":"Out","description":"<i>there</i>"}`, `{"link":"https://example.com/?a=b&c"}`, `{"link":"@s@"}`,
	`{"link":"@s@","platform":"arrival.space"}`, `{"link":"http://example.com","platform":"<auto-detect>"}`,
	`{"link":"https://example.com","platform":"arrival.space"}`, `{"link":"@s@","platform":"<auto-detect>"}`,
	`{"link":"ftp://example.com"}`, `{"platform":"<auto-detect>"}`, `{"platform":"arrival.space"}`,
	`{"title":"","link":"","description":"","videoURL":"","logoURL":"","logoLinkURL":""}`, `{"title":null}`,
	`{"openAsTab":true,"screenSelect":3}`, `{"openAsTab":"yes"}`, `{"screenSelect":"1"}`, `{"title":7}`,
	`{"videoURL":"https://example.com/a.png","content360Enabled":true,"mine":[1]}`,
}

// placeData contains changes of dynamic gates alone.
var placeData = []string{
	`{"dynamicGate":{"position":{"x":7,"y":8.5,"z":-9}}}`, `{"dynamicGate":{"hidden":true}}`,
	`{"dynamicGate":{"scale":{"w":2,"h":3},"mine":1}}`, `{"dynamicGate":{"rotation":{"x":0,"y":90}}}`,
	`{"dynamicGate":{"frameless":"no"}}`, `{"dynamicGate":null}`, `{"dynamicGate":[]}`,
}

const (
	placed    = `"dynamicGate":{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0}}`
	wholeGate = `{"title":"Door",` + placed + `}`
	goneGate  = `{"link":"https://example.com/",` + placed + `}`
)

// link replaces @s@ by a space in the data.
func (g *generator) link(data string) string {
	space := "@s999@"
	if len(g.spaces) > 0 {
		space = one(g, g.spaces...).holder
	}
	return strings.ReplaceAll(data, "@s@", space)
}

func (g *generator) createEntity(s *step) {
	s.Op = opCreateEntity
	space := g.drawSpace(s)
	switch g.IntN(10) {
	case 0, 1: // no id
		s.As, s.Data = g.holder('e'), one(g, entityData...)
		if g.IntN(2) == 0 {
			g.drawFile(s)
		}
		space.entities = append(space.entities, s.As)
	case 2:
		s.Entity, s.Data = idPlain, one(g, entityData...)
	case 3:
		s.Entity, s.Type, s.Data = idTyped, "Marker", one(g, entityData...)
	case 4, 5:
		s.Entity, s.Data = idModel, one(g, entityData...)
		if g.IntN(3) > 0 {
			g.drawFile(s)
		}
	case 6, 7:
		s.Entity, s.Type = idGate, "DynamicGate"
		s.Data = one(g, wholeGate, wholeGate, goneGate, one(g, gateData...), one(g, placeData...))
	case 8:
		s.Entity, s.Type, s.Data = one(g, staticGates...), one(g, "", "Gate"), one(g, gateData...)
	default:
		g.drawOddEntity(s)
	}
	s.Data = g.link(s.Data)
	if g.IntN(10) == 0 && s.Type == "" {
		s.Data = ""
	}
}

// drawOddEntity draws an entity that is refused, or RoomInfo, which exists already.
func (g *generator) drawOddEntity(s *step) {
	s.Data = one(g, entityData...)
	switch g.IntN(4) {
	case 0:
		s.Entity = one(g, "a b", "ü", "a/b", strings.Repeat("x", 129))
	case 1:
		s.Entity, s.Data = idPlain, one(g, `[1]`, `"text"`, `7`)
	case 2:
		s.As, s.Type, s.Data = g.holder('e'), "Gate", `{}`
	default:
		s.Entity = "RoomInfo"
	}
}

// drawEntity draws the id of an entity that may be in the space.
func (g *generator) drawEntity(s *step) {
	space := g.drawSpace(s)
	s.Entity = one(g, idPlain, idTyped, idModel, idGate, idGate, one(g, staticGates...), one(g, staticGates[:2]...), "RoomInfo", "unknown")
	if len(space.entities) > 0 && g.IntN(3) == 0 {
		s.Entity = one(g, space.entities...)
	}
}

func (g *generator) updateEntity(s *step) {
	s.Op = opUpdateEntity
	g.drawEntity(s)
	switch {
	case s.Entity == idGate:
		s.Data = one(g, one(g, gateData...), one(g, placeData...))
	case strings.Count(s.Entity, "-") == 4: // a static gate
		s.Data = one(g, gateData...)
	default:
		s.Data = one(g, entityData...)
	}
	s.Data = g.link(s.Data)
	if g.IntN(15) == 0 {
		s.Data = one(g, "", `[]`, `"text"`)
	}
}

func (g *generator) deleteEntity(s *step) {
	s.Op = opDeleteEntity
	g.drawEntity(s)
}

func (g *generator) readEntity(s *step) {
	s.Op = opEntity
	g.drawEntity(s)
}

func (g *generator) createUpload(s *step) {
	s.Op, s.As = opCreateUpload, g.holder('u')
	s.Name = one(g, "cat.glb", "scan.ply", "My photo.png", "walk.spz", "scene.zip")
	s.Size = one(g, int64(1), 10, 100, 1000, 3000, 4999, 5000)
	switch g.IntN(15) {
	case 0:
		s.Size = one(g, int64(0), -1, 5001)
	case 1:
		s.Name = one(g, "", "notes.exe", "none")
	case 2, 3, 4:
		s.Name = one(g, "scan.ply", "scan.ply", "walk.spz", "tower.sog", "cat.glb", "scene.zip")
		s.Convert = one(g, "sog", "streamed-sog", "spz")
	}
	g.uploads = append(g.uploads, made{holder: s.As, user: s.User, size: s.Size})
}

// upload draws an upload, the user's own most of the time.
func (g *generator) upload(s *step) made {
	if len(g.uploads) == 0 {
		g.createUpload(s)
		return made{}
	}
	upload := one(g, g.uploads...)
	s.Upload = upload.holder
	if g.IntN(6) > 0 {
		s.User = upload.user
	}
	return upload
}

func (g *generator) sendBytes(s *step) {
	if upload := g.upload(s); s.Op == "" {
		s.Op, s.Size = opSend, max(0, upload.size)
	}
}

func (g *generator) deleteFile(s *step) {
	if upload := g.upload(s); s.Op == "" {
		s.Op, s.Upload, s.File = opDeleteFile, "", "@f"+upload.holder[2:]
	}
}

func (g *generator) convertFile(s *step) {
	if upload := g.upload(s); s.Op == "" {
		s.Op, s.Upload, s.File, s.As = opConvertFile, "", "@f"+upload.holder[2:], g.holder('k')
		s.Door, s.API, s.Convert = doorGraphQL, false, one(g, "sog", "sog", "streamed-sog", "spz", "obj")
	}
}

func (g *generator) completeUpload(s *step) {
	if g.upload(s); s.Op == "" {
		s.Op, s.Status = opComplete, one(g, "success", "success", "success", "success", "failed", "canceled", "")
	}
}
