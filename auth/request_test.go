package auth_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/auth"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
)

// slow is a body whose owner revokes the key before its end comes.
type slow struct {
	io.Reader
	revoke func() error
}

func (s *slow) Read(p []byte) (int, error) {
	if s.revoke != nil {
		if err := s.revoke(); err != nil {
			return 0, err
		}
		s.revoke = nil
	}
	return s.Reader.Read(p)
}

func (*slow) Close() error { return nil }

func TestRequestCaller_finds_a_key_that_was_revoked_while_the_body_came(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int64{"short": 4, "long": 100_000, "unknown": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := testdb.Open(t)
			keys, user := newKeys(t, database), testdb.User(t, database, 0)
			key, err := keys.EnsureKey(t.Context(), user.ID)
			check(t, err)
			r := httptest.NewRequest(http.MethodPost, "/", &slow{strings.NewReader("body"), func() error {
				return keys.Revoke(t.Context(), user)
			}})
			r.ContentLength = size
			r.Header.Set("Authorization", "Bearer "+key)
			_, err = keys.RequestCaller(r)
			if err == nil {
				_, err = io.ReadAll(r.Body)
			}
			if got, want := model.CodeOf(err), model.CodeUnauthenticated; got != want {
				t.Errorf("code: got %q (%v), want %q", got, err, want)
			}
		})
	}
}

func TestRequestCaller_keeps_the_body(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	broken := errors.New("broken")
	for name, row := range map[string]struct {
		body io.Reader
		size int64
		want error
	}{
		"short":           {strings.NewReader("body"), 4, nil},
		"long":            {strings.NewReader("body"), 100_000, nil},
		"unknown":         {strings.NewReader("body"), -1, nil},
		"short, broken":   {io.MultiReader(strings.NewReader("body"), failing{broken}), 10, broken},
		"unknown, broken": {io.MultiReader(strings.NewReader("body"), failing{broken}), -1, broken},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", row.body)
		r.ContentLength = row.size
		r.Header.Set("Authorization", "Bearer "+key)
		caller, err := keys.RequestCaller(r)
		check(t, err)
		body, err := io.ReadAll(r.Body)
		if caller.UserID != user.ID || string(body) != "body" || !errors.Is(err, row.want) {
			t.Errorf("%s: got %q, %v for %s, want the body and %v for %s", name, body, err, caller.UserID, row.want, user.ID)
		}
	}
}

// A body that breaks off cancels the context of its request. The door must report the body, not a
// trouble with the key.
func TestRequestCaller_reports_a_body_that_broke_off(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys, user := newKeys(t, database), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	broken := errors.New("broken")
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", io.MultiReader(strings.NewReader("body"), failing{broken}))
	r.ContentLength = 10
	r.Header.Set("Authorization", "Bearer "+key)
	_, err = keys.RequestCaller(r)
	check(t, err)
	cancel()
	if body, err := io.ReadAll(r.Body); string(body) != "body" || !errors.Is(err, broken) {
		t.Errorf("body: got %q, %v, want what arrived and %v", body, err, broken)
	}
}

// A stranger's body is not waited for.
func TestRequestCaller_reads_nothing_without_a_key(t *testing.T) {
	t.Parallel()
	keys := newKeys(t, testdb.Open(t))
	for name, row := range map[string]struct {
		key  string
		size int64
	}{"no key": {"", 4}, "no key of ours": {"secret", 4}, "an unknown key, long": {auth.KeyPrefix + "a", 100_000}} {
		r := httptest.NewRequest(http.MethodPost, "/", failing{errors.New("read")})
		r.ContentLength = row.size
		r.Header.Set("Authorization", "Bearer "+row.key)
		if _, err := keys.RequestCaller(r); model.CodeOf(err) != model.CodeUnauthenticated {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
}

// failing is a reader that returns only an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
