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

	"portico/auth"
	"portico/db"
	"portico/model"
)

// The parts that the library asks us for.

// strict allows the code flow with PKCE by S256 and nothing else.
func strict() *server.Config {
	return &server.Config{
		TokenType:                   "Bearer",
		AllowedResponseTypes:        []oauth2.ResponseType{oauth2.Code},
		AllowedGrantTypes:           []oauth2.GrantType{oauth2.AuthorizationCode},
		AllowedCodeChallengeMethods: []oauth2.CodeChallengeMethod{oauth2.CodeChallengeS256},
		ForcePKCE:                   true,
	}
}

// clientOf returns the client that the form names. Some libraries name it in a
// Basic header first; a client with a secret is none of ours.
func clientOf(r *http.Request) (id, secret string, err error) {
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

// accountKey gives the user's API key as access token: the one there is (API
// section 5, token rules).
type accountKey struct{ keys *auth.Keys }

// Token implements oauth2.AccessGenerate.
func (a accountKey) Token(ctx context.Context, data *oauth2.GenerateBasic, _ bool) (access, refresh string, err error) {
	version, err := accessVersion(data.TokenInfo)
	if err != nil {
		return "", "", err
	}
	access, err = a.keys.KeyFor(ctx, data.UserID, data.Client.GetID(), version)
	if model.CodeOf(err) == model.CodeUnauthenticated { // access ended since the user agreed
		err = errors.ErrInvalidGrant
	}
	return access, "", err
}

// versionField is where a code's access version travels through the library.
const versionField = "access_version"

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
	client, err := client(ctx, s.db, id)
	if err != nil {
		return nil, err
	}
	return &models.Client{ID: client.ID, Public: true}, nil
}

// client returns a client that is registered, or described by a document and was
// agreed to; errors.ErrInvalidClient for any other id.
func client(ctx context.Context, database *db.DB, id string) (*db.OAuthClient, error) {
	if !isID(id) && !isDocumentAddress(id) {
		return nil, errors.ErrInvalidClient
	}
	found, err := database.OAuthClient(ctx, id)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, errors.ErrInvalidClient
	}
	return found, err
}

// isID reports whether the text can be an id of ours: what cannot never reaches the
// database.
func isID(id string) bool {
	return id != "" && len(id) < 100 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// codeStore keeps codes by their hash. Access tokens are API keys, which it does
// not keep.
type codeStore struct{ db *db.DB }

// Create implements oauth2.TokenStore: Server.grant stores codes.
func (codeStore) Create(context.Context, oauth2.TokenInfo) error { return nil }

// GetByCode implements oauth2.TokenStore. The code is spent by it, whatever else
// is wrong with the exchange: nobody tries a second verifier, and of two
// exchanges at once one wins.
func (s codeStore) GetByCode(ctx context.Context, code string) (oauth2.TokenInfo, error) {
	taken, err := s.db.TakeOAuthCode(ctx, hash(code))
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, errors.ErrInvalidAuthorizeCode
	}
	if err != nil {
		return nil, err
	}
	info := models.NewToken()
	info.SetCode(code)
	// The database found it alive; the library asks once more.
	info.SetCodeCreateAt(time.Now())
	info.SetCodeExpiresIn(db.CodeLifetime)
	info.SetExtension(url.Values{versionField: {strconv.FormatInt(taken.AccessVersion, 10)}})
	info.SetClientID(taken.ClientID)
	info.SetUserID(taken.UserID)
	info.SetRedirectURI(taken.RedirectURI)
	info.SetScope(taken.Scope)
	info.SetCodeChallenge(taken.Challenge)
	info.SetCodeChallengeMethod(oauth2.CodeChallengeS256)
	return info, nil
}

// RemoveByCode implements oauth2.TokenStore: GetByCode has done it.
func (codeStore) RemoveByCode(context.Context, string) error { return nil }

// RemoveByAccess implements oauth2.TokenStore, which is not called.
func (codeStore) RemoveByAccess(context.Context, string) error { return nil }

// RemoveByRefresh implements oauth2.TokenStore, which is not called.
func (codeStore) RemoveByRefresh(context.Context, string) error { return nil }

// GetByAccess implements oauth2.TokenStore, which is not called.
func (codeStore) GetByAccess(context.Context, string) (oauth2.TokenInfo, error) {
	return nil, errors.ErrInvalidAccessToken
}

// GetByRefresh implements oauth2.TokenStore, which is not called.
func (codeStore) GetByRefresh(context.Context, string) (oauth2.TokenInfo, error) {
	return nil, errors.ErrInvalidRefreshToken
}

// hash is what is stored of a code. It has 128 random bits, so it needs no slow
// hash.
func hash(code string) []byte {
	sum := sha256.Sum256([]byte(code))
	return sum[:]
}
