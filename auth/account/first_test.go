package account

import (
	"slices"
	"testing"

	"portico/model"
)

func TestFirstCode_is_the_same_on_all_replicas(t *testing.T) {
	t.Parallel()
	code, err := FirstCode([]byte("0123456789abcdef"))
	check(t, err)
	again, err := FirstCode([]byte("0123456789abcdef"))
	check(t, err)
	other, err := FirstCode([]byte("another secret..."))
	check(t, err)
	if code != again || code == other || len(code) != firstCodeLength {
		t.Errorf("codes: got %q, %q and %q with another secret", code, again, other)
	}
}

// The code works even if sign-up is off.
func TestCreateFirst_creates_one_account_with_the_code(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.FirstCode, o.Signup = "code", false })
	in := Applicant{Email: "ada@example.com", Name: "Ada", Password: password}
	for _, wrong := range []string{"", "x", "codex", "CODE"} {
		user, problems, err := w.registry.CreateFirst(t.Context(), wrong, Applicant{})
		if err != nil || user != nil || len(problems) != 1 || problems["code"] == nil {
			t.Errorf("code %q: got %v, %v, %v, want the problem of the code alone", wrong, user, problems, err)
		}
	}
	user, problems, err := w.registry.CreateFirst(t.Context(), "code", in)
	if err != nil || user == nil || len(problems) > 0 {
		t.Fatalf("with the code: got %v, %v, %v, want an account", user, problems, err)
	}
	operates, err := w.db.Accounts().IsOperator(t.Context(), user.ID)
	if check(t, err); !operates || user.Plan != model.PlanPro {
		t.Errorf("the first account: got operator %t with plan %q, want an operator with Pro", operates, user.Plan)
	}
	if empty, err := w.registry.IsEmpty(t.Context()); err != nil || empty {
		t.Errorf("empty: got %v, %v, want false", empty, err)
	}
	in.Email = "eve@example.com"
	if _, _, err := w.registry.CreateFirst(t.Context(), "code", in); model.CodeOf(err) != model.CodeConflict {
		t.Errorf("a second time: got %v, want %s", err, model.CodeConflict)
	}
	users, err := w.db.Accounts().Users(t.Context(), "", 10)
	check(t, err)
	if emails := slices.Collect(func(yield func(string) bool) {
		for _, user := range users {
			yield(user.Email)
		}
	}); !slices.Equal(emails, []string{"ada@example.com"}) {
		t.Errorf("accounts: got %q, want the first alone", emails)
	}
}
