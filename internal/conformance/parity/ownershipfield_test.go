package parity

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/db"
	"portico/internal/testkit/api"
	"portico/internal/testkit/openid"
	"portico/internal/testkit/operations"
	"portico/internal/testkit/world"
	"portico/model"
)

// publicFields are, by type, the fields that everybody may read who may read the object. All others
// are the owner's: a new field is private until its name is here.
var publicFields = map[string][]string{
	"User": {"id", "userId", "name", "handle", "url", "picture", "followed", "spaces"},
	"Space": {
		"id", "spaceId", "owner", "viewerIsOwner", "title", "description", "licence", "viewerMayDownload", "type", "privacy", "url", "slug", "namedUrl", "copiesAllowed", "viewerMayCopy", "template", "isRemix", "origin", "pluginsForVisitors",
		"runsPlugins", "viewerShareLink", "posters", "turntable", "visitCount", "data", "createdAt", "changedAt", "version", "presence", "lock", "entities",
	},
	"Entity": {"id", "entityId", "space", "file", "type", "data", "readUrl", "state", "createdAt", "changedAt", "version"},
	"File": {
		"id", "resourceKey", "name", "contentType", "size", "derivedBytes", "url", "readUrl", "viewUrl", "posterUrl", "posters", "turntable",
		"collisionUrl", "start", "facts", "captures", "preparation", "attribution", "createdAt",
	},
}

// The account has a value for each private field, so a null is a refusal.
func TestOwnership_of_every_field_of_User(t *testing.T) {
	t.Parallel()
	provider := openid.Start(t)
	w := world.Start(t, "--addr=localhost:0", // passkeys need a name instead of an IP address
		"--oidc-issuer="+provider.URL(), "--oidc-client-id="+openid.ClientID, "--oidc-secret="+openid.ClientSecret,
		"--smtp-url=smtp://localhost:1", "--smtp-from=Portico <portico@example.com>") // no worker sends a mail
	callers := newFieldCallers(t, w)
	fillAccount(t, w, callers.owner.ID, provider.URL())
	callers.checkFields(t, "User", `{ object: user(id: "`+callers.owner.ID+`") { %s } }`)
}

// A stranger of a Public space reads the space, its entities, and the files that they show. The
// space of a takedown is Private, so here takedown has no value for anybody.
func TestOwnership_of_every_field_in_a_public_space(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	callers := newFieldCallers(t, w)
	alice := restDoor{callers.owner}
	file, err := alice.upload("cat.glb", "a model")
	check(t, err)
	space, err := alice.createSpace(spaceInput{Title: "Hall"})
	check(t, err)
	_, _, err = alice.createEntity(space.ID, entityInput{ID: "chair", ResourceKey: file.ResourceKey})
	check(t, err)
	check(t, alice.updatePrivacy(space.ID, model.Public))
	check(t, callers.others["a stranger"].GraphQL(`mutation { recordVisit(input: {spaceId: "`+space.ID+`"}) { space { id } } }`, nil, nil))
	entity := `entity(spaceId: "` + space.ID + `", entityId: "chair")`
	callers.checkFields(t, "Space", `{ object: space(id: "`+space.ID+`") { %s } }`, "takedown")
	callers.checkFields(t, "Entity", `{ object: `+entity+` { %s } }`)
	callers.checkFields(t, "File", `{ shown: `+entity+` { object: file { %s } } }`)
}

// fieldCallers are who reads the fields of objects of the owner.
type fieldCallers struct {
	owner  *api.Client
	others map[string]*api.Client
}

func newFieldCallers(t *testing.T, w world.World) fieldCallers {
	t.Helper()
	account := func(name string) *api.Client {
		return w.NewClient(t, model.CreateUser{Email: name + "@example.com", Plan: model.PlanPro, Quota: parityQuota})
	}
	return fieldCallers{account("alice"), map[string]*api.Client{"a stranger": account("bob"), "anonymous": {T: t, URL: w.BaseURL()}}}
}

// checkFields reads each field of a type with the document, in which %s stands for the field of the
// object "object". The owner has a value for each field, except for the fields without.
func (c fieldCallers) checkFields(t *testing.T, kind, document string, without ...string) {
	t.Helper()
	for _, field := range operations.Fields(t, "../../../schema.graphqls", kind) {
		document := fmt.Sprintf(document, field.Selection(nil))
		own := valueOf(t, c.owner, document, field.Name)
		isPublic := slices.Contains(publicFields[kind], field.Name)
		for name, other := range c.others {
			got := valueOf(t, other, document, field.Name)
			isRefused := got == "null" || got == `{"totalCount":0}`
			switch {
			case isPublic && (got == "null") != (own == "null"):
				t.Errorf("%s.%s as %s: got %s, want it shown as to the owner, who gets %s", kind, field.Name, name, got, own)
			case !isPublic && !isRefused:
				t.Errorf("%s.%s as %s: got %s, want it refused", kind, field.Name, name, got)
			case !isPublic && got == own && !slices.Contains(without, field.Name):
				t.Errorf("%s.%s as the owner: got %s as %s does, want a value", kind, field.Name, own, name)
			}
		}
	}
}

// valueOf returns the value of the field in the object of the response to the document.
func valueOf(t *testing.T, caller *api.Client, document, field string) string {
	t.Helper()
	got := caller.Call("POST", "/graphql", map[string]string{"query": document})
	type object map[string]json.RawMessage
	var response struct {
		Data struct {
			Object object
			Shown  struct{ Object object }
		}
	}
	check(t, json.Unmarshal(got.Body, &response))
	for _, found := range []object{response.Data.Object, response.Data.Shown.Object} {
		if value, ok := found[field]; ok {
			return string(value)
		}
	}
	t.Fatalf("%s: got %s, want the field", document, got.Body)
	return ""
}

// fillAccount stores what a new account lacks: a change of its address, one-time codes, a session,
// an identity.
func fillAccount(t *testing.T, w world.World, userID, issuer string) {
	t.Helper()
	ctx := t.Context()
	check(t, w.DB.SignIns().StartEmailChange(ctx, model.Mail{Kind: model.MailConfirm, UserID: userID, To: "moved@example.com", Language: "en"}))
	secret := []byte("sealed")
	check(t, w.DB.SignIns().StartOneTimeCodes(ctx, userID, secret))
	_, err := w.DB.SignIns().ConfirmOneTimeCodes(ctx, userID, secret, 1, nil)
	check(t, err)
	check(t, w.DB.SignIns().AddIdentity(ctx, issuer, "subject", userID))
	user, err := w.DB.Accounts().User(ctx, userID)
	check(t, err)
	check(t, w.DB.SignIns().SaveSession(ctx, db.BrowserSession{
		Token: "token", Data: []byte("{}"), Expires: time.Now().Add(time.Hour), UserID: userID, Version: user.AccessVersion,
	}))
}
