package property

import (
	"regexp"
	"slices"
	"strings"
)

// staticGates are the fixed ids (API section 2, Static gates).
var staticGates = []string{
	"9769e4b4-e5d9-4286-9353-c2c66b158347", "1aef8fd4-6447-4e04-969a-4669c11dd52e",
	"75f16b87-5314-4cdf-a8d5-bb2a8292b687", "608f2483-802b-4fa7-95bb-920bed1431ad",
	"fcc35518-309c-47e1-8d93-d939d6bca475", "404c7fe3-26f1-4fb6-bac7-a50bf1f3cb1a",
	"b9a67fa0-00ce-401d-94c2-4045c4aaec35",
}

var goodEntityID = regexp.MustCompile(`^(@e[0-9]+@|[A-Za-z0-9._-]{1,128})$`)

func (s *ruledSpace) entity(id string) *ruledEntity {
	i := slices.IndexFunc(s.entities, func(e *ruledEntity) bool { return e.id == id })
	if i < 0 {
		return nil
	}
	return s.entities[i]
}

// form returns the form of the entity. The specification does not say what an untouched
// gate contains besides the fields that were sent; empty content equals none.
func (e *ruledEntity) form() entityForm { return entityForm{e.id, e.kind, shownData(e.kind, e.data)} }

func isGate(kind string) bool { return kind == "Gate" || kind == "DynamicGate" }

// gateContent has the JSON kind of each content field (API section 2).
var gateContent = map[string]string{
	"title": "text", "link": "text", "platform": "text", "description": "text", "videoURL": "text", "logoURL": "text",
	"logoLinkURL": "text", "content360Enabled": "bool", "contentSynchronized": "bool", "openAsTab": "bool",
	"enableWebStream": "bool", "enableWebProxy": "bool", "embeddedEnabled": "bool", "screenSelect": "number",
}

// shownData removes the empty content of a gate, and a platform that no link needs.
func shownData(kind string, data map[string]any) map[string]any {
	data = laidOver(nil, data)
	if !isGate(kind) {
		return data
	}
	if link, _ := data["link"].(string); link == "" {
		delete(data, "platform")
	}
	for name := range gateContent {
		if value := data[name]; value == "" || value == false || value == number("0") {
			delete(data, name)
		}
	}
	return data
}

// mergeFields lays the sent fields over the stored ones: by field, and within dynamicGate by
// field again (requirements.md, Entities).
func mergeFields(stored, sent map[string]any) map[string]any {
	data := laidOver(stored, sent)
	if isObject(stored["dynamicGate"]) && isObject(sent["dynamicGate"]) {
		data["dynamicGate"] = laidOver(stored["dynamicGate"].(map[string]any), sent["dynamicGate"].(map[string]any))
	}
	return data
}

// mergeable reports whether dynamicGate is an object, or null, which is stored.
func mergeable(sent map[string]any) bool {
	gate := sent["dynamicGate"]
	return gate == nil || isObject(gate)
}

// change lays the data over an entity, unless a gate would break the rules of gates.
func (e *ruledEntity) change(sent map[string]any) prediction {
	data := mergeFields(e.data, sent)
	if isGate(e.kind) {
		data = mergeFields(e.data, withPlatform(sent))
		if !keepsGateRules(e.kind, data) {
			return refusal(invalid, "")
		}
	}
	e.data = data
	return prediction{}
}

// withPlatform derives the platform from the link if the data has none.
func withPlatform(sent map[string]any) map[string]any {
	link, _ := sent["link"].(string)
	if _, given := sent["platform"]; given || link == "" {
		return sent
	}
	return laidOver(sent, map[string]any{"platform": platformOf(link)})
}

// noPlatform is the platform that fits no link.
const noPlatform = "none"

// platformOf returns the platform that a link needs: "" for an empty link, which fits
// any, and noPlatform for a link that is neither a space nor a URL.
func platformOf(link string) string {
	switch {
	case link == "":
		return ""
	case strings.HasPrefix(link, "http://"), strings.HasPrefix(link, "https://"):
		return "<auto-detect>"
	case strings.HasPrefix(link, "@s"):
		return "arrival.space"
	}
	return noPlatform
}

func keepsGateRules(kind string, data map[string]any) bool {
	for name, want := range gateContent {
		var ok bool
		switch data[name].(type) {
		case nil:
			ok = true
		case string:
			ok = want == "text"
		case bool:
			ok = want == "bool"
		case number:
			ok = want == "number"
		}
		if !ok {
			return false
		}
	}
	link, _ := data["link"].(string)
	if needed := platformOf(link); needed == noPlatform || needed != "" && data["platform"] != needed {
		return false
	}
	return kind != "DynamicGate" || isPlaced(data["dynamicGate"])
}

// isPlaced reports whether a dynamicGate is complete.
func isPlaced(value any) bool {
	gate, ok := value.(map[string]any)
	if !ok {
		return false
	}
	for name, axes := range map[string]string{"position": "xyz", "rotation": "xyz", "scale": "wh"} {
		vector, _ := gate[name].(map[string]any)
		for _, axis := range axes {
			if _, ok := vector[string(axis)].(number); !ok {
				return false
			}
		}
	}
	_, frameless := gate["frameless"].(bool)
	_, hidden := gate["hidden"].(bool)
	return frameless && hidden
}

func (r *rules) createEntity(s step) prediction {
	space, p := r.space(s)
	if s.Entity != "" && !goodEntityID.MatchString(s.Entity) {
		p = p.or(refusal(invalid, ""))
	}
	sent := object(s.Data)
	if s.Data != "" && (sent == nil || !mergeable(sent)) {
		p = p.or(refusal(invalid, ""))
	}
	file, missing := r.file(s)
	if p = p.or(missing); p.isRefusal() {
		return p
	}
	var there *ruledEntity
	if s.Entity != "" {
		there = space.entity(s.Entity)
	}
	switch {
	case there != nil && (s.Type == "Gate" || s.Type == "DynamicGate") && s.Type != there.kind:
		return refusal(invalid, "") // what is there is no such gate
	case there != nil:
		return there.upsert(s, sent, file)
	case s.Type == "Gate", slices.Contains(staticGates, s.Entity):
		return refusal(invalid, "") // static gates cannot be added
	}
	return r.addEntity(space, s, sent, file)
}

// upsert updates the entity if the id exists.
func (e *ruledEntity) upsert(s step, sent map[string]any, file *ruledUpload) prediction {
	if file != nil {
		sent = laidOver(sent, map[string]any{"glbUrl": file.url})
	}
	if p := e.change(sent); p.isRefusal() {
		return p
	}
	if file != nil {
		e.kind = "UserModelEntity"
	}
	return done(e.form())
}

func (r *rules) addEntity(space *ruledSpace, s step, sent map[string]any, file *ruledUpload) prediction {
	e := &ruledEntity{id: s.Entity, kind: "Simple", data: laidOver(nil, sent)}
	if e.id == "" {
		e.id = s.As
	}
	if s.Type != "" {
		e.kind = s.Type
	}
	if file != nil {
		e.kind, e.data = "UserModelEntity", file.entityData(sent)
	}
	if e.kind == "DynamicGate" {
		e.data = withPlatform(e.data)
		if gate, ok := e.data["dynamicGate"].(map[string]any); ok {
			e.data["dynamicGate"] = laidOver(object(`{"scale":{"w":1,"h":1},"frameless":false,"hidden":false}`), gate)
		}
		if !keepsGateRules(e.kind, e.data) {
			return refusal(invalid, "")
		}
	}
	e.sequence = r.next()
	space.add(e)
	p := done(e.form())
	p.status = 201
	return p
}

// ownEntity finds the entity, after its space.
func (r *rules) ownEntity(s step) (*ruledSpace, *ruledEntity, prediction) {
	space, p := r.space(s)
	if p.isRefusal() {
		return nil, nil, p
	}
	e := space.entity(s.Entity)
	if e == nil {
		return nil, nil, refusal(notFound, "Entity not found")
	}
	return space, e, prediction{}
}

// readEntity reads an entity: over GraphQL, everybody may read the entities of a space that they
// may read.
func (r *rules) readEntity(s step) prediction {
	space, p := r.space(s)
	if s.Door == doorGraphQL {
		space, p = r.readable(s)
	}
	if p.isRefusal() {
		return p
	}
	e := space.entity(s.Entity)
	if e == nil {
		return refusal(notFound, "Entity not found")
	}
	return done(e.form())
}

func (r *rules) updateEntity(s step) prediction {
	_, e, p := r.ownEntity(s)
	sent := object(s.Data)
	if sent == nil || !mergeable(sent) {
		p = p.or(refusal(invalid, ""))
	}
	if p.isRefusal() {
		return p
	}
	if p := e.change(sent); p.isRefusal() {
		return p
	}
	return done(e.form())
}

func (r *rules) deleteEntity(s step) prediction {
	space, e, p := r.ownEntity(s)
	if p.isRefusal() {
		return p
	}
	if e.id == "RoomInfo" {
		return refusal(invalid, "")
	}
	space.entities = slices.DeleteFunc(space.entities, func(other *ruledEntity) bool { return other == e })
	return done(doneForm{})
}

// listEntities returns the entities in the order of creation, without RoomInfo. The
// entity endpoints of REST require ownership (API section 4, Entities); in GraphQL
// entities are a field of the space, for everyone who may read the space (schema,
// Space.entities).
func (r *rules) listEntities(s step) prediction {
	space, p := r.space(s)
	if s.Door == doorGraphQL {
		space, p = r.readable(s)
	}
	if p.isRefusal() {
		return p.or(r.page(s, nil))
	}
	var rows []row
	for _, e := range space.entities {
		if e.id != "RoomInfo" {
			rows = append(rows, row{e.sequence, e.form()})
		}
	}
	return r.page(s, rows)
}
