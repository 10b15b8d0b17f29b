package db

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"portico/model"
)

// CodeLifetime is how long an authorization code can be exchanged (requirements.md, OAuth).
//
// RFC 6749 section 4.1.2 recommends at most ten minutes. An app exchanges its code within a second.
const CodeLifetime = time.Minute

// ungrantedLifetime is how long a client is kept without the consent of any user.
//
// Anybody may register clients (RFC 7591), so those that nobody uses must not stay.
const ungrantedLifetime = "interval '7 days'"

// OAuthClient is a program that registered itself, or whose id is the address of the
// document that describes it. It is a public client: it has no secret, so anybody can use
// its id.
type OAuthClient struct {
	bun.BaseModel `bun:"table:oauth_clients"`

	ID           string   `bun:",pk"`
	Name         string   // chosen by the client; may be empty
	RedirectURIs []string `bun:"redirect_uris,array"`
	CreatedAt    model.Time
	GrantedAt    model.Time `bun:",nullzero"` // zero without the consent of any user
}

// OAuthCode is an authorization code with the request that it is bound to.
//
// RFC 6749 section 4.1.3 requires that the token request has the same client and redirect URI, and
// RFC 7636 section 4.6 that its verifier hashes to the challenge. Package oauth compares them.
type OAuthCode struct {
	bun.BaseModel `bun:"table:oauth_codes"`

	Hash        []byte `bun:",pk"` // the SHA-256 of the code
	ClientID    string
	UserID      string
	RedirectURI string
	Challenge   string // PKCE, method S256
	Scope       string
	// AccessVersion is the version of the account when the user consented.
	AccessVersion int64
	ExpiresAt     model.Time
}

// AddOAuthClient stores a client that has registered itself, under a new id.
func (db *DB) AddOAuthClient(ctx context.Context, client *OAuthClient) error {
	_, err := db.idb.NewInsert().Model(client).Exec(ctx)
	return translate(err)
}

// SaveOAuthClient stores a client, or updates the one with its id. It is for a client that is
// identified by the address of its metadata document, which may change.
func (db *DB) SaveOAuthClient(ctx context.Context, client *OAuthClient) error {
	_, err := db.idb.NewInsert().Model(client).
		On("CONFLICT (id) DO UPDATE").Set("name = EXCLUDED.name, redirect_uris = EXCLUDED.redirect_uris").Exec(ctx)
	return translate(err)
}

// OAuthClient returns the client with this id, or model.ClientNotFound.
func (db *DB) OAuthClient(ctx context.Context, id string) (*OAuthClient, error) {
	client := new(OAuthClient)
	err := db.idb.NewSelect().Model(client).Where("id = ?", id).Scan(ctx)
	return client, translateNotFound(err, model.ClientNotFound)
}

// AddOAuthCode stores a code that expires after CodeLifetime, by the clock of the
// database, which all replicas share. It records the user's consent to the client.
//
// The consent, the event and the code are one transaction: there is no code without its record. The
// version of the account is compared when the code is exchanged, so a password that changes in
// between ends it.
func (db *DB) AddOAuthCode(ctx context.Context, code *OAuthCode) error {
	return db.InTx(ctx, func(tx *DB) error {
		// This statement is first because it locks the client, so that the purge cannot delete it.
		var name string
		err := tx.idb.NewRaw("UPDATE oauth_clients SET granted_at = coalesce(granted_at, now()) WHERE id = ? RETURNING name",
			code.ClientID).Scan(ctx, &name)
		if err != nil {
			return translateNotFound(err, model.ClientNotFound)
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

// describeClient returns the name of a client and the host of its redirect address. The
// client chooses its name freely, but not the address.
func describeClient(name, redirectURI string) string {
	host := ""
	if u, err := url.Parse(redirectURI); err == nil {
		host = u.Host
	}
	return strings.TrimSpace(name + " at " + host)
}

// HasConsented reports whether the user has ever consented to give the client a key.
func (db *DB) HasConsented(ctx context.Context, userID, clientID string) (bool, error) {
	var consented bool
	err := db.idb.NewRaw("SELECT EXISTS (SELECT FROM oauth_consents WHERE "+belongsTo("?")+" AND client_id = ?)",
		userID, clientID).Scan(ctx, &consented)
	return consented, translate(err)
}

// RedeemOAuthCode deletes the code and returns it: of two concurrent callers, one gets it.
// It does not find an expired code, or one whose remaining lifetime exceeds CodeLifetime
// because the clock was set back.
//
// A code is single-use (RFC 6749 section 4.1.2), even if the exchange then fails: a second attempt
// with another verifier finds nothing.
func (db *DB) RedeemOAuthCode(ctx context.Context, hash []byte) (*OAuthCode, error) {
	code := new(OAuthCode)
	err := db.idb.NewRaw(`
		DELETE FROM oauth_codes WHERE hash = ?
			AND expires_at > now() AND expires_at <= now() + ? * interval '1 second' RETURNING *`,
		hash, CodeLifetime.Seconds()).Scan(ctx, code)
	return code, translateNotFound(err, "Code not found")
}

// PurgeSignIns deletes expired codes, sessions, passkey challenges and changes of an address,
// expired mailed links that are older than an hour, and clients that got no consent within a week.
// Links stay for an hour after their creation, because AddMailedLink counts them.
//
// It deletes up to limit rows of each table, the oldest first, and returns the largest number that
// it has deleted of one table.
func (db *DB) PurgeSignIns(ctx context.Context, limit int) (int, error) {
	maxDeleted := 0
	for _, purge := range []struct{ table, time, condition string }{
		{"oauth_codes", "expires_at", "expires_at < now()"},
		{"sessions", "expires_at", "expires_at < now()"},
		{"passkey_challenges", "expires_at", "expires_at < now()"},
		{"email_changes", "expires_at", "expires_at < now()"},
		{"mailed_links", "expires_at", "expires_at < now() AND created_at < now() - interval '1 hour'"},
		{"oauth_clients", "created_at", "granted_at IS NULL AND created_at < now() - " + ungrantedLifetime},
	} {
		// The condition is there twice, because a row may be used again while the statement waits
		// for its lock. Rows are locked in the order of the table, so that two purges never wait
		// for each other.
		result, err := db.idb.ExecContext(ctx, "DELETE FROM "+purge.table+" WHERE "+purge.condition+" AND ctid = ANY(ARRAY("+
			"SELECT ctid FROM "+purge.table+" WHERE "+purge.condition+" ORDER BY "+purge.time+" LIMIT ?))", limit)
		if err != nil {
			return maxDeleted, translate(err)
		}
		deleted, err := result.RowsAffected()
		if err != nil {
			return maxDeleted, err
		}
		maxDeleted = max(maxDeleted, int(deleted))
	}
	return maxDeleted, nil
}
