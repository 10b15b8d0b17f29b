package main

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/model"
	"portico/server"
	"portico/splat/splattest"
)

// doors are the ways to the core that must give the same answers.
var doors = []struct {
	name string
	open func(*client) door
}{
	{"REST", func(c *client) door { return restDoor{c} }},
	{"GraphQL", func(c *client) door { return graphDoor{c} }},
	{"MCP", func(c *client) door { return mcpDoor{c} }},
}

// pair is two accounts that nobody has used, behind one door. Alice is Pro.
type pair struct {
	t          testing.TB
	alice, bob door
	nobody     door    // without a key
	files      *client // alice again, to send bytes with
}

const (
	parityQuota = 2_000_000
	parityMax   = 5_000_000
)

// parity has a row for every operation and every way in which it is refused.
var parity = []struct {
	name string
	run  func(p pair) (any, error)
}{
	{"viewer", func(p pair) (any, error) { return p.alice.viewer() }},
	{"create upload", func(p pair) (any, error) {
		upload, err := p.alice.createUpload("cat.png", 3)
		upload.URL, _, _ = strings.Cut(upload.URL, "?")
		return upload, err
	}},
	{"create upload of nothing", func(p pair) (any, error) { return p.alice.createUpload("cat.png", 0) }},
	{"create upload without a name", func(p pair) (any, error) { return p.alice.createUpload("", 1) }},
	{"create upload of another format", func(p pair) (any, error) { return p.alice.createUpload("cat.exe", 1) }},
	{"create upload over the quota", func(p pair) (any, error) { return p.alice.createUpload("cat.png", parityQuota+1) }},
	{"create upload that is too large", func(p pair) (any, error) { return p.alice.createUpload("cat.png", parityMax+1) }},
	{"complete upload", func(p pair) (any, error) { return p.alice.completeUpload("success", p.send("cat.png", text("cat"))) }},
	{"complete upload that was given up", func(p pair) (any, error) {
		return p.alice.completeUpload("failed", p.send("cat.png", text("cat")))
	}},
	{"complete upload of another user", func(p pair) (any, error) {
		return p.bob.completeUpload("success", p.send("cat.png", text("cat")))
	}},
	{"complete upload without bytes", func(p pair) (any, error) {
		address, _, _ := strings.Cut(p.files.promise("cat.png", 3).URL, "?")
		return p.alice.completeUpload("success", address)
	}},
	{"complete upload elsewhere", func(p pair) (any, error) {
		return p.alice.completeUpload("success", "https://elsewhere.example/x.png")
	}},
	{"complete upload without an address", func(p pair) (any, error) { return p.alice.completeUpload("success", "") }},
	{"upload", func(p pair) (any, error) { return p.alice.upload("My cat.json", `{"t":"<&>é"}`) }},
	{"upload without a name", func(p pair) (any, error) { return p.alice.upload("", "cat") }},
	{"upload of another format", func(p pair) (any, error) { return p.alice.upload("cat.exe", "cat") }},
	{"upload over the quota", func(p pair) (any, error) {
		return p.alice.upload("cat.json", strings.Repeat("x", parityQuota+1))
	}},
	{"upload that is too large", func(p pair) (any, error) {
		return p.alice.upload("cat.json", strings.Repeat("x", parityMax+1))
	}},
	{"files", func(p pair) (any, error) {
		p.file("one.png")
		p.file("two words.glb")
		return p.alice.files()
	}},
	{"upload of another script", func(p pair) (any, error) { return p.alice.upload("Küche 客厅.json", "{}") }},
	{"create space from a file of another script", func(p pair) (any, error) {
		space, err := p.alice.createSpace(spaceInput{ResourceKey: p.file("客厅.glb")})
		if err != nil {
			return nil, err
		}
		page, err := p.alice.entities(space.ID, 50, "")
		return []any{space, page}, err
	}},
	{"create entity of a result of another script", func(p pair) (any, error) {
		return p.create(p.hub(), entityInput{ResourceKey: p.lccOf("客厅.lcc2")})
	}},
	{"job with a result of another script", func(p pair) (any, error) {
		return p.alice.job(p.zip(capture(p.t, splattest.Capture{Manifest: "Küche.lcc2", Tiles: 1, TileBytes: 100})))
	}},
	{"files of a new user", func(p pair) (any, error) { return p.bob.files() }},
	{"job", func(p pair) (any, error) { return p.alice.job(p.scan()) }},
	{"job that fails", func(p pair) (any, error) { return p.alice.job(p.zip(text("no zip at all"))) }},
	{"job of another user", func(p pair) (any, error) { return p.bob.job(p.scan()) }},
	{"job unknown", func(p pair) (any, error) { return p.alice.job("unknown") }},
	{"jobs", func(p pair) (any, error) {
		p.scan()
		p.zip(text("no zip at all"))
		return p.alice.jobs()
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
	{"create space with NUL", func(p pair) (any, error) { return p.alice.createSpace(spaceInput{Title: "a\x00"}) }},
	{"create entity of an unknown file", func(p pair) (any, error) {
		return p.create(p.hub(), entityInput{ResourceKey: "api_uploads/unknown.glb"})
	}},
	{"create entity in an unknown space", func(p pair) (any, error) { return p.create("10000000_x", entityInput{}) }},
	{"create entity in another user's space", func(p pair) (any, error) {
		entity, created, err := p.bob.createEntity(p.hub(), entityInput{})
		return []any{entity, created}, err
	}},
	{"create dynamic gate", func(p pair) (any, error) {
		return p.create(p.hub(), gate(`{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0}}`))
	}},
	{"create dynamic gate without a place", func(p pair) (any, error) { return p.create(p.hub(), gate(`{}`)) }},
	{"create static gate", func(p pair) (any, error) { return p.create(p.hub(), entityInput{Type: "Gate"}) }},
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
	{"gate to a link with a percent sign", func(p pair) (any, error) {
		return p.alice.updateEntity(p.hub(), model.StaticGateIDs[2], `{"link":"https://example.com/50%off"}`)
	}},
	{"gate to a space as clients link it", func(p pair) (any, error) {
		return p.alice.updateEntity(p.hub(), model.StaticGateIDs[2], `{"link":"custom.travel.center.10000001_abc"}`)
	}},
	{"entities with a bad cursor", func(p pair) (any, error) { return p.alice.entities(p.hub(), 10, "bad") }},
	{"entities of another user", func(p pair) (any, error) { return p.bob.entities(p.hub(), 10, "") }},
	{"entities of an unknown space", func(p pair) (any, error) { return p.alice.entities("10000000_x", 10, "") }},
	{"update gate", func(p pair) (any, error) {
		return p.alice.updateEntity(p.hub(), model.StaticGateIDs[3], `{"title":"Out","link":"https://example.com/?a=b&c","openAsTab":true}`)
	}},
	{"update gate against its link", func(p pair) (any, error) {
		return p.alice.updateEntity(p.hub(), model.StaticGateIDs[3], `{"link":"https://example.com","platform":"arrival.space"}`)
	}},
	{"update gate with a script", func(p pair) (any, error) {
		return p.alice.updateEntity(p.hub(), model.StaticGateIDs[0], `{"logoLinkURL":" Java\tScript:alert(1)"}`)
	}},
	{"create dynamic gate with a script", func(p pair) (any, error) {
		door := gate(`{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0},"looks":{"icon":["data:text/html,x"]}}`)
		return p.create(p.hub(), door)
	}},
	{"update gate with a wrong type", func(p pair) (any, error) {
		return p.alice.updateEntity(p.hub(), model.StaticGateIDs[0], `{"openAsTab":"yes"}`)
	}},
	{"move dynamic gate", func(p pair) (any, error) {
		hub := p.hub()
		p.must(p.create(hub, gate(`{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0},"hidden":true}`)))
		return p.alice.updateEntity(hub, "door", `{"dynamicGate":{"position":{"x":7,"y":8,"z":9}}}`)
	}},
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
	{"upload not signed in", func(p pair) (any, error) { return p.nobody.upload("cat.json", "cat") }},
	{"viewer not signed in", func(p pair) (any, error) { return p.nobody.viewer() }},
	{"create upload not signed in", func(p pair) (any, error) { return p.nobody.createUpload("cat.png", 3) }},
	{"files not signed in", func(p pair) (any, error) { return p.nobody.files() }},
	{"jobs not signed in", func(p pair) (any, error) { return p.nobody.jobs() }},
	{"create space not signed in", func(p pair) (any, error) { return p.nobody.createSpace(spaceInput{}) }},
	{"space not signed in", func(p pair) (any, error) { return p.nobody.space(p.hub()) }},
	{"entity not signed in", func(p pair) (any, error) { return p.nobody.entity(p.hub(), "RoomInfo") }},
}

func TestParity(t *testing.T) {
	t.Parallel()
	p := runProgram(t)
	for i, row := range parity {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var first string
			for j, door := range doors {
				got := neutral(t, row.run)(newPair(t, p, i*len(doors)+j, door.open))
				if got == "" { // the door has no such operation
					continue
				}
				if j == 0 {
					first = got
				} else if diff := cmp.Diff(first, got); diff != "" {
					t.Errorf("%s answers otherwise than %s (-%[2]s +%[1]s):\n%s", door.name, doors[0].name, diff)
				}
			}
		})
	}
}

// pair makes two accounts; the number makes their addresses differ.
func newPair(t testing.TB, p *server.Program, number int, open func(*client) door) pair {
	t.Helper()
	account := func(name string, plan model.Plan) *client {
		in := model.CreateUser{Email: name + string(rune('0'+number%10)) + strings.Repeat("x", number/10) + "@example.com", Name: name, Plan: plan, Quota: parityQuota}
		check(t, in.Validate())
		user, err := p.DB.CreateUser(t.Context(), in)
		check(t, err)
		key, err := p.Keys.Key(t.Context(), user.ID)
		check(t, err)
		return &client{t: t, url: p.BaseURL(), id: user.ID, key: key}
	}
	alice, bob := account("alice", model.PlanPro), account("bob", model.PlanFree)
	return pair{t, open(alice), open(bob), open(&client{t: t, url: p.BaseURL()}), alice}
}

// unlike are the parts that no two answers share: ids, addresses and moments.
var unlike = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`(alice|bob)[0-9]x*@`), "$1@"},
	{regexp.MustCompile(`[0-9]{8}_[A-Za-z0-9]+`), "SPACE"},
	{regexp.MustCompile(`api_uploads/[a-z0-9]+`), "api_uploads/TOKEN"},
	{regexp.MustCompile(`user-model-[0-9a-f]{16}`), "user-model-ID"},
	{regexp.MustCompile(`\b[0-9]{8}\b`), "USER"},
}

// uuid is an id that was made, unless it is that of a static gate.
var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func withoutUUID(id string) string {
	if model.IsStaticGateID(id) {
		return id
	}
	return "UUID"
}

// neutral runs a row and writes its answer, or its refusal, in one form; "" where
// the door has no such operation.
func neutral(t testing.TB, run func(pair) (any, error)) func(pair) string {
	return func(p pair) string {
		t.Helper()
		got, err := run(p)
		if errors.Is(err, errNoTool) {
			return ""
		}
		if err != nil {
			refused, ok := errors.AsType[*refusal](err)
			if !ok {
				t.Fatal(err)
			}
			got = refused
		}
		b, err := json.MarshalIndent(got, "", "  ")
		check(t, err)
		answer := uuid.ReplaceAllStringFunc(string(b), withoutUUID)
		for _, part := range unlike {
			answer = part.form.ReplaceAllString(answer, part.name)
		}
		return answer
	}
}

// must fails the test where a row's own preparation does.
func (p pair) must(_ any, err error) {
	p.t.Helper()
	check(p.t, err)
}

func (p pair) send(name string, file content) string {
	p.t.Helper()
	return p.files.put(name, file)
}

// file uploads a small file of alice and returns its resource key.
func (p pair) file(name string) string {
	p.t.Helper()
	confirmed, err := p.alice.upload(name, "content")
	check(p.t, err)
	return confirmed.ResourceKey
}

// zip uploads an archive of alice and returns the id of its job, which has ended.
func (p pair) zip(file content) string {
	p.t.Helper()
	id := p.files.startJob("scan.zip", file)
	p.files.await(id)
	return id
}

func (p pair) scan() string {
	return p.zip(capture(p.t, splattest.Capture{Tiles: 2, TileBytes: 100}))
}

// lccOf uploads a capture whose manifest has the name, and returns the resource key
// of what came of it.
func (p pair) lccOf(manifest string) string {
	p.t.Helper()
	job := p.files.job(p.zip(capture(p.t, splattest.Capture{Manifest: manifest, Tiles: 1, TileBytes: 100})))
	if job.Result == nil {
		p.t.Fatalf("job: got %+v, want a result", job)
	}
	return job.Result.ResourceKey
}

// hub makes a hub space of alice.
func (p pair) hub() string {
	p.t.Helper()
	space, err := p.alice.createSpace(spaceInput{Title: "Hub", Type: "hub"})
	check(p.t, err)
	return space.ID
}

// create makes an entity of alice.
func (p pair) create(space string, in entityInput) (any, error) {
	entity, created, err := p.alice.createEntity(space, in)
	return []any{entity, created}, err
}

func gate(placed string) entityInput {
	return entityInput{ID: "door", Type: "DynamicGate", Data: `{"title":"Door","dynamicGate":` + placed + `}`}
}

// privacy sets the privacy of a space of the door's own.
func (p pair) privacy(d door, privacy model.Privacy) (any, error) {
	space, err := d.createSpace(spaceInput{})
	p.must(space, err)
	if err := d.updatePrivacy(space.ID, privacy); err != nil {
		return nil, err
	}
	return d.space(space.ID)
}
