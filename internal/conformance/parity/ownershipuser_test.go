package parity

import (
	"encoding/json"
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

// publicFields are the fields of User that everybody may read. All others belong to the account: a
// new field is private until its name is here.
var publicFields = []string{"id", "userId", "name", "picture", "followed", "spaces"}

// The account has a value for each private field, so a null is a refusal.
func TestOwnership_of_every_field_of_User(t *testing.T) {
	t.Parallel()
	provider := openid.Start(t)
	w := world.Start(t, "--addr=localhost:0", // passkeys need a name instead of an IP address
		"--oidc-issuer="+provider.URL(), "--oidc-client-id="+openid.ClientID, "--oidc-secret="+openid.ClientSecret,
		"--smtp-url=smtp://localhost:1", "--smtp-from=Portico <portico@example.com>") // no worker sends a mail
	owner := w.NewClient(t, model.CreateUser{Email: "alice@example.com", Plan: model.PlanPro, Quota: parityQuota})
	stranger := w.NewClient(t, model.CreateUser{Email: "bob@example.com", Plan: model.PlanPro, Quota: parityQuota})
	fillAccount(t, w, owner.ID, provider.URL())
	callers := map[string]*api.Client{"the owner": owner, "a stranger": stranger, "nobody": {T: t, URL: w.BaseURL()}}
	for _, field := range operations.Fields(t, "../../../schema.graphqls", "User") {
		document := `{ user(id: "` + owner.ID + `") { id ` + field.Selection(nil) + ` } }`
		for name, caller := range callers {
			var user map[string]json.RawMessage
			if err := caller.GraphQL(document, nil, &user); err != nil {
				t.Errorf("%s as %s: got %v, want an answer", field.Name, name, err)
				continue
			}
			isShown := caller == owner || slices.Contains(publicFields, field.Name)
			if got := string(user[field.Name]); (got != "null") != isShown && field.Name != "picture" { // it has none
				t.Errorf("%s as %s: got %s, want it shown: %t", field.Name, name, got, isShown)
			}
		}
	}
}

// fillAccount stores what a new account lacks: a change of its address, one-time codes, a session,
// an identity.
func fillAccount(t *testing.T, w world.World, userID, issuer string) {
	t.Helper()
	ctx := t.Context()
	check(t, w.DB.StartEmailChange(ctx, model.Mail{Kind: model.MailConfirm, UserID: userID, To: "moved@example.com", Language: "en"}))
	secret := []byte("sealed")
	check(t, w.DB.StartOneTimeCodes(ctx, userID, secret))
	_, err := w.DB.ConfirmOneTimeCodes(ctx, userID, secret, 1, nil)
	check(t, err)
	check(t, w.DB.AddIdentity(ctx, issuer, "subject", userID))
	user, err := w.DB.User(ctx, userID)
	check(t, err)
	check(t, w.DB.SaveSession(ctx, db.BrowserSession{
		Token: "token", Data: []byte("{}"), Expires: time.Now().Add(time.Hour), UserID: userID, Version: user.AccessVersion,
	}))
}
