package parity

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"slices"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// The tests call each operation of openapi.yaml, each field of schema.graphqls and each tool of MCP
// as anonymous, as a stranger and as the owner. The operations come from the documents, so a new
// operation fails its test until the table of its door has a row for it.

// access is the response of an operation to callers who may not use it.
type access struct {
	// public means that callers without a key may call the operation. For all others they get
	// CodeUnauthenticated.
	public bool
	// noOwner says why there is no stranger: the operation names no object, or one that everybody
	// may use. Then only the call without a key is made.
	noOwner string
	// stranger is the code for another account. owner is the code for the owner, whose call
	// succeeds if it is empty.
	stranger, owner model.Code
	// turn is when the owner makes the call, because some calls need what others end.
	turn turn
	// values are the arguments that only this operation has.
	values map[string]any
	// query and body are the query and the body of a request of REST.
	query string
	body  any
}

// turn orders the calls of the owner.
type turn int

const (
	anyTurn    turn = iota
	lockTurn        // a locked space refuses the calls before
	unlockTurn      // needs the lock
	endTurn         // ends an object
	spaceTurn       // ends the space with everything in it
)

// The operations without an owner.
var (
	ownAccount = access{noOwner: "it is about the account of the caller"}
	ownList    = access{noOwner: "it lists objects of the caller"}
	adds       = access{noOwner: "it adds an object to the account of the caller"}
	anybody    = access{noOwner: "it is about a profile, which every account may see"}
)

// The usual responses to a stranger: the API names spaces with 403, and does not reveal the others.
var (
	forbidden = access{stranger: model.CodeForbidden}
	notFound  = access{stranger: model.CodeNotFound}
)

// attempt is an operation of one door.
type attempt struct {
	name string
	access
	call func(c *api.Client) error
}

// owned are objects of an owner, and three callers.
type owned struct {
	anonymous, stranger, owner *api.Client
	// The space is Private and contains the entity. The job is queued, because no worker runs.
	space, entity, file, job, webhook, link, avatar string
	// avatarFiles are the fields of the avatar's files.
	avatarFiles map[string]any
	// upload and discarded are the addresses of two uploads that are not confirmed.
	upload, discarded string
}

// newOwned starts a server and creates the objects.
func newOwned(t *testing.T) owned {
	t.Helper()
	w := world.Start(t)
	account := func(name string) *api.Client {
		return w.NewClient(t, model.CreateUser{Email: name + "@example.com", Plan: model.PlanPro, Quota: parityQuota})
	}
	o := owned{anonymous: &api.Client{T: t, URL: w.BaseURL()}, stranger: account("bob"), owner: account("alice"), entity: "chair"}
	alice := restDoor{o.owner}
	space, err := alice.createSpace(spaceInput{Title: "Hall"})
	check(t, err)
	o.space = space.ID
	_, _, err = alice.createEntity(o.space, entityInput{ID: o.entity, Data: `{}`})
	check(t, err)
	_, err = alice.versions(o.space) // records version 1
	check(t, err)
	file, err := alice.upload("cat.json", "{}")
	check(t, err)
	o.file = file.ResourceKey
	o.upload = o.owner.Put("dog.json", api.Text("{}"))
	o.discarded = o.owner.Put("cow.json", api.Text("{}"))
	o.job = o.owner.StartJob("scan.zip", api.Text("this job never runs"))
	var webhook struct{ ID string }
	check(t, o.owner.GraphQL(`mutation { createWebhook(input: {url: "https://example.com/", events: [JOB_ENDED]}) { webhook { id } } }`, nil, &webhook))
	o.webhook = webhook.ID
	var link struct{ ShareLinkID string }
	check(t, o.owner.GraphQL(`mutation($id: ID!) { createShareLink(input: {spaceId: $id, name: "Client"}) { shareLink { shareLinkId } } }`,
		map[string]any{"id": o.space}, &link))
	o.link = link.ShareLinkID
	figure, err := alice.upload("figure.glb", "glTF")
	check(t, err)
	capture, err := alice.upload("person.spz", "spz")
	check(t, err)
	o.avatarFiles = map[string]any{
		"glb": figure.ResourceKey, "splat": capture.ResourceKey, "binding": capture.ResourceKey, "fit": capture.ResourceKey,
	}
	avatar, err := alice.createAvatar(avatarInput{
		GLB: figure.ResourceKey, Splat: capture.ResourceKey, Binding: capture.ResourceKey, Fit: capture.ResourceKey,
	})
	check(t, err)
	o.avatar = avatar.ID
	return o
}

// check makes the calls. First the anonymous caller and the stranger are refused everywhere, then the
// owner is not.
func (o owned) check(t *testing.T, table map[string]access, attempts []attempt) {
	t.Helper()
	slices.SortStableFunc(attempts, func(a, b attempt) int { return cmp.Compare(a.turn, b.turn) })
	seen := map[string]bool{}
	for _, a := range attempts {
		seen[a.name] = true
		row, ok := table[a.name]
		if !ok {
			t.Errorf("%s: got no row in the table of the door, want one", a.name)
			continue
		}
		if !row.public {
			wantCode(t, a, "anonymous", a.call(o.anonymous), model.CodeUnauthenticated)
		}
		if row.noOwner == "" {
			wantCode(t, a, "a stranger", a.call(o.stranger), row.stranger)
		}
	}
	for _, a := range attempts {
		if a.noOwner == "" {
			wantCode(t, a, "the owner", a.call(o.owner), a.owner)
		}
	}
	for name := range table {
		if !seen[name] {
			t.Errorf("%s: got a row, but the door has no such operation", name)
		}
	}
}

// wantCode checks the code of a refusal; an empty code wants none.
func wantCode(t *testing.T, a attempt, caller string, err error, want model.Code) {
	t.Helper()
	got := model.Code("")
	if refusal, ok := errors.AsType[*api.Refusal](err); ok {
		got = refusal.Code
	} else if err != nil {
		t.Fatalf("%s as %s: %v", a.name, caller, err)
	}
	if got != want {
		t.Errorf("%s as %s: got %v, want code %q", a.name, caller, err, want)
	}
}

// emptyArchive is the archive of a space without entities.
func emptyArchive(t *testing.T) string {
	t.Helper()
	var content bytes.Buffer
	archive := zip.NewWriter(&content)
	_, err := archive.Create("space/README.md")
	check(t, errors.Join(err, archive.Close()))
	return content.String()
}
