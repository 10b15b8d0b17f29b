package graph_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"portico/graph"
	"portico/graph/accounts"
	"portico/model"
)

// mailing accepts every proof, and sends mail.
type mailing struct{ accounts.Registry }

func (mailing) SendsMail() bool { return true }

// Whoever makes a webhook of an account, its owner finds out: in the audit trail, and by mail.
func TestWebhook_changes_are_recorded_and_mailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useAccounts(mailing{})
	ctx := w.alice.ctx
	webhook, _, err := w.Webhooks().CreateWebhook(ctx, model.CreateWebhook{
		URL: "https://hooks.example:8443/token-of-the-receiver", Events: []model.WebhookEvent{model.WebhookJobEnded},
	})
	check(t, err)
	moved := "https://elsewhere.example/"
	_, err = w.Webhooks().UpdateWebhook(ctx, model.UpdateWebhook{WebhookID: webhook.ID, URL: &moved})
	check(t, err)
	_, _, err = w.Webhooks().RotateWebhookSecret(ctx, webhook.ID)
	check(t, err)
	check(t, w.Webhooks().DeleteWebhook(ctx, webhook.ID))
	page, err := w.db.Audit().SecurityEvents(ctx, w.alice.id, model.Page{Limit: 4})
	check(t, err)
	var events []string
	for _, e := range page.Nodes {
		events = append(events, string(e.Type)+" "+e.Title)
	}
	equal(t, "audit trail", strings.Join(events, "; "), "webhook-deleted elsewhere.example; webhook-changed elsewhere.example; "+
		"webhook-changed elsewhere.example; webhook-created hooks.example:8443")
	equal(t, "mails", w.mails(), "webhook-created to alice@example.com about hooks.example:8443; "+
		"webhook-changed to alice@example.com about elsewhere.example; webhook-changed to alice@example.com about elsewhere.example; "+
		"webhook-deleted to alice@example.com about elsewhere.example")
}

// The mails about webhooks are bounded; the audit trail has what they leave out.
func TestWebhook_changes_are_mailed_a_few_times_in_an_hour(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.useAccounts(mailing{})
	for range model.MaxMailsPerHour + 2 {
		_, _, err := w.Webhooks().CreateWebhook(w.alice.ctx, model.CreateWebhook{
			URL: "https://hooks.example/", Events: []model.WebhookEvent{model.WebhookJobEnded},
		})
		check(t, err)
	}
	if got := strings.Count(w.mails(), "webhook-created"); got != model.MaxMailsPerHour {
		t.Errorf("mails: got %d, want %d", got, model.MaxMailsPerHour)
	}
}

// mails returns the mails that wait, in the order in which they were queued.
func (w *world) mails() string {
	w.t.Helper()
	var mails string
	w.scan(&mails, `SELECT coalesce(string_agg(concat(args->>'kind', ' to ', args->>'to', ' about ', args->>'host'), '; ' ORDER BY id), '')
		FROM river_job WHERE kind = 'mail'`)
	return mails
}

// An address of an export ends with the key of its account, and with all access.
func TestExportLinks_end_with_the_key(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	exports, err := graph.NewExportLinks([]byte("a secret of the tests"))
	check(t, err)
	w.options.Exports = exports
	w.assemble()
	for name, end := range map[string]func(*model.User) error{
		"nothing":        nil,
		"the key":        func(u *model.User) error { return w.db.Keys().RevokeKeyOf(t.Context(), u.ID) },
		"all access":     func(u *model.User) error { return w.db.Accounts().RevokeAccess(t.Context(), u) },
		"other sessions": func(u *model.User) error { return w.db.Accounts().RevokeSessions(t.Context(), u, "") },
	} {
		who := w.account(w.keys, strings.ReplaceAll(name, " ", "")+"@example.com", model.PlanFree)
		link, err := w.Mutation().ExportAccount(who.ctx)
		check(t, err)
		address, err := url.Parse(link.URL)
		check(t, err)
		started, err := w.LinkedExport(t.Context(), who.id, address.Query())
		check(t, err)
		want := model.Code("")
		if end != nil {
			user, err := w.db.Accounts().User(t.Context(), who.id)
			check(t, err)
			check(t, end(user))
			want = model.CodeForbidden
		}
		_, err = w.LinkedExport(t.Context(), who.id, address.Query())
		equal(t, "address after "+name+" ended", model.CodeOf(err), want)
		equal(t, "export that runs after "+name+" ended", model.CodeOf(w.CheckExport(t.Context(), started)), want)
		// The versions are not mixed up: a dot separates them.
		forged := address.Query()
		forged.Set("access", strconv.FormatInt(started.AccessVersion, 10)+strconv.FormatInt(started.KeyVersion, 10))
		_, err = w.LinkedExport(t.Context(), who.id, forged)
		equal(t, "forged address", model.CodeOf(err), model.CodeForbidden)
	}
}
