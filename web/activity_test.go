package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/model"
)

// trail returns the types of all events, with their accounts' names, oldest first.
func (w *world) trail(users ...*model.User) (events []string) {
	w.t.Helper()
	found, err := w.db.Audit().AuditTrail(w.t.Context(), db.AuditFilter{}, 1000)
	check(w.t, err)
	names := map[string]string{"": "nobody"}
	for _, user := range users {
		names[user.ID], _, _ = strings.Cut(user.Email, "@")
	}
	for _, event := range found {
		events = append(events, names[event.UserID]+" "+string(event.Type))
	}
	return events
}

func TestTrail_of_signing_in(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada := w.addUser("ada@example.com")
	b := w.browser()
	try := func(email, secret string) {
		b.wantStatus(b.post("/login", url.Values{"email": {email}, "password": {secret}}), http.StatusUnprocessableEntity)
	}
	try("Ada@Example.com", "wrong horse")
	try("ada@example.com", "short") // which is too short for a password
	try("nobody@example.com", "wrong horse")
	try("my secret password", "wrong horse")
	wantRedirect(t, b.signIn("ada@example.com"), "/account")
	want := []string{
		"ada account-created", "ada sign-in-failed", "ada sign-in-failed", "nobody sign-in-failed", "nobody sign-in-failed", "ada signed-in",
	}
	if got := w.trail(ada); !slices.Equal(got, want) {
		t.Errorf("trail:\ngot  %q\nwant %q", got, want)
	}
	found, err := w.db.Audit().AuditTrail(t.Context(), db.AuditFilter{}, 1000)
	check(t, err)
	for _, event := range found[1:] {
		if event.Method != model.ByPassword || event.Subject+event.Detail() != "" {
			t.Errorf("event: got %+v, want the method alone, and nothing that was typed", event)
		}
	}
}

func TestTrail_of_signing_up(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	b := w.browser()
	form := url.Values{"email": {"eve@example.com"}, "password": {password}}
	wantRedirect(t, b.post("/signup", form), "/account")
	b = w.browser()
	b.wantStatus(b.post("/signup", form), http.StatusUnprocessableEntity) // taken, so nothing is made
	eve, err := w.db.Accounts().UserByEmail(t.Context(), "eve@example.com")
	check(t, err)
	if got, want := w.trail(eve), []string{"eve account-created", "eve signed-in"}; !slices.Equal(got, want) {
		t.Errorf("trail: got %q, want %q", got, want)
	}
}

func TestTrail_of_the_key_and_the_password(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada := w.addUser("ada@example.com")
	b := w.browser()
	b.signIn("ada@example.com")
	before := len(w.trail(ada))
	b.get("/account")
	b.get("/account/key") // there is none to show
	change := func(action string) { b.post("/account/key", url.Values{"action": {action}}) }
	change("generate")
	b.wantStatus(b.get("/account/key"), http.StatusOK)
	b.get("/account")
	change("generate")
	change("revoke")
	change("revoke")
	check(t, w.db.Accounts().SetPassword(t.Context(), ada.ID, "another hash"))
	want := []string{
		"ada key-created", "ada key-shown", "ada key-revoked", "ada key-created", "ada key-revoked", "ada password-changed",
	}
	if got := w.trail(ada)[before:]; !slices.Equal(got, want) {
		t.Errorf("trail:\ngot  %q\nwant %q", got, want)
	}
}

func TestAccount_shows_recent_activity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ada, eve := w.addUser("ada@example.com"), w.addUser("eve@example.com")
	ctx := model.WithOrigin(t.Context(), model.Origin{Address: "203.0.113.7", Door: model.DoorREST})
	deleted := model.NewSecurityEvent(ctx, model.EventSpaceDeleted, ada.ID).WithSubject("s1", "<b>Hall</b>")
	check(t, w.db.Audit().AddSecurityEvent(ctx, deleted))
	check(t, w.db.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventFileDeleted, eve.ID)))
	b := w.browser()
	b.signIn("ada@example.com")
	page := b.get("/account")
	for _, want := range []string{
		"<strong>Signed in with a password</strong>", "<strong>Account created</strong>",
		"<strong>Space deleted</strong> <span>&lt;b&gt;Hall&lt;/b&gt;</span>", "over REST, from 203.0.113.7",
		time.Now().UTC().Format("2 January 2006, "),
	} {
		wantText(t, page, want)
	}
	if strings.Contains(page.body, "File deleted") {
		t.Error("activity: got another account's, want the own alone")
	}
}

// Every type has its own title. Otherwise the page would show the name of the type.
func TestEventTitle_differs_for_every_type(t *testing.T) {
	t.Parallel()
	seen := map[string]model.SecurityEventType{}
	for _, kind := range []model.SecurityEventType{
		model.EventSignedIn, model.EventSignInFailed, model.EventAccountCreated, model.EventAccountChanged,
		model.EventPasswordChanged, model.EventEmailConfirmed, model.EventEmailChanged, model.EventCodesEnabled, model.EventCodesDisabled, model.EventRecoveryCodeUsed, model.EventPasskeyAdded, model.EventPasskeyRemoved, model.EventIdentityLinked, model.EventKeyCreated, model.EventKeyShown, model.EventKeyRevoked,
		model.EventConsentGiven, model.EventCodeRedeemed, model.EventPrivacyChanged, model.EventSpaceDeleted, model.EventFileDeleted,
	} {
		title := eventTitle(&model.SecurityEvent{Type: kind})
		if other, ok := seen[title]; ok || title == string(kind) {
			t.Errorf("title of %s: got %q (as %s), want one of its own", kind, title, other)
		}
		seen[title] = kind
	}
}

// A newer server may have stored a sign-in with a method that this server does not know.
func TestEventTitle_names_only_methods_that_it_knows(t *testing.T) {
	t.Parallel()
	languages, err := readLanguages()
	check(t, err)
	for method, want := range map[string]string{
		model.ByPassword: " with a password", model.ByOpenID: " with an external provider", model.ByPasskey: " with a passkey",
		"": "", "fingerprint": "",
	} {
		for kind, title := range map[model.SecurityEventType]string{
			model.EventSignedIn: "Signed in" + want, model.EventSignInFailed: "Failed to sign in" + want,
		} {
			got := eventTitle(&model.SecurityEvent{Type: kind, Method: method})
			if got != title || languages[1].translate(got) == got {
				t.Errorf("%s by %q: got %q, in German %q, want %q and a translation", kind, method, got, languages[1].translate(got), title)
			}
		}
	}
}

// What the server says about an event is translated. The titles of spaces are not, even if they are
// words of the pages.
func TestActivity_translates_what_the_server_says(t *testing.T) {
	t.Parallel()
	languages, err := readLanguages()
	if err != nil {
		t.Fatal(err)
	}
	changes := func(changes ...model.SecurityEventChange) *model.SecurityEvent {
		return new(model.SecurityEvent).WithChanges(changes...)
	}
	plan := model.SecurityEventChange{Field: model.PlanField, Before: "free", After: "pro"}
	storage := model.SecurityEventChange{Field: model.StorageField, Before: "10", After: "20"}
	privacy := model.SecurityEventChange{Field: model.PrivacyField, Before: "Link Only", After: "Public"}
	for _, row := range []struct {
		event         *model.SecurityEvent
		about, german string
	}{
		{changes(privacy).WithSubject("", "Account: the hall"), "Account: the hall:", "Nur mit Link → Öffentlich"},
		{changes(plan, storage), "", "Tarif free → pro · Speicher 10 → 20 Bytes"},
		{changes(plan), "", "Tarif free → pro"},
		{changes(storage), "", "Speicher 10 → 20 Bytes"},
		{&model.SecurityEvent{Reason: model.EventReasonWrongCode}, "", "Falscher Einmalcode"},
		{&model.SecurityEvent{Title: "Account"}, "Account", ""},
	} {
		shown := newActivity(languages[1], row.event)
		if got := shown.Note; shown.About != row.about || got != row.german {
			t.Errorf("%s: got %q and %q, want %q and %q", row.event.Detail(), shown.About, got, row.about, row.german)
		}
	}
}
