package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/db"
	"portico/internal/counter"
	"portico/internal/testkit/postgres"
	"portico/model"
)

func TestSignUp_creates_an_account_on_the_free_plan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("operator@example.com")
	b := w.browser()
	b.wantStatus(b.get("/signup"), http.StatusOK)
	form := url.Values{"email": {"Ada@Example.com"}, "name": {"Ada L."}, "password": {password}, "next": {"/account/key"}}
	wantRedirect(t, b.post("/signup", form), "/account/key")
	user, err := w.db.Accounts().UserByEmail(t.Context(), "ada@example.com")
	check(t, err)
	if user.Name != "Ada L." || user.Plan != model.PlanFree || user.Quota != 10_000_000_000 || user.PasswordHash == "" {
		t.Errorf("account: got %+v, want Ada L. on the free plan with the default quota", user)
	}
	wantRedirect(t, b.get("/signup"), "/console")
	wantRedirect(t, w.browser().signIn("ada@example.com"), "/console")
}

// The operator chooses the plan of new accounts.
func TestSignUp_gives_the_plan_of_the_operator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { o.accounts.Plan = model.PlanPro })
	form := url.Values{"email": {"ada@example.com"}, "name": {"Ada"}, "password": {password}, "next": {"/account/key"}}
	wantRedirect(t, w.browser().post("/signup", form), "/account/key")
	user, err := w.db.Accounts().UserByEmail(t.Context(), "ada@example.com")
	check(t, err)
	if got, want := user.Plan, model.PlanPro; got != want {
		t.Errorf("plan: got %s, want %s", got, want)
	}
}

func TestSignUp_says_what_is_wrong_beside_the_field(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("taken@example.com")
	for _, row := range []struct{ name, email, person, password, field, problem string }{
		{"no_address", "", "", password, "email", "Enter an e-mail address such as ada@example.com"},
		{"broken_address", "ada", "", password, "email", "Enter an e-mail address such as ada@example.com"},
		{"NUL_in_address", "a\x00@example.com", "", password, "email", "Enter an e-mail address such as ada@example.com"},
		{"taken_address", "TAKEN@example.com", "Ada", password, "email", "There is an account with this address. Sign in instead"},
		{"short_password", "ada@example.com", "Ada", "1234567", "password", "Password must have at least 8 characters"},
		{"common_password", "ada@example.com", "Ada", "12345678", "password", "Password is one of the most common ones. Choose another"},
		{"no_name", "ada@example.com", " ", password, "name", "Enter the name that others will see"},
		{"address_as_name", "ada@example.com", "ada@example.com", password, "name", "Name must not be an e-mail address, because others see it"},
		{"long_name", "ada@example.com", strings.Repeat("x", 201), password, "name", "Name must have at most 200 characters"},
		{"NUL_in_name", "ada@example.com", "a\x00", password, "name", "Name must not contain a NUL character"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := w.browser()
			got := b.wantStatus(b.post("/signup", url.Values{"email": {row.email}, "name": {row.person}, "password": {row.password}}), http.StatusUnprocessableEntity)
			wantText(t, got, `<p class="problem" id="`+row.field+`-error">`+row.problem+`</p>`)
			wantText(t, got, `aria-invalid="true" aria-describedby="`+row.field+`-error`)
			if strings.Contains(got.body, row.password) {
				t.Error("page: got the password in it, want it left out")
			}
			if b.cookie() != "" {
				t.Error("cookie: got one, want none")
			}
		})
	}
}

// If the mail for the new account cannot be queued, there is no account, and the person can try
// again.
func TestSignUp_can_be_repeated_after_an_error(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sendsMail)
	admin := postgres.Connect(t, postgres.AdminURL(t, w.url))
	_, err := admin.ExecContext(t.Context(), "ALTER TABLE river_job ADD CONSTRAINT no_mail CHECK (kind <> '"+db.MailKind+"')")
	check(t, err)
	b := w.browser()
	form := url.Values{"email": {"ada@example.com"}, "name": {"Ada"}, "password": {password}, "next": {"/account/key"}}
	b.wantStatus(b.post("/signup", form), http.StatusInternalServerError)
	_, err = admin.ExecContext(t.Context(), "ALTER TABLE river_job DROP CONSTRAINT no_mail")
	check(t, err)
	wantRedirect(t, b.post("/signup", form), "/account/key")
}

func TestSignUp_switched_off(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *worldOptions) { o.accounts.Signup = false })
	b := w.browser()
	b.wantStatus(b.get("/signup"), http.StatusNotFound)
	b.wantStatus(b.post("/signup", url.Values{"email": {"ada@example.com"}, "password": {password}}), http.StatusNotFound)
	if got := b.get("/login").body; strings.Contains(got, "/signup") {
		t.Errorf("sign-in page: got a link to /signup, want none\n%s", got)
	}
}

func TestSignUp_is_limited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.site.limits.signUpsByAddress = counter.NewAttempts(1, time.Hour)
	b := w.browser()
	b.wantStatus(b.post("/signup", url.Values{"email": {"taken"}}), http.StatusUnprocessableEntity)
	got := b.wantStatus(b.post("/signup", url.Values{"email": {"ada@example.com"}, "password": {password}}), http.StatusTooManyRequests)
	if got.header.Get("Retry-After") == "" {
		t.Error("Retry-After: got none, want one")
	}
}
