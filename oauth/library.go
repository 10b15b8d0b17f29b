package oauth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-oauth2/oauth2/v4"
	"github.com/go-oauth2/oauth2/v4/errors"
	"github.com/go-oauth2/oauth2/v4/models"
	"github.com/go-oauth2/oauth2/v4/server"

	"portico/db"
	"portico/model"
)

// This file has the types that the library calls.

// libraryConfig returns a configuration that allows only the code flow with PKCE by S256. The
// library refuses every other grant.
func libraryConfig() *server.Config {
	return &server.Config{
		TokenType:                   "Bearer",
		AllowedResponseTypes:        []oauth2.ResponseType{oauth2.Code},
		AllowedGrantTypes:           []oauth2.GrantType{oauth2.AuthorizationCode},
		AllowedCodeChallengeMethods: []oauth2.CodeChallengeMethod{oauth2.CodeChallengeS256},
		ForcePKCE:                   true,
	}
}

// clientIDOf returns the client id in the form. Some OAuth libraries send it in a Basic header
// instead, with an empty secret, because our clients have no secret.
func clientIDOf(r *http.Request) (id, secret string, err error) {
	id = r.PostForm.Get("client_id")
	name, password, ok := r.BasicAuth()
	if !ok {
		return id, "", nil
	}
	name, err = url.QueryUnescape(name) // RFC 6749 section 2.3.1
	if err != nil || password != "" || (id != "" && id != name) {
		return "", "", errors.ErrInvalidClient
	}
	return name, "", nil
}

// keyTokens returns the API key of the user as the access token. It never replaces an existing key
// (API section 5, token rules).
type keyTokens struct{ keys Keys }

// Token implements oauth2.AccessGenerate.
func (a keyTokens) Token(ctx context.Context, data *oauth2.GenerateBasic, _ bool) (access, refresh string, err error) {
	version, err := accessVersion(data.TokenInfo)
	if err != nil {
		return "", "", err
	}
	access, err = a.keys.KeyFor(ctx, data.UserID, data.Client.GetID(), version)
	if model.CodeOf(err) == model.CodeUnauthenticated { // the access ended after the user agreed
		err = errors.ErrInvalidGrant
	}
	return access, "", err
}

// versionField is the name of the access version in the library's token.
const versionField = "access_version"

// accessVersion returns the access version of the account when the user agreed. A code is invalid
// after that access has ended.
func accessVersion(info oauth2.TokenInfo) (int64, error) {
	extended, ok := info.(oauth2.ExtendableTokenInfo)
	if !ok {
		return 0, fmt.Errorf("a token of type %T has no access version", info)
	}
	return strconv.ParseInt(extended.GetExtension().Get(versionField), 10, 64)
}

// clientStore finds clients.
type clientStore struct{ db *db.DB }

// GetByID implements oauth2.ClientStore.
func (s clientStore) GetByID(ctx context.Context, id string) (oauth2.ClientInfo, error) {
	client, err := storedClient(ctx, s.db, id)
	if err != nil {
		return nil, err
	}
	return &models.Client{ID: client.ID, Public: true}, nil
}

// storedClient returns a client that has registered, or whose document was read for a user who
// agreed. It returns errors.ErrInvalidClient for any other id.
func storedClient(ctx context.Context, database *db.DB, id string) (*db.OAuthClient, error) {
	if !isID(id) && !isDocumentAddress(id) {
		return nil, errors.ErrInvalidClient
	}
	found, err := database.Keys().OAuthClient(ctx, id)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, errors.ErrInvalidClient
	}
	return found, err
}

// isID reports whether the text has the form of our client ids. Other texts must not reach the
// database, which would return an internal error for some of them.
func isID(id string) bool {
	return id != "" && len(id) < 100 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// codeStore reads codes by their hash. It stores no access tokens, because these are API keys.
//
// The library has a store for codes, access and refresh tokens together; this server has codes
// only.
type codeStore struct{ db *db.DB }

// Create implements oauth2.TokenStore. It does nothing: Server.grant stores codes.
func (codeStore) Create(context.Context, oauth2.TokenInfo) error { return nil }

// GetByCode implements oauth2.TokenStore. It deletes the code, even if the exchange fails later:
// nobody can try a second verifier, and only one of two simultaneous exchanges succeeds.
func (s codeStore) GetByCode(ctx context.Context, code string) (oauth2.TokenInfo, error) {
	stored, err := s.db.Keys().RedeemOAuthCode(ctx, hashCode(code))
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, errors.ErrInvalidAuthorizeCode
	}
	if err != nil {
		return nil, err
	}
	info := models.NewToken()
	info.SetCode(code)
	// The database has checked the expiry. The library checks it again with these values.
	info.SetCodeCreateAt(time.Now())
	info.SetCodeExpiresIn(db.CodeLifetime)
	info.SetExtension(url.Values{versionField: {strconv.FormatInt(stored.AccessVersion, 10)}})
	info.SetClientID(stored.ClientID)
	info.SetUserID(stored.UserID)
	info.SetRedirectURI(stored.RedirectURI)
	info.SetScope(stored.Scope)
	info.SetCodeChallenge(stored.Challenge)
	info.SetCodeChallengeMethod(oauth2.CodeChallengeS256)
	return info, nil
}

// RemoveByCode implements oauth2.TokenStore. It does nothing: GetByCode has deleted the code.
func (codeStore) RemoveByCode(context.Context, string) error { return nil }

// RemoveByAccess implements oauth2.TokenStore. It is never called.
func (codeStore) RemoveByAccess(context.Context, string) error { return nil }

// RemoveByRefresh implements oauth2.TokenStore. It is never called.
func (codeStore) RemoveByRefresh(context.Context, string) error { return nil }

// GetByAccess implements oauth2.TokenStore. It is never called.
func (codeStore) GetByAccess(context.Context, string) (oauth2.TokenInfo, error) {
	return nil, errors.ErrInvalidAccessToken
}

// GetByRefresh implements oauth2.TokenStore. It is never called.
func (codeStore) GetByRefresh(context.Context, string) (oauth2.TokenInfo, error) {
	return nil, errors.ErrInvalidRefreshToken
}

// hashCode returns the hash by which the database stores a code. A code has 128 random bits, so it
// needs no slow hash.
func hashCode(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}
