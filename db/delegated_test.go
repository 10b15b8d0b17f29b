package db

import (
	"context"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// delegated is what acts for an account without a key: webhooks, signed addresses, consents of
// apps, uploads and mailed links.
type delegated struct {
	webhook             *model.Webhook
	version             int64
	ofKey, ofOther      *model.Upload
	resetLink, moveLink []byte
}

// addDelegated adds what somebody who had the key for a minute would leave behind.
func addDelegated(t *testing.T, db *DB, user *model.User, keyID string) delegated {
	t.Helper()
	ctx := t.Context()
	var d delegated
	d.webhook = addWebhook(t, db, user)
	addCode(t, db, addClient(t, db), user)
	d.ofKey, d.ofOther = addUpload(t, db, user, 1, time.Hour), addUpload(t, db, user, 1, time.Hour)
	asAdmin(t, db, "UPDATE uploads SET key_id = ? WHERE id = ?", keyID, d.ofKey.ID)
	var err error
	d.version, err = db.Keys().KeyVersion(ctx, user.ID)
	check(t, err)
	d.resetLink, d.moveLink = []byte("reset of "+user.ID), []byte("move of "+user.ID)
	check(t, db.SignIns().StartEmailChange(ctx, model.Mail{Kind: model.MailConfirm, UserID: user.ID, To: "new@example.com"}))
	for purpose, link := range map[model.MailKind]MailedLink{
		model.MailReset:   {Hash: d.resetLink, Email: user.Email},
		model.MailConfirm: {Hash: d.moveLink, Email: "new@example.com"},
	} {
		link.UserID, link.Purpose, link.ValidFor = user.ID, purpose, time.Hour
		if added, err := db.SignIns().AddMailedLink(ctx, link); err != nil || !added {
			t.Fatalf("link: got %v, %v, want it added", added, err)
		}
	}
	return d
}

// left lists what still acts for the account.
func (d delegated) left(t *testing.T, db *DB, user *model.User) string {
	t.Helper()
	ctx := t.Context()
	var left []string
	add := func(name string, acts bool, err error) {
		check(t, err)
		if acts {
			left = append(left, name)
		}
	}
	webhook, err := db.Webhooks().Webhook(ctx, user.ID, d.webhook.ID)
	check(t, err)
	add("webhook", webhook.Enabled(), nil)
	version, err := db.Keys().KeyVersion(ctx, user.ID)
	add("addresses", version == d.version, err)
	apps, err := db.Keys().ConnectedApps(ctx, user.ID)
	add("apps", len(apps) > 0, err)
	acts, err := db.Uploads().ExtendReservation(ctx, d.ofKey.StorageKey())
	add("upload", acts, err)
	acts, err = db.Uploads().ExtendReservation(ctx, d.ofOther.StorageKey())
	add("other upload", acts, err)
	acts, err = db.SignIns().MailedLinkIsValid(ctx, d.resetLink, model.MailReset)
	add("reset link", acts, err)
	acts, err = db.SignIns().MailedLinkIsValid(ctx, d.moveLink, model.MailConfirm)
	add("new address", acts, err)
	return strings.Join(left, ", ")
}

// What acts for an account ends with its key. What a session of the owner has started ends with all
// access.
func TestEverything_that_acts_for_an_account_ends_with_its_access(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	const all = "webhook, addresses, apps, upload, other upload, reset link, new address"
	const ofOwner = "other upload, reset link, new address"
	for name, row := range map[string]struct {
		end  func(*model.User, *model.APIKey) error
		want string
	}{
		"nothing":          {func(*model.User, *model.APIKey) error { return nil }, all},
		"other sessions":   {func(u *model.User, _ *model.APIKey) error { return db.Accounts().RevokeSessions(ctx, u, "") }, all},
		"the key revoked":  {func(u *model.User, _ *model.APIKey) error { return db.Keys().RevokeKeyOf(ctx, u.ID) }, ofOwner},
		"the key replaced": {func(u *model.User, k *model.APIKey) error { return db.Keys().ReplaceKey(ctx, k.ID, newKey(u.ID)) }, ofOwner},
		"an app disconnected": {func(u *model.User, _ *model.APIKey) error {
			apps, err := db.Keys().ConnectedApps(ctx, u.ID)
			check(t, err)
			return db.Keys().RemoveConsent(ctx, u.ID, apps[0].ID)
		}, ofOwner},
		"access revoked":     {func(u *model.User, _ *model.APIKey) error { return db.Accounts().RevokeAccess(ctx, u) }, ""},
		"revoked by the key": {func(_ *model.User, k *model.APIKey) error { return db.Accounts().RevokeAccessByKey(ctx, k.ID) }, ""},
		"the password":       {func(u *model.User, _ *model.APIKey) error { return db.Accounts().SetPassword(ctx, u.ID, "new") }, ""},
		"disabled":           {func(u *model.User, _ *model.APIKey) error { return db.Accounts().DisableUser(ctx, u.ID, "spam") }, ""},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			user, other := addUser(t, db), addUser(t, db)
			key, err := db.Keys().AddKey(ctx, newKey(user.ID))
			check(t, err)
			others, err := db.Keys().AddKey(ctx, newKey(other.ID))
			check(t, err)
			owned, kept := addDelegated(t, db, user, key.ID), addDelegated(t, db, other, others.ID)
			check(t, row.end(user, key))
			if got := owned.left(t, db, user); got != row.want {
				t.Errorf("left: got %q, want %q", got, row.want)
			}
			if got := kept.left(t, db, other); got != all {
				t.Errorf("left of another account: got %q, want %q", got, all)
			}
		})
	}
}

// An account that never had a key may have webhooks, which somebody made with a session.
func TestRevokeAccess_ends_webhooks_of_an_account_without_a_key(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	webhook := addWebhook(t, db, user)
	check(t, db.Accounts().RevokeAccess(t.Context(), user))
	got, err := db.Webhooks().Webhook(t.Context(), user.ID, webhook.ID)
	check(t, err)
	if got.Enabled() || got.DisabledCause != model.WebhookAccessEnded {
		t.Errorf("webhook: got enabled %v for %q, want disabled for %q", got.Enabled(), got.DisabledCause, model.WebhookAccessEnded)
	}
	notifications, err := db.Notifications().Notifications(t.Context(), user.ID, model.Page{Limit: 10})
	check(t, err)
	if len(notifications.Nodes) != 1 || notifications.Nodes[0].Type != model.WebhookDisabled {
		t.Errorf("notifications: got %v, want one of the webhook", notifications.Nodes)
	}
	// The first key of the account ends nothing: there was none before.
	enabled := true
	_, err = db.Webhooks().UpdateWebhook(t.Context(), user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &enabled})
	check(t, err)
	check(t, db.Keys().RevokeKeyOf(t.Context(), user.ID))
	if got, err = db.Webhooks().Webhook(t.Context(), user.ID, webhook.ID); err != nil || !got.Enabled() {
		t.Errorf("after the first key: got %v, %v, want the webhook enabled", got, err)
	}
}

// A request that was authenticated before its key ended makes and enables no webhook afterwards.
func TestWebhooks_are_refused_to_a_key_that_has_ended(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	key, err := db.Keys().AddKey(t.Context(), newKey(user.ID))
	check(t, err)
	webhook := addWebhook(t, db, user)
	check(t, db.SignIns().SaveSession(t.Context(), BrowserSession{
		Token: "session", Data: []byte("x"), Expires: time.Now().Add(time.Hour), UserID: user.ID, Version: user.AccessVersion,
	}))
	check(t, db.Accounts().RevokeAccess(t.Context(), user))
	enabled := true
	for name, caller := range map[string]*model.Caller{
		"key": {UserID: user.ID, KeyID: key.ID}, "session": {UserID: user.ID, Session: "session"},
	} {
		ctx := model.WithCaller(t.Context(), caller)
		for act, do := range map[string]func(context.Context) error{
			"add": func(ctx context.Context) error {
				return db.Webhooks().AddWebhook(ctx, &model.Webhook{ID: "late", UserID: user.ID, URL: "https://example.com", Sealed: []byte("s")})
			},
			"enable": func(ctx context.Context) error {
				_, err := db.Webhooks().UpdateWebhook(ctx, user.ID, model.UpdateWebhook{WebhookID: webhook.ID, Enabled: &enabled})
				return err
			},
			"replace the secret": func(ctx context.Context) error {
				_, err := db.Webhooks().RotateWebhookSecret(ctx, user.ID, webhook.ID, []byte("s"), time.Hour)
				return err
			},
			"delete": func(ctx context.Context) error { return db.Webhooks().DeleteWebhook(ctx, user.ID, webhook.ID) },
		} {
			if got := model.CodeOf(do(ctx)); got != model.CodeUnauthenticated {
				t.Errorf("%s with a %s that has ended: got %q, want %q", act, name, got, model.CodeUnauthenticated)
			}
		}
	}
}
