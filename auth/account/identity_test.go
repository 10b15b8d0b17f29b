package account

import (
	"errors"
	"strings"
	"testing"

	"portico/db"
	"portico/model"
)

// profile is a person of a provider who has verified the address.
func profile(subject, email string) Profile {
	return Profile{Issuer: "https://provider.example", Subject: subject, Email: email, EmailVerified: true}
}

func TestOfProfile(t *testing.T) {
	t.Parallel()
	notVerified := profile("new", "ada@example.com")
	notVerified.EmailVerified = false
	linked := Profile{Issuer: "https://provider.example", Subject: "linked"}
	linkedElsewhere := linked
	linkedElsewhere.Issuer = "https://other.example"
	for _, row := range []struct {
		name   string
		in     Profile
		signup bool
		want   string // the address of the account; "" where the person gets none
	}{
		{"a linked identity", linked, false, "linked@example.com"},
		{"the same subject at another provider", linkedElsewhere, true, ""},
		{"a verified address", profile("new", "Ada@example.com"), false, "ada@example.com"},
		{"an address that is not verified", notVerified, true, ""},
		{"no address", profile("new", ""), true, ""},
		{"no account, and sign-up", profile("new", "eve@example.com"), true, "eve@example.com"},
		{"no account, and no sign-up", profile("new", "eve@example.com"), false, ""},
		{"an account of another subject", profile("new", "linked@example.com"), true, ""},
		// U+212A is k in lower case.
		{"a letter that becomes another", profile("new", "\u212Aate@example.com"), true, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *Options) { o.Signup = row.signup })
			w.addUser("ada@example.com")
			w.addUser("kate@example.com")
			check(t, w.db.SignIns().AddIdentity(t.Context(), linked.Issuer, linked.Subject, w.addUser("linked@example.com").ID))
			user, err := w.registry.OfProfile(t.Context(), row.in)
			if row.want == "" {
				if model.CodeOf(err) != model.CodeForbidden {
					t.Errorf("got %v, %v, want %s", user, err, model.CodeForbidden)
				}
				return
			}
			if err != nil || user.Email != row.want {
				t.Fatalf("got %v, %v, want the account of %s", user, err, row.want)
			}
			again, err := w.registry.OfProfile(t.Context(), Profile{Issuer: row.in.Issuer, Subject: row.in.Subject})
			if err != nil || again.ID != user.ID {
				t.Errorf("the next time: got %v, %v, want the same account", again, err)
			}
		})
	}
}

// A person whom a provider has identified, and who gets no account, is in the audit trail with the
// reason.
func TestOfProfile_records_whom_it_refuses(t *testing.T) {
	t.Parallel()
	notVerified := profile("eve", "eve@example.com")
	notVerified.EmailVerified = false
	for _, row := range []struct {
		in   Profile
		want model.SecurityEventReason
	}{
		{notVerified, model.EventReasonEmailNotVerified},
		{profile("eve", "\u212Aate@example.com"), model.EventReasonEmailNotSupported},
		{profile("eve", "eve"), model.EventReasonEmailInvalid},
		{profile("eve", "eve@example.com"), model.EventReasonNoAccount},
		{profile("eve", "linked@example.com"), model.EventReasonOtherIdentity},
	} {
		t.Run(string(row.want), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *Options) { o.Signup = false })
			check(t, w.db.SignIns().AddIdentity(t.Context(), row.in.Issuer, "linked", w.addUser("linked@example.com").ID))
			if _, err := w.registry.OfProfile(t.Context(), row.in); err == nil {
				t.Error("got no error, want a refusal")
			}
			w.wantFailure(model.ByOpenID, row.want)
		})
	}
}

// The first account of a server needs the code, which no provider has.
func TestOfProfile_creates_no_first_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.FirstCode = "code" })
	if user, err := w.registry.OfProfile(t.Context(), profile("ada", "ada@example.com")); !errors.Is(err, ErrNeedsFirstCode) {
		t.Errorf("got %v, %v, want %v", user, err, ErrNeedsFirstCode)
	}
	w.wantFailure(model.ByOpenID, model.EventReasonFirstAccount)
}

func TestOfProfile_gives_the_plan_and_the_quota_of_the_operator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Plan, o.Quota = model.PlanPro, 5000 })
	p := profile("ada", "ada@example.com")
	p.Name = strings.Repeat("x", 201) // no reason to refuse the person
	user, err := w.registry.OfProfile(t.Context(), p)
	check(t, err)
	if user.Name != "Member "+user.ID || user.PasswordHash != "" || user.Plan != model.PlanPro || user.Quota != 5000 {
		t.Errorf("account: got %+v, want a name with nothing of the address, no password, the pro plan and 5000 bytes", user)
	}
}

// Whoever signed up with the address of another person loses the account. An account that an
// operator added keeps its password. Earlier sessions end in both cases.
func TestOfProfile_ends_the_access_to_the_account_that_it_links(t *testing.T) {
	t.Parallel()
	for name, keepsPassword := range map[string]bool{"signed up": false, "added by an operator": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			user := w.addUser("ada@example.com")
			if !keepsPassword {
				check(t, w.db.SignIns().MarkEmailUnproven(t.Context(), user.ID))
				check(t, w.db.SignIns().AddIdentity(t.Context(), "https://provider.example", "squatter", user.ID))
			}
			before := w.signIn(user)
			check(t, w.db.Webhooks().AddWebhook(t.Context(), &model.Webhook{ID: name, UserID: user.ID,
				URL: "https://stranger.example", Events: []model.WebhookEvent{model.WebhookJobEnded}, Sealed: []byte("s")}))
			linked, err := w.registry.OfProfile(t.Context(), profile("ada", "ada@example.com"))
			check(t, err)
			if linked.ID != user.ID || linked.AccessVersion == user.AccessVersion {
				t.Errorf("account: got %+v, want %s with another access version", linked, user.ID)
			}
			if w.isSignedIn(before) {
				t.Error("the session from before: got signed in, want signed out")
			}
			found, err := w.registry.Authenticate(t.Context(), user.Email, password)
			if err != nil || (found != nil) != keepsPassword {
				t.Errorf("with the password: got %v, %v, want an account %v", found, err, keepsPassword)
			}
			if _, err := w.db.SignIns().UserByIdentity(t.Context(), "https://provider.example", "squatter"); model.CodeOf(err) != model.CodeNotFound {
				t.Errorf("the other person's identity: got %v, want none", err)
			}
			// The webhook of another person is deleted. The owner's waits until the owner confirms it.
			webhooks, err := w.db.Webhooks().Webhooks(t.Context(), user.ID)
			check(t, err)
			if (len(webhooks) == 1) != keepsPassword || len(webhooks) == 1 && webhooks[0].Enabled() {
				t.Errorf("webhooks: got %+v, want one that is disabled: %v", webhooks, keepsPassword)
			}
		})
	}
}

// Two tabs of a person may return from the provider at the same time. The second one gets the
// account of the first, and does not end its sign-in.
func TestOfProfile_signs_in_two_tabs_at_the_same_time(t *testing.T) {
	t.Parallel()
	p := profile("ada", "ada@example.com")
	create := func(w *world, tx *db.DB) error {
		user, err := tx.Accounts().CreateUser(w.t.Context(), model.CreateUser{Email: p.Email, Name: "Ada", Plan: model.PlanFree, Quota: 1000})
		if err != nil {
			return err
		}
		return tx.SignIns().AddIdentity(w.t.Context(), p.Issuer, p.Subject, user.ID)
	}
	link := func(w *world, tx *db.DB) error {
		user, err := tx.Accounts().LockUser(w.t.Context(), w.byEmail(p.Email).ID)
		if err != nil {
			return err
		}
		return tx.SignIns().AddIdentity(w.t.Context(), p.Issuer, p.Subject, user.ID)
	}
	for _, row := range []struct {
		name     string
		hasUser  bool
		firstTab func(w *world, tx *db.DB) error
	}{{"a new account", false, create}, {"a new link", true, link}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if row.hasUser {
				w.addUser(p.Email)
			}
			var user, first *model.User
			err := w.whileWaiting(func(tx *db.DB) (err error) {
				if err := row.firstTab(w, tx); err != nil {
					return err
				}
				first, err = tx.Accounts().UserByEmail(t.Context(), p.Email)
				return err
			}, func() (err error) {
				user, err = w.registry.OfProfile(t.Context(), p)
				return err
			})
			if err != nil || user.ID != first.ID || user.AccessVersion != first.AccessVersion {
				t.Errorf("the second tab: got %+v, %v, want %+v", user, err, first)
			}
			if stored := w.byEmail(p.Email); stored.AccessVersion != first.AccessVersion {
				t.Error("the sign-in of the first tab: got ended, want valid")
			}
		})
	}
}

// Somebody may sign up with the address of a person who returns from the provider.
func TestOfProfile_links_an_account_that_signs_up_at_the_same_time(t *testing.T) {
	t.Parallel()
	w, p := newWorld(t, nil), profile("ada", "ada@example.com")
	in := w.registry.newAccount(p.Email, "Ada")
	check(t, in.Validate())
	var user, other *model.User
	err := w.whileWaiting(func(tx *db.DB) (err error) {
		other, err = w.registry.addUnproven(t.Context(), tx, in)
		return err
	}, func() (err error) {
		user, err = w.registry.OfProfile(t.Context(), p)
		return err
	})
	if err != nil || user.ID != other.ID || user.AccessVersion == other.AccessVersion {
		t.Errorf("got %+v, %v, want the account %s without earlier access", user, err, other.ID)
	}
}

func TestConnectIdentity_checks_the_session_in_its_transaction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	user, p := w.addUser("ada@example.com"), profile("ada at work", "ada@work.example")
	err := w.registry.ConnectIdentity(t.Context(), user.ID, p, func(*db.DB, *model.User) error { return errEnded })
	if !errors.Is(err, errEnded) {
		t.Errorf("signed out: got %v, want %v", err, errEnded)
	}
	if _, err := w.db.SignIns().UserByIdentity(t.Context(), p.Issuer, p.Subject); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("identity: got %v, want none", err)
	}
	check(t, w.registry.ConnectIdentity(t.Context(), user.ID, p, func(_ *db.DB, locked *model.User) error {
		if locked.ID != user.ID {
			return errEnded
		}
		return nil
	}))
	if found, err := w.registry.OfProfile(t.Context(), p); err != nil || found.ID != user.ID {
		t.Errorf("sign in: got %v, %v, want the connected account", found, err)
	}
}
