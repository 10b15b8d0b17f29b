package account

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"portico/db"
	"portico/model"
)

func TestSignUp_gives_the_plan_and_the_quota_of_the_operator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Plan, o.Quota = model.PlanPro, 5000 })
	user, problems, err := w.registry.SignUp(t.Context(), Applicant{Email: "Ada@Example.com", Name: "Ada L.", Password: password})
	check(t, err)
	if user == nil || len(problems) > 0 {
		t.Fatalf("got %v with the problems %v, want an account", user, problems)
	}
	if user.Email != "ada@example.com" || user.Name != "Ada L." || user.Plan != model.PlanPro || user.Quota != 5000 {
		t.Errorf("account: got %+v, want Ada L. on the pro plan with 5000 bytes", user)
	}
	if confirmed, err := w.db.SignIns().EmailConfirmed(t.Context(), user.ID); err != nil || confirmed {
		t.Errorf("address: got confirmed %v, %v, want false", confirmed, err)
	}
}

// A person can correct all fields together.
func TestSignUp_returns_the_problems_of_all_fields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.addUser("taken@example.com")
	for _, row := range []struct {
		name string
		in   Applicant
		want []string
	}{
		{"address", Applicant{Email: "ada", Password: password}, []string{"email"}},
		{"NUL in the address", Applicant{Email: "a\x00@example.com", Password: password}, []string{"email"}},
		{"taken address", Applicant{Email: "TAKEN@example.com", Name: "Ada", Password: password}, []string{"email"}},
		{"no name", Applicant{Email: "ada@example.com", Name: " ", Password: password}, []string{"name"}},
		{"name", Applicant{Email: "ada@example.com", Name: strings.Repeat("x", 201), Password: password}, []string{"name"}},
		{"password", Applicant{Email: "ada@example.com", Name: "Ada", Password: "12345678"}, []string{"password"}},
		{"address and password", Applicant{Email: "ada", Password: "short"}, []string{"email", "password"}},
		{"name and password", Applicant{Email: "ada@example.com", Name: "a\x00", Password: "short"}, []string{"name", "password"}},
	} {
		user, problems, err := w.registry.SignUp(t.Context(), row.in)
		if got := slices.Sorted(maps.Keys(problems)); err != nil || user != nil || !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, problems of %q and %v, want problems of %q", row.name, user, got, err, row.want)
		}
	}
	if w.byEmail("ada@example.com") != nil {
		t.Error("account: got one, want none")
	}
}

func TestSignUp_is_refused(t *testing.T) {
	t.Parallel()
	in := Applicant{Email: "ada@example.com", Name: "Ada", Password: password}
	w := newWorld(t, func(o *Options) { o.Signup = false })
	if _, _, err := w.registry.SignUp(t.Context(), in); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("sign-up is off: got %v, want %s", err, model.CodeNotFound)
	}
	w = newWorld(t, func(o *Options) { o.FirstCode = "code" })
	if _, _, err := w.registry.SignUp(t.Context(), in); !errors.Is(err, ErrNeedsFirstCode) {
		t.Errorf("first account: got %v, want %v", err, ErrNeedsFirstCode)
	}
	if w.byEmail(in.Email) != nil {
		t.Error("account: got one, want none")
	}
}

// An account can be refused for a reason other than a taken address.
func TestCreate_returns_other_errors_of_the_address(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	refused := model.InvalidField("email", "is not permitted here")
	_, problems, err := w.registry.create(t.Context(), Applicant{Email: "ada@example.com", Name: "Ada", Password: password}, func(*db.DB, model.CreateUser) (*model.User, error) { return nil, refused })
	if !errors.Is(err, refused) || len(problems) > 0 {
		t.Errorf("got %v and the problems %v, want %v", err, problems, refused)
	}
}

// Nobody but a person at this machine reaches a server without a code.
func TestSignUp_on_an_empty_server_makes_its_operator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Plan = model.PlanFree })
	for _, row := range []struct {
		email    string
		operates bool
		plan     model.Plan
	}{
		{"ada@example.com", true, model.PlanPro},
		{"eve@example.com", false, model.PlanFree},
	} {
		user, problems, err := w.registry.SignUp(t.Context(), Applicant{Email: row.email, Name: "N", Password: password})
		if check(t, err); user == nil {
			t.Fatalf("%s: got the problems %v, want an account", row.email, problems)
		}
		operates, err := w.db.Accounts().IsOperator(t.Context(), user.ID)
		if check(t, err); operates != row.operates || user.Plan != row.plan {
			t.Errorf("%s: got operator %t with plan %q, want %t with %q", row.email, operates, user.Plan, row.operates, row.plan)
		}
	}
}
