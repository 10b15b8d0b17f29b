package space_test

import (
	"strings"
	"testing"

	"portico/splat"
)

// TestSpace visits spaces of one server, one after the other: each browser draws without a
// GPU and keeps the machine busy.
func TestSpace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	room := s.upload("room.ply", newRoom())
	cube := s.upload("cube.glb", newCube())
	picture := s.upload("picture.png", newPicture())
	sound := s.upload("sound.wav", newSound())
	roomGLB := s.upload("room.glb", export(t, newRoom(), splat.FormatGLB))
	s.awaitCapture(room)
	s.awaitCapture(roomGLB)

	t.Run("shows a capture to strangers", func(t *testing.T) {
		s.visit(t, "capture.mjs", map[string]any{
			"space": s.newSpace("A room", "infinite", room), "glTF": s.newSpace("A room", "infinite", roomGLB),
		})
	})
	t.Run("shows each format as the engine draws its source", s.visitFormats)
	t.Run("stops walkers at walls", func(t *testing.T) {
		s.visit(t, "walk.mjs", map[string]any{"space": s.newSpace("A room", "infinite", room)})
	})
	t.Run("moves visitors with a headset", func(t *testing.T) {
		s.visit(t, "headset.mjs", map[string]any{"space": s.newSpace("The hub", "hub", "")})
	})
	t.Run("shows models, pictures, videos and sounds at their places", func(t *testing.T) {
		space := s.newSpace("Things", "infinite", "")
		s.put(space, at("cube", cube, 2, 1.5, -2))
		s.put(space, at("picture", picture, -2, 1.5, -2))
		s.put(space, at("sound", sound, 0, 1.5, -2))
		s.visit(t, "things.mjs", map[string]any{"space": space})
	})
	t.Run("leads through gates and back", func(t *testing.T) {
		behind := s.newSpace("The room", "infinite", room)
		hub := s.newSpace("The hub", "hub", "")
		const ahead = "608f2483-802b-4fa7-95bb-920bed1431ad"
		s.Call("PUT", "/v1/spaces/"+hub+"/entities/"+ahead, map[string]any{"entity_data": map[string]any{"link": behind}}).Want(200, nil)
		s.put(hub, map[string]any{"entity_type": "DynamicGate", "entity_data": map[string]any{
			"title": "Elsewhere", "link": "https://elsewhere.example/page?a=b",
			"dynamicGate": map[string]any{"position": map[string]any{"x": 4, "y": 0, "z": 2}, "rotation": map[string]any{"x": 0, "y": 0, "z": 0}},
		}})
		page := newPage(t)
		s.put(hub, map[string]any{"entity_type": "DynamicGate", "entity_data": map[string]any{
			"title": "Shown here", "link": page, "embeddedEnabled": true,
			"dynamicGate": map[string]any{"position": map[string]any{"x": -4, "y": 0, "z": 2}, "rotation": map[string]any{"x": 0, "y": 0, "z": 0}},
		}})
		s.visit(t, "gates.mjs", map[string]any{"space": hub, "behind": behind, "page": page})
	})
	t.Run("follows the changes of its owner", func(t *testing.T) {
		space, doomed := s.newSpace("Live", "infinite", ""), s.newSpace("Doomed", "infinite", "")
		s.put(space, at("cube", cube, 2, 1.5, -2))
		s.visit(t, "live.mjs", map[string]any{"space": space, "doomed": doomed, "cube": cube})
	})
	t.Run("runs plugins that can do no harm", func(t *testing.T) {
		mjs := func(name, source string) string { return s.upload(name+".mjs", []byte(source)) }
		friendly, other := mjs("friendly", friendlyPlugin), mjs("other", "export default () => {};")
		space := s.newSpace("Plugins", "infinite", "")
		entity := at("friendly", friendly, 0, 1.5, 0)
		entity["entity_data"].(map[string]any)["params"] = map[string]any{"greeter": "Ada"}
		s.put(space, entity)
		files := strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/files/" + s.ID + "/"
		s.visit(t, "plugins.mjs", map[string]any{
			"space": space, "hostile": mjs("hostile", hostilePlugin), "flood": mjs("flood", floodPlugin), "loop": mjs("loop", loopPlugin),
			"target": map[string]any{
				"server": s.URL, "elsewhere": "http://127.0.0.1:1/elsewhere", "file": files + cube, "other": files + other,
			},
		})
	})
	t.Run("lets its owner edit", func(t *testing.T) {
		space := s.newSpace("Edited", "infinite", "")
		s.put(space, at("cube", cube, 2, 1.5, -2))
		s.put(space, at("picture", picture, -2, 1.5, -2))
		s.visit(t, "edit.mjs", map[string]any{"space": space})
	})
	t.Run("shows visitors to each other", func(t *testing.T) {
		space := s.newSpace("Met", "infinite", "")
		s.put(space, at("cube", cube, 0, -50, 0))
		s.visit(t, "visitors.mjs", map[string]any{"space": space})
	})
	t.Run("has a list of what stands in it", func(t *testing.T) {
		space := s.newSpace("Listed", "infinite", "")
		s.put(space, at("cube", cube, 2, 1.5, -2))
		s.put(space, at("picture", picture, -2, 1.5, -2))
		s.visit(t, "contents.mjs", map[string]any{"space": space})
	})
}

// at returns an entity that shows a file at a place.
func at(id, resourceKey string, x, y, z float64) map[string]any {
	return map[string]any{"entity_id": id, "resource_key": resourceKey, "entity_data": map[string]any{"position": []float64{x, y, z}}}
}
