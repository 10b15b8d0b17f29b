package auth

import (
	"context"
	"net/http"
	"strings"

	"portico/model"
)

// Caller returns the account of the API key, or CodeUnauthenticated if it is not valid. The
// key is looked up by its hash, so the time of a comparison reveals nothing about it.
//
// It is one query by a unique index.
func (k *Keys) Caller(ctx context.Context, key string) (*model.Caller, error) {
	if !isKey(key) {
		return nil, model.Unauthenticated()
	}
	stored, err := k.db.Keys().KeyByLookup(ctx, lookup(key))
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, model.Unauthenticated()
	}
	if err != nil {
		return nil, err
	}
	return &model.Caller{UserID: stored.UserID, KeyID: stored.ID}, nil
}

// maxKeyLength is more than any key has, in bytes.
const maxKeyLength = 200

// isKey reports whether the text can be a key. Any other text is refused without a query.
func isKey(key string) bool { return strings.HasPrefix(key, KeyPrefix) && len(key) <= maxKeyLength }

// Bearer returns middleware that puts the caller of a valid key into the context. It calls refuse
// for all other requests. See RequestCaller for the time at which the key must be valid.
func (k *Keys) Bearer(refuse func(http.ResponseWriter, *http.Request, error)) func(http.Handler) http.Handler {
	return bearer(k.RequestCaller, refuse)
}

// RememberedBearer returns the middleware of Bearer, but makes no query for a key that was valid
// before. The key is then unchecked: see RememberedCaller.
func (k *Keys) RememberedBearer(refuse func(http.ResponseWriter, *http.Request, error)) func(http.Handler) http.Handler {
	return bearer(k.RememberedCaller, refuse)
}

func bearer(
	find func(*http.Request) (*model.Caller, error), refuse func(http.ResponseWriter, *http.Request, error),
) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller, err := find(r)
			if err != nil {
				refuse(w, r, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(model.WithCaller(r.Context(), caller)))
		})
	}
}

// HeaderCaller is Caller with the value of an Authorization header, for a client that sends it in
// another place.
func (k *Keys) HeaderCaller(ctx context.Context, header string) (*model.Caller, error) {
	return k.Caller(ctx, parseBearer(header))
}

// Token returns the bearer token of a request, or "". It does not check whether it is a valid key.
func Token(r *http.Request) string { return parseBearer(r.Header.Get("Authorization")) }

// parseBearer returns the token of an Authorization header (RFC 6750 section 2.1), or "" for
// another scheme.
func parseBearer(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
