package db

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"portico/model"
)

// CodeLifetime is how long an authorization code can be exchanged (contract,
// OAuth).
const CodeLifetime = time.Minute

// ungrantedLifetime is how long a client is kept to which nobody agreed.
const ungrantedLifetime = 7 * 24 * time.Hour

// OAuthClient is a program that registered itself, or that is described by the
// document whose address is its id. It is public: it has no secret, so its id proves
// nothing.
type OAuthClient struct {
	bun.BaseModel `bun:"table:oauth_clients"`

	ID           string   `bun:",pk"`
	Name         string   // what it calls itself; may be empty
	RedirectURIs []string `bun:"redirect_uris,array"`
	CreatedAt    model.Time
	GrantedAt    model.Time `bun:",nullzero"` // zero while nobody has agreed
}

// OAuthCode is an authorization code with all that it is bound to.
type OAuthCode struct {
	bun.BaseModel `bun:"table:oauth_codes"`

	Hash        []byte `bun:",pk"` // the SHA-256 of the code
	ClientID    string
	UserID      string
	RedirectURI string
	Challenge   string // PKCE, method S256
	Scope       string
	// AccessVersion is the version of the account when the user agreed.
	AccessVersion int64
	ExpiresAt     model.Time
}

// AddOAuthClient stores a client.
func (db *DB) AddOAuthClient(ctx context.Context, client *OAuthClient) error {
	_, err := db.idb.NewInsert().Model(client).Exec(ctx)
	return translate(err)
}

// SaveOAuthClient stores a client, in place of what was stored of it before.
func (db *DB) SaveOAuthClient(ctx context.Context, client *OAuthClient) error {
	_, err := db.idb.NewInsert().Model(client).
		On("CONFLICT (id) DO UPDATE").Set("name = EXCLUDED.name, redirect_uris = EXCLUDED.redirect_uris").Exec(ctx)
	return translate(err)
}

// OAuthClient returns the client with this id.
func (db *DB) OAuthClient(ctx context.Context, id string) (*OAuthClient, error) {
	client := new(OAuthClient)
	err := db.idb.NewSelect().Model(client).Where("id = ?", id).Scan(ctx)
	return client, one(err, "Client not found")
}

// AddOAuthCode stores a code that lives for CodeLifetime, by the clock of the
// database, which all replicas share. Its client is one that got a grant now, and
// that this user has agreed to.
func (db *DB) AddOAuthCode(ctx context.Context, code *OAuthCode) error {
	return db.InTx(ctx, func(tx *DB) error {
		// First, and locked by it: the purge cannot take the client meanwhile.
		var name string
		err := tx.idb.NewRaw("UPDATE oauth_clients SET granted_at = coalesce(granted_at, now()) WHERE id = ? RETURNING name",
			code.ClientID).Scan(ctx, &name)
		if err != nil {
			return one(err, "Client not found")
		}
		if err := tx.record(ctx, model.EventConsentGiven, code.UserID, code.ClientID, describeClient(name, code.RedirectURI)); err != nil {
			return err
		}
		_, err = tx.idb.ExecContext(ctx,
			"INSERT INTO oauth_consents (user_id, client_id) VALUES (?, ?) ON CONFLICT DO NOTHING", code.UserID, code.ClientID)
		if err != nil {
			return translate(err)
		}
		_, err = tx.idb.NewInsert().Model(code).
			Value("expires_at", "now() + ? * interval '1 second'", CodeLifetime.Seconds()).Exec(ctx)
		return translate(err)
	})
}

// describeClient names a client by what it calls itself, and by where the user was
// sent, which the client cannot choose freely.
func describeClient(name, redirectURI string) string {
	host := ""
	if u, err := url.Parse(redirectURI); err == nil {
		host = u.Host
	}
	return strings.TrimSpace(name + " at " + host)
}

// HasConsented reports whether the user has ever agreed to give the client a key.
func (db *DB) HasConsented(ctx context.Context, userID, clientID string) (bool, error) {
	var consented bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM oauth_consents WHERE user_id = ? AND client_id = ?)",
		userID, clientID).Scan(ctx, &consented)
	return consented, translate(err)
}

// TakeOAuthCode returns the code and forgets it: of two callers at once, one
// gets it. An expired code is not found, nor is one that would live on for longer
// than any does: the clock was put back since.
func (db *DB) TakeOAuthCode(ctx context.Context, hash []byte) (*OAuthCode, error) {
	code := new(OAuthCode)
	err := db.idb.NewRaw(`
		DELETE FROM oauth_codes WHERE hash = ?
			AND expires_at > now() AND expires_at <= now() + ? * interval '1 second' RETURNING *`,
		hash, CodeLifetime.Seconds()).Scan(ctx, code)
	return code, one(err, "Code not found")
}

// PurgeSignIns forgets what has no use any more: expired codes and sessions,
// and clients to which nobody agreed within a week.
func (db *DB) PurgeSignIns(ctx context.Context) error {
	for _, statement := range []string{
		"DELETE FROM oauth_codes WHERE expires_at < now()",
		"DELETE FROM sessions WHERE expires_at < now()",
	} {
		if _, err := db.idb.ExecContext(ctx, statement); err != nil {
			return translate(err)
		}
	}
	_, err := db.idb.ExecContext(ctx,
		"DELETE FROM oauth_clients WHERE granted_at IS NULL AND created_at < now() - ? * interval '1 second'",
		ungrantedLifetime.Seconds())
	return translate(err)
}
