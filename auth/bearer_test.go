package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"portico/auth"
	"portico/internal/testkit/postgres/testdb"
	"portico/model"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, header, want string }{
		{"reads_a_token", "Bearer abc", "abc"},
		{"takes_the_scheme_in_any_case", "bEARER abc", "abc"},
		{"takes_more_spaces", "Bearer   abc  ", "abc"},
		{"has_none_in_no_header", "", ""},
		{"has_none_without_a_scheme", "abc", ""},
		{"has_none_in_a_scheme_alone", "Bearer", ""},
		{"has_none_in_a_scheme_and_a_space", "Bearer ", ""},
		{"has_none_in_another_scheme", "Basic abc", ""},
		{"has_none_in_a_longer_scheme", "Bearers abc", ""},
		{"has_none_after_a_space", " Bearer abc", ""},
		{"keeps_what_is_no_token_whole", "Bearer a b", "a b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := auth.Token(&http.Request{Header: http.Header{"Authorization": {test.header}}}); got != test.want {
				t.Errorf("token: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCaller_returns_the_user_of_a_valid_key_and_no_other(t *testing.T) {
	t.Parallel()
	database, url := testdb.OpenURL(t)
	keys := newKeys(t, database)
	user, gone := testdb.User(t, database, 0), testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	revoked, err := keys.EnsureKey(t.Context(), gone.ID)
	check(t, err)
	execute(t, url, "UPDATE api_keys SET revoked_at = now() WHERE user_id = $1", gone.ID)
	caller, err := keys.Caller(t.Context(), key)
	check(t, err)
	if caller.UserID != user.ID || caller.KeyID == "" || strings.Contains(key, caller.KeyID) {
		t.Errorf("caller: got %+v, want user %s and the id of the key", caller, user.ID)
	}
	next, err := keys.EnsureKey(t.Context(), gone.ID)
	check(t, err)
	if next == revoked {
		t.Error("key after the revocation: got the revoked one, want another")
	}
	for name, key := range map[string]string{
		"missing": "", "prefix only": auth.KeyPrefix, "unknown": key[:len(key)-1] + "1", "revoked": revoked,
		"upper case": strings.ToUpper(key), "cut": key[:len(key)-1], "longer": key + "a", "padded": key + " ",
		"without prefix": strings.TrimPrefix(key, auth.KeyPrefix), "huge": auth.KeyPrefix + strings.Repeat("a", 10_000),
		"NUL": auth.KeyPrefix + "\x00", "not UTF-8": auth.KeyPrefix + "\xff", "SQL": auth.KeyPrefix + "' OR '1'='1",
	} {
		_, err := keys.Caller(t.Context(), key)
		want := &model.Error{Code: model.CodeUnauthenticated, Message: "Invalid or expired API key"}
		if got := model.AsError(err); !reflect.DeepEqual(got, want) {
			t.Errorf("%s key: got %v, want %v, like every other", name, err, want)
		}
	}
}

func TestCaller_does_not_call_a_key_bad_while_the_database_is_away(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newKeys(t, testdb.Open(t)).Caller(ctx, auth.KeyPrefix+"a")
	if got, want := model.CodeOf(err), model.CodeInternal; got != want {
		t.Errorf("code: got %q (%v), want %q", got, err, want)
	}
}

func TestBearer(t *testing.T) {
	t.Parallel()
	database := testdb.Open(t)
	keys := newKeys(t, database)
	user := testdb.User(t, database, 0)
	key, err := keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	refuse := func(w http.ResponseWriter, _ *http.Request, err error) {
		if got, want := model.CodeOf(err), model.CodeUnauthenticated; got != want {
			t.Errorf("refused with: got %q, want %q", got, want)
		}
		w.WriteHeader(http.StatusUnauthorized)
	}
	handler := keys.Bearer(refuse)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if caller := model.CallerFrom(r.Context()); caller == nil || caller.UserID != user.ID {
			err := errors.New("no caller")
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	for _, test := range []struct {
		name, header string
		want         int
	}{
		{"lets_a_caller_through", "Bearer " + key, http.StatusOK},
		{"refuses_no_header", "", http.StatusUnauthorized},
		{"refuses_a_bad_key", "Bearer " + auth.KeyPrefix, http.StatusUnauthorized},
		{"refuses_another_scheme", "Basic " + key, http.StatusUnauthorized},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
			r.Header.Set("Authorization", test.header)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if got := w.Code; got != test.want {
				t.Errorf("status: got %d, want %d", got, test.want)
			}
		})
	}
}
