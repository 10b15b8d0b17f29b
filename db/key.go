package db

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

const keyByLookup = "SELECT id, user_id, lookup, sealed, created_at FROM api_keys WHERE lookup = $1 AND revoked_at IS NULL"

// KeyByLookup returns the valid key with this lookup (the SHA-256 of the key).
//
// The database has no key in plain text: lookup is its hash, and sealed is the key encrypted with
// the server's secret, for the account page (API section 5).
func (db Keys) KeyByLookup(ctx context.Context, lookup []byte) (*model.APIKey, error) {
	key := new(model.APIKey)
	err := db.rows(ctx, func(row *sql.Rows) error {
		return row.Scan(&key.ID, &key.UserID, &key.Lookup, &key.Sealed, &key.CreatedAt)
	}, keyByLookup, lookup)
	if err == nil && key.ID == "" {
		err = model.NotFound(model.KeyNotFound)
	}
	return key, err
}

// KeyOf returns the user's valid key.
func (db Keys) KeyOf(ctx context.Context, userID string) (*model.APIKey, error) {
	key := new(model.APIKey)
	err := db.idb.NewSelect().Model(key).
		Where(belongsTo("?")+" AND revoked_at IS NULL", userID).Scan(ctx)
	return key, translateNotFound(err, model.KeyNotFound)
}

// AddKey stores the key unless the user has a valid key, and returns the valid one: two
// concurrent sign-ins get the same key.
//
// The unique index api_keys_valid allows one key without revoked_at for each user. The insert that
// waits for another one does nothing, and KeyOf returns the key of the other (API section 5: an
// existing key is returned, never replaced).
func (db Keys) AddKey(ctx context.Context, key *model.APIKey) (*model.APIKey, error) {
	err := db.InTx(ctx, func(tx *DB) error {
		added, err := rowChanged(tx.idb.NewInsert().Model(key).
			On("CONFLICT (user_id) WHERE revoked_at IS NULL DO NOTHING").Exec(ctx))
		if err != nil || !added {
			return err
		}
		return tx.Audit().record(ctx, model.EventKeyCreated, key.UserID, key.ID, "")
	})
	if err != nil {
		return nil, err
	}
	return db.KeyOf(ctx, key.UserID)
}

// RevokeKeyOf revokes the user's valid key, if there is one, with what acts for the account
// (endDelegated) and the uploads that the key has asked for. It deletes the user's authorization
// codes, which could be exchanged for the next key.
func (db Keys) RevokeKeyOf(ctx context.Context, userID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		revoked, err := tx.Keys().revokeKeys(ctx, userID)
		if err != nil || len(revoked) == 0 {
			return err
		}
		return tx.Keys().endWithKey(ctx, userID, revoked[0])
	})
}

// revokeKeys revokes the user's valid key, deletes the user's authorization codes, and returns the
// id of the key, if there was one. The row stays, with the time of its revocation.
func (db Keys) revokeKeys(ctx context.Context, userID string) (revoked []string, err error) {
	err = db.idb.NewRaw("UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL AND "+belongsTo("?")+" RETURNING id",
		userID).Scan(ctx, &revoked)
	if err != nil {
		return nil, translate(err)
	}
	for _, id := range revoked {
		if err := db.Audit().record(ctx, model.EventKeyRevoked, userID, id, ""); err != nil {
			return nil, err
		}
		db.Announce(TopicRevoked)
	}
	_, err = db.idb.ExecContext(ctx, "DELETE FROM oauth_codes WHERE "+belongsTo("?"), userID)
	return revoked, translate(err)
}

// endWithKey ends what ends with a key that was revoked, but not with the sessions of its account.
func (db Keys) endWithKey(ctx context.Context, userID, keyID string) error {
	if err := db.endDelegated(ctx, userID); err != nil {
		return err
	}
	return db.discardUploads(ctx, "key_id = ?", userID, keyID)
}

// ReplaceKey revokes the key with the old id, stores the new key of the same user and
// deletes the user's authorization codes. When the old key is not valid any more it
// changes nothing and returns CodeUnauthenticated.
//
// The old id makes it safe to repeat: a request that is sent twice does not revoke the key that the
// first one returned.
func (db Keys) ReplaceKey(ctx context.Context, oldID string, key *model.APIKey) error {
	return db.InTx(ctx, func(tx *DB) error {
		if err := tx.Keys().replaceKey(ctx, oldID, key); err != nil {
			return err
		}
		if err := tx.Audit().record(ctx, model.EventKeyRevoked, key.UserID, oldID, ""); err != nil {
			return err
		}
		if err := tx.Keys().endWithKey(ctx, key.UserID, oldID); err != nil {
			return err
		}
		return tx.Audit().record(ctx, model.EventKeyCreated, key.UserID, key.ID, "")
	})
}

// replaceKey is ReplaceKey without the audit trail.
//
// It is one statement: of two requests that replace the same key, the second waits for
// the first and then finds the old key revoked.
//
// MATERIALIZED locks the account before the update reads the key. The insert reads from the update,
// so the old key is revoked before the unique index api_keys_valid sees the new one.
func (db Keys) replaceKey(ctx context.Context, oldID string, key *model.APIKey) error {
	replaced, err := rowChanged(db.idb.ExecContext(ctx, `
		WITH owner AS MATERIALIZED (
			SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE
		), replaced AS (
			UPDATE api_keys SET revoked_at = now() FROM owner
			WHERE api_keys.id = ? AND api_keys.user_id = owner.id AND revoked_at IS NULL
			RETURNING api_keys.user_id
		), ended AS (
			DELETE FROM oauth_codes USING replaced WHERE oauth_codes.user_id = replaced.user_id
		)
		INSERT INTO api_keys (id, user_id, lookup, sealed, created_at) SELECT ?, user_id, ?, ?, ? FROM replaced`,
		key.UserID, oldID, key.ID, key.Lookup, key.Sealed, key.CreatedAt))
	if err == nil && !replaced {
		return errAccessRevoked()
	}
	if err == nil {
		db.Announce(TopicRevoked)
	}
	return err
}

// KeyIsValid reports whether the key with this id exists and is not revoked.
func (db Keys) KeyIsValid(ctx context.Context, id string) (bool, error) {
	valid := false
	err := db.rows(ctx, func(row *sql.Rows) error { return row.Scan(&valid) }, keyIsValid, id)
	return valid, err
}

const keyIsValid = "SELECT EXISTS (SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NULL)"

// InvalidKeys returns the ids whose keys are not valid.
//
// Keys.Watch in package auth asks for all keys of the process at once after TopicRevoked.
func (db Keys) InvalidKeys(ctx context.Context, ids []string) ([]string, error) {
	var invalid []string
	err := db.idb.NewRaw(`
		SELECT id FROM unnest(?::text[]) AS watched (id)
		WHERE NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = watched.id AND revoked_at IS NULL)`,
		pgdialect.Array(ids)).Scan(ctx, &invalid)
	return invalid, translate(err)
}

// endDelegated ends what acts for the account without presenting a key or a session each time. Call
// it in the transaction that ends a key, which has locked the account:
//
//	webhooks          disabled until the owner enables them again, with a notification
//	signed addresses  of exports and protected files: they contain the KeyVersion of the account
//	app consents      removed: no app has the key any more
//
// Otherwise somebody who had the account for a minute would go on to receive its events.
func (db Keys) endDelegated(ctx context.Context, userID string) error {
	for _, statement := range []string{
		"UPDATE users SET key_version = key_version + 1 WHERE id = ?",
		"DELETE FROM oauth_consents WHERE " + belongsTo("?"),
	} {
		if _, err := db.idb.ExecContext(ctx, statement, userID); err != nil {
			return translate(err)
		}
	}
	var enabled []string
	err := db.idb.NewRaw("SELECT id FROM webhooks WHERE "+belongsTo("?")+" AND disabled_at IS NULL ORDER BY id FOR NO KEY UPDATE", userID).
		Scan(ctx, &enabled)
	if err != nil {
		return translate(err)
	}
	for _, id := range enabled {
		if err := db.Webhooks().disableWebhook(ctx, id, model.WebhookAccessEnded, nil); err != nil {
			return err
		}
	}
	return nil
}

// discardUploads discards the pending uploads of the account for which the condition is true, and
// schedules the removal of their bytes. Their addresses then store nothing.
func (db Keys) discardUploads(ctx context.Context, condition, userID string, args ...any) error {
	var discarded []*model.Upload
	err := db.idb.NewRaw(`
		UPDATE uploads SET state = 'discarded' WHERE id IN (
			SELECT id FROM uploads WHERE `+belongsTo("?")+` AND state = 'pending' AND `+condition+` ORDER BY id FOR UPDATE)
		RETURNING user_id, resource_key, size, resumable, expires_at`, append([]any{userID}, args...)...).Scan(ctx, &discarded)
	if err != nil {
		return translate(err)
	}
	for _, upload := range discarded {
		if err := db.Files().AddRemoval(ctx, RemovalOf(upload)); err != nil {
			return err
		}
	}
	return nil
}

// endWaitingMail ends the links that were mailed for the account: those that set a password, and
// those to a new address, with the change that waits for one.
func (db Keys) endWaitingMail(ctx context.Context, user *model.User) error {
	if err := db.SignIns().endMailedLinks(ctx, user.ID, model.MailReset, user.Email); err != nil {
		return err
	}
	return db.SignIns().endEmailChange(ctx, user)
}

// CheckAccess returns CodeUnauthenticated if the key or the session of the caller in ctx has ended.
// A transaction that stores what acts for the account calls it when it has locked the account:
// otherwise a request that was authenticated before would store it after its access has ended.
func (db Keys) CheckAccess(ctx context.Context) error {
	caller := model.CallerFrom(ctx)
	if caller == nil {
		return nil
	}
	var ended bool
	err := db.idb.NewRaw(`SELECT EXISTS (SELECT FROM api_keys WHERE id = ? AND revoked_at IS NOT NULL)
		OR EXISTS (SELECT FROM sessions JOIN users ON users.id = sessions.user_id
			WHERE token = ? AND (ended_at IS NOT NULL OR sessions.access_version <> users.access_version))`,
		caller.KeyID, caller.Session).Scan(ctx, &ended)
	if err == nil && ended {
		return errAccessRevoked()
	}
	return translate(err)
}

// KeyVersion returns the KeyVersion of the account; 0 if there is no such account.
func (db Keys) KeyVersion(ctx context.Context, userID string) (version int64, err error) {
	err = db.idb.NewRaw("SELECT key_version FROM users WHERE id = ?", userID).Scan(ctx, &version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return version, translate(err)
}

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
func (db Keys) AddOAuthClient(ctx context.Context, client *OAuthClient) error {
	_, err := db.idb.NewInsert().Model(client).Exec(ctx)
	return translate(err)
}

// SaveOAuthClient stores a client, or updates the one with its id. It is for a client that is
// identified by the address of its metadata document, which may change.
func (db Keys) SaveOAuthClient(ctx context.Context, client *OAuthClient) error {
	_, err := db.idb.NewInsert().Model(client).
		On("CONFLICT (id) DO UPDATE").Set("name = EXCLUDED.name, redirect_uris = EXCLUDED.redirect_uris").Exec(ctx)
	return translate(err)
}

// OAuthClient returns the client with this id, or model.ClientNotFound.
func (db Keys) OAuthClient(ctx context.Context, id string) (*OAuthClient, error) {
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
func (db Keys) AddOAuthCode(ctx context.Context, code *OAuthCode) error {
	return db.InTx(ctx, func(tx *DB) error {
		// This statement is first because it locks the client, so that the purge cannot delete it.
		var name string
		err := tx.idb.NewRaw("UPDATE oauth_clients SET granted_at = coalesce(granted_at, now()) WHERE id = ? RETURNING name",
			code.ClientID).Scan(ctx, &name)
		if err != nil {
			return translateNotFound(err, model.ClientNotFound)
		}
		if err := tx.Audit().record(ctx, model.EventConsentGiven, code.UserID, code.ClientID, describeClient(name, code.RedirectURI)); err != nil {
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
func (db Keys) HasConsented(ctx context.Context, userID, clientID string) (bool, error) {
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
func (db Keys) RedeemOAuthCode(ctx context.Context, hash []byte) (*OAuthCode, error) {
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
func (db Keys) PurgeSignIns(ctx context.Context, limit int) (int, error) {
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

// ConnectedApps returns the programs that the user has agreed to give the API key, newest
// first, at most 100.
//
// All apps of an account share its one API key (API section 5), so the row says to whom the key was
// given, and not which key an app has.
func (db Keys) ConnectedApps(ctx context.Context, userID string) ([]*model.ConnectedApp, error) {
	var rows []struct {
		bun.BaseModel `bun:"table:oauth_clients"`

		ID           string
		Name         string
		RedirectURIs []string `bun:"redirect_uris,array"`
		ConnectedAt  model.Time
	}
	err := db.idb.NewRaw(`
		SELECT oauth_clients.id, name, redirect_uris, oauth_consents.created_at AS connected_at
		FROM oauth_consents JOIN oauth_clients ON oauth_clients.id = client_id
		WHERE `+belongsTo("?")+` ORDER BY oauth_consents.created_at DESC, client_id LIMIT 100`, userID).Scan(ctx, &rows)
	apps := make([]*model.ConnectedApp, len(rows))
	for i, row := range rows {
		apps[i] = &model.ConnectedApp{ID: row.ID, Name: row.Name, Hosts: hostsOf(row.RedirectURIs), ConnectedAt: row.ConnectedAt}
	}
	return apps, translate(err)
}

// hostsOf returns the hosts of redirect addresses, each once. Package oauth registers only
// addresses that have a host.
func hostsOf(addresses []string) []string {
	hosts := []string{}
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil && !slices.Contains(hosts, u.Host) {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// RemoveConsent withdraws the user's consent to a program and revokes the user's API key,
// which the program has.
//
// The other apps of the account lose their access too, because they have the same key. They get the
// next key when the user consents again.
func (db Keys) RemoveConsent(ctx context.Context, userID, clientID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.Accounts().LockUser(ctx, userID); err != nil {
			return err
		}
		var name string
		err := tx.idb.NewRaw(`
			DELETE FROM oauth_consents USING oauth_clients
			WHERE `+belongsTo("?")+` AND client_id = ? AND oauth_clients.id = client_id RETURNING name`, userID, clientID).Scan(ctx, &name)
		if err != nil {
			return translateNotFound(err, model.AppNotFound)
		}
		if err := tx.Audit().record(ctx, model.EventConsentRevoked, userID, clientID, name); err != nil {
			return err
		}
		return tx.Keys().RevokeKeyOf(ctx, userID)
	})
}
