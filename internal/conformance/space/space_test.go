package space_test

import (
	"strings"
	"testing"

	"portico/splat"
)

// maxVisits is the maximum number of simultaneous visits. Each browser draws without a GPU, and
// waits for the server and for timers of the page; more of them would take as long.
const maxVisits = 2

// TestSpace visits spaces of one server.
func TestSpace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	f := files{
		room: s.upload("room.ply", newRoom()), roomGLB: s.upload("room.glb", export(t, newRoom(), splat.FormatGLB, splat.ConvertOptions{})),
		cube: s.upload("cube.glb", newCube()), picture: s.upload("picture.png", newPicture()), sound: s.upload("sound.wav", newSound()),
	}
	visits := make(chan struct{}, maxVisits)
	for _, test := range []struct {
		name  string
		visit func(site, *testing.T, files)
	}{
		{"shows each format as the engine draws its source", site.visitFormats},
		{"runs plugins that can do no harm", site.visitPlugins},
		{"runs plugins of several files", func(s site, t *testing.T, _ files) { s.visitFolder(t, nil) }},
		{"lets its owner edit", site.visitAsOwner},
		{"leads through gates and back", site.visitGates},
		{"shows a capture to strangers", site.visitCapture},
		{"shows visitors to each other", site.meet},
		{"has a list of its content", site.visitList},
		{"stops walkers at walls", site.walk},
		{"moves visitors with a headset", site.visitWithHeadset},
		{"shows models, pictures, videos and sounds at their places", site.visitThings},
		{"guides visitors by annotations, tours and paths", site.visitTours},
		{"looks as its owner wants", site.visitLooks},
		{"measures, and keeps visitors where they may go", site.visitMeasures},
		{"lets its owner clean up a capture", site.visitCleanUp},
		{"follows the changes of its owner", site.visitLive},
		{"begins as its poster, and offers to turn what lies", site.visitUpright},
		{"works in frames without an origin and on isolated pages", site.visitInFrames},
		{"talks to the page around its frame", site.visitEmbedded},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			visits <- struct{}{}
			defer func() { <-visits }()
			test.visit(s.forTest(t), t, f)
		})
	}
}

// files are the resource keys of the files that the spaces show.
type files struct{ room, roomGLB, cube, picture, sound string }

func (s site) visitCapture(t *testing.T, f files) {
	s.awaitCapture(f.room)
	s.awaitCapture(f.roomGLB)
	s.visit(t, "capture.mjs", map[string]any{
		"space": s.newSpace("A room", "infinite", f.room), "glTF": s.newSpace("A room", "infinite", f.roomGLB),
	})
}

func (s site) walk(t *testing.T, f files) {
	ledge := s.upload("ledge.ply", newLedge())
	s.awaitCapture(f.room)
	s.awaitCapture(ledge)
	s.visit(t, "walk.mjs", map[string]any{
		"space": s.newSpace("A room", "infinite", f.room), "ledge": s.newSpace("A ledge", "infinite", ledge),
	})
}

func (s site) visitWithHeadset(t *testing.T, f files) {
	s.visit(t, "headset.mjs", map[string]any{
		"space": s.newSpace("The hub", "hub", ""), "guided": s.newSpace("A guided hub", "hub", ""), "picture": f.picture, "sound": f.sound,
	})
}

func (s site) visitThings(t *testing.T, f files) {
	space := s.newSpace("Things", "infinite", "")
	s.put(space, at("cube", f.cube, 2, 1.5, -2))
	s.put(space, at("picture", f.picture, -2, 1.5, -2))
	s.put(space, at("sound", f.sound, 0, 1.5, -2))
	s.visit(t, "things.mjs", map[string]any{"space": space, "repeated": map[string]any{
		"plain": s.newSpace("Repeated", "infinite", ""), "meshopt": s.newSpace("Repeated and compressed", "infinite", ""),
	}})
}

func (s site) visitInFrames(t *testing.T, f files) {
	space := s.newSpace("Framed", "infinite", "")
	s.put(space, at("cube", f.cube, 2, 1.5, -2))
	s.visit(t, "frames.mjs", map[string]any{"space": space, "host": newHost(t, s.URL)})
}

func (s site) visitEmbedded(t *testing.T, f files) {
	space := s.newSpace("Embedded", "infinite", "")
	s.put(space, at("cube", f.cube, 2, 1.5, -2))
	s.visit(t, "embed.mjs", map[string]any{"space": space, "host": newHost(t, s.URL)})
}

func (s site) visitGates(t *testing.T, f files) {
	s.awaitCapture(f.room)
	behind := s.newSpace("The room", "infinite", f.room)
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
	plain := s.newSpace("A cube", "infinite", "")
	s.put(plain, at("cube", f.cube, 0, 0.5, 0))
	s.put(hub, map[string]any{"entity_type": "DynamicGate", "entity_data": map[string]any{
		"link": plain, "dynamicGate": map[string]any{"position": map[string]any{"x": 4, "y": 0, "z": -4}, "rotation": map[string]any{"x": 0, "y": 0, "z": 0}},
	}})
	apart := s.newSpace("Gates far apart", "infinite", "")
	for _, x := range []float64{-90, 0, 5, 60} {
		s.put(apart, map[string]any{"entity_type": "DynamicGate", "entity_data": map[string]any{
			"link": behind, "dynamicGate": map[string]any{"position": map[string]any{"x": x, "y": 0, "z": 100}, "rotation": map[string]any{"x": 0, "y": 0, "z": 0}},
		}})
	}
	s.visit(t, "gates.mjs", map[string]any{"space": hub, "behind": behind, "plain": plain, "page": page, "apart": apart})
}

func (s site) visitLive(t *testing.T, f files) {
	space, doomed := s.newSpace("Live", "infinite", ""), s.newSpace("Doomed", "infinite", "")
	s.put(space, at("cube", f.cube, 2, 1.5, -2))
	s.visit(t, "live.mjs", map[string]any{"space": space, "doomed": doomed, "cube": f.cube, "takedown": s.takedown(t, space)})
}

func (s site) visitPlugins(t *testing.T, f files) {
	mjs := func(name, source string) string { return s.upload(name+".mjs", []byte(source)) }
	friendly, other := mjs("friendly", friendlyPlugin), mjs("other", "export default () => {};")
	space := s.newSpace("Plugins", "infinite", "")
	entity := at("friendly", friendly, 0, 1.5, 0)
	entity["entity_data"].(map[string]any)["params"] = map[string]any{"greeter": "Ada"}
	s.put(space, entity)
	stored := strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + "/files/" + s.ID + "/"
	s.visit(t, "plugins.mjs", map[string]any{
		"space": space, "hostile": mjs("hostile", hostilePlugin), "flood": mjs("flood", floodPlugin), "loop": mjs("loop", loopPlugin),
		"target": map[string]any{
			"server": s.URL, "elsewhere": "http://127.0.0.1:1/elsewhere", "file": stored + f.cube, "other": stored + other,
		},
	})
}

func (s site) visitAsOwner(t *testing.T, f files) {
	space := s.newSpace("Edited", "infinite", "")
	s.put(space, at("cube", f.cube, 2, 1.5, -2))
	s.put(space, at("picture", f.picture, -2, 1.5, -2))
	s.visit(t, "edit.mjs", map[string]any{"space": space, "hub": s.newSpace("A hub", "hub", ""), "empty": s.newSpace("Empty", "infinite", "")})
}

func (s site) meet(t *testing.T, f files) {
	space := s.newSpace("Met", "infinite", "")
	s.put(space, at("cube", f.cube, 0, -50, 0))
	s.visit(t, "visitors.mjs", map[string]any{"space": space})
}

func (s site) visitList(t *testing.T, f files) {
	space := s.newSpace("Listed", "infinite", "")
	s.put(space, at("cube", f.cube, 2, 1.5, -2))
	s.put(space, at("picture", f.picture, -2, 1.5, -2))
	s.visit(t, "contents.mjs", map[string]any{"space": space})
}

// at returns an entity that shows a file at a place.
func at(id, resourceKey string, x, y, z float64) map[string]any {
	return map[string]any{"entity_id": id, "resource_key": resourceKey, "entity_data": map[string]any{"position": []float64{x, y, z}}}
}

func (s site) visitTours(t *testing.T, f files) {
	s.visit(t, "tours.mjs", map[string]any{"space": s.newSpace("A tour", "infinite", f.cube), "picture": f.picture})
}

func (s site) visitLooks(t *testing.T, f files) {
	s.awaitCapture(f.room)
	s.visit(t, "looks.mjs", map[string]any{"space": s.newSpace("A look", "infinite", f.cube), "room": s.newSpace("A lit room", "infinite", f.room), "picture": f.picture})
}

func (s site) visitMeasures(t *testing.T, f files) {
	s.awaitCapture(f.room)
	s.visit(t, "measures.mjs", map[string]any{"space": s.newSpace("A measured room", "infinite", f.room), "object": s.newSpace("An object", "infinite", f.cube)})
}

func (s site) visitCleanUp(t *testing.T, f files) {
	s.awaitCapture(f.room)
	space := s.newSpace("Cleaned up", "infinite", "")
	s.put(space, at("room", f.room, 0, 0, 0))
	s.visit(t, "clean.mjs", map[string]any{"space": space})
}
