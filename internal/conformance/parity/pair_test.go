package parity

import (
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
	"portico/splat/splattest"
)

// pair is two new accounts behind one door. Alice is Pro.
type pair struct {
	t          testing.TB
	alice, bob door
	anonymous  door        // without a key
	files      *api.Client // alice again, to send bytes with
}

const (
	parityQuota = 2_000_000 // bytes that an account may store
	parityMax   = 5_000_000 // bytes of the largest upload
)

// pair makes two accounts; the number makes their addresses differ.
func newPair(t testing.TB, p world.World, number int, open func(*api.Client) door) pair {
	t.Helper()
	account := func(name string, plan model.Plan) *api.Client {
		unique := name + string(rune('0'+number%10)) + strings.Repeat("x", number/10)
		return p.NewClient(t, model.CreateUser{Email: unique + "@example.com", Name: name, Plan: plan, Quota: parityQuota})
	}
	alice, bob := account("alice", model.PlanPro), account("bob", model.PlanFree)
	return pair{t, open(alice), open(bob), open(&api.Client{T: t, URL: p.BaseURL()}), alice}
}

// must fails the test if the preparation of a row fails.
func (p pair) must(_ any, err error) {
	p.t.Helper()
	check(p.t, err)
}

func (p pair) send(name string, file api.Content) string {
	p.t.Helper()
	return p.files.Put(name, file)
}

// file uploads a small file of alice and returns its resource key.
func (p pair) file(name string) string {
	p.t.Helper()
	confirmed, err := p.alice.upload(name, "content")
	check(p.t, err)
	return confirmed.ResourceKey
}

// zip uploads an archive of alice and returns the id of its job, which has ended.
func (p pair) zip(file api.Content) string {
	p.t.Helper()
	id := p.files.StartJob("scan.zip", file)
	p.files.Await(id)
	return id
}

func (p pair) scan() string {
	return p.zip(api.Capture(p.t, splattest.Capture{Tiles: 2, TileBytes: 100}))
}

// lccOf uploads a capture whose manifest has the name, and returns the resource key of
// the result.
func (p pair) lccOf(manifest string) string {
	p.t.Helper()
	job := p.files.Job(p.zip(api.Capture(p.t, splattest.Capture{Manifest: manifest, Tiles: 1, TileBytes: 100})))
	if job.Result == nil {
		p.t.Fatalf("job: got %+v, want a result", job)
	}
	return job.Result.ResourceKey
}

// hub creates a hub space of alice and returns its id.
func (p pair) hub() string {
	p.t.Helper()
	space, err := p.alice.createSpace(spaceInput{Title: "Hub", Type: "hub"})
	check(p.t, err)
	return space.ID
}

func (p pair) create(space string, in entityInput) (any, error) {
	entity, created, err := p.alice.createEntity(space, in)
	return []any{entity, created}, err
}

func gate(placed string) entityInput {
	return entityInput{ID: "door", Type: "DynamicGate", Data: `{"title":"Door","dynamicGate":` + placed + `}`}
}

// privacy sets the privacy of a new space of the door's caller.
func (p pair) privacy(d door, privacy model.Privacy) (any, error) {
	space, err := d.createSpace(spaceInput{})
	p.must(space, err)
	if err := d.updatePrivacy(space.ID, privacy); err != nil {
		return nil, err
	}
	return d.space(space.ID)
}
