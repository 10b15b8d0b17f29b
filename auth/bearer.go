package auth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"portico/model"
)

// keyOwner is whose a key is.
type keyOwner struct{ keyID, userID string }

// Caller returns the account of the API key, or CodeUnauthenticated if it is not valid. The
// key is looked up by its hash, so the time of a comparison reveals nothing about it.
//
// It is one query by a unique index, or none (Cache).
func (k *Keys) Caller(ctx context.Context, key string) (*model.Caller, error) {
	if !isKey(key) {
		return nil, model.Unauthenticated()
	}
	hash := lookup(key)
	find := func(ctx context.Context) (keyOwner, error) {
		return k.callers.Find(ctx, string(hash), func(ctx context.Context) (owner keyOwner, expires time.Time, err error) {
			stored, err := k.db.Keys().KeyByLookup(ctx, hash)
			if model.CodeOf(err) == model.CodeNotFound {
				err = model.Unauthenticated()
			}
			if err != nil {
				return owner, expires, err
			}
			return keyOwner{keyID: stored.ID, userID: stored.UserID}, expires, nil
		})
	}
	owner, err := find(ctx)
	if err != nil {
		return nil, err
	}
	return &model.Caller{
		UserID: owner.userID, KeyID: owner.keyID,
		Check: func(ctx context.Context) error {
			_, err := find(ctx)
			return err
		},
		Watch: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return k.Watch(ctx, owner.keyID)
		},
	}, nil
}

// maxKeyLength is more than any key has, in bytes.
const maxKeyLength = 200

// isKey reports whether the text can be a key. Any other text is refused without a query.
func isKey(key string) bool { return strings.HasPrefix(key, KeyPrefix) && len(key) <= maxKeyLength }

// Bearer returns middleware that puts the caller of a valid key into the context. It calls refuse
// for all other requests. See CheckBody for the time at which the key must be valid.
func (k *Keys) Bearer(refuse func(http.ResponseWriter, *http.Request, error)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller, err := k.RequestCaller(r)
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
