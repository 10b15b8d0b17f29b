// Package auth authenticates requests by API key, for every door, and creates and revokes
// keys. It also hashes passwords, and ends streams when a key or session ends. The doors wrap their
// handlers in Keys.Bearer.
package auth

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"portico/db"
	"portico/model"
)

// KeyPrefix is the prefix of every API key, by which secret scanners and people recognise a
// leaked one.
const KeyPrefix = "portico_"

// Keys creates and finds API keys. A key is found by its SHA-256. An encrypted copy is stored
// for the account page, which shows the key again.
//
// The ciphers have keys of their own, so a value of one kind never decrypts as another kind.
type Keys struct {
	db          *db.DB
	keySeal     cipher.AEAD      // encrypts API keys
	codeSeal    cipher.AEAD      // encrypts the secrets of one-time codes
	webhookSeal cipher.AEAD      // encrypts the secrets of webhooks
	visitSeal   cipher.AEAD      // encrypts what browsers keep of share links
	watches     *Watches[string] // of keys, by their ids
	visits      *Watches[model.LinkAccess]
	callers     *Cache[keyOwner]
}

// NewKeys returns the keys of a server. The secret must have model.MinSecretBytes or more.
func NewKeys(database *db.DB, secret []byte) (*Keys, error) {
	if len(secret) < model.MinSecretBytes {
		return nil, fmt.Errorf("the secret must have at least %d bytes", model.MinSecretBytes)
	}
	keySeal, err := newSeal(secret, "api keys")
	if err != nil {
		return nil, err
	}
	codeSeal, err := newCodeSeal(secret)
	if err != nil {
		return nil, err
	}
	webhookSeal, err := newWebhookSeal(secret)
	if err != nil {
		return nil, err
	}
	visitSeal, err := newVisitSeal(secret)
	if err != nil {
		return nil, err
	}
	watches := &Watches[string]{DB: database, Invalid: database.Keys().InvalidKeys, Cause: func() error { return model.Unauthenticated() }}
	return &Keys{
		db: database, keySeal: keySeal, codeSeal: codeSeal, webhookSeal: webhookSeal, visitSeal: visitSeal,
		watches: watches, visits: &Watches[model.LinkAccess]{
			DB: database, Invalid: database.ShareLinks().EndedVisits, Cause: func() error { return model.Forbidden("The link has ended") },
		}, callers: NewCache[keyOwner](database),
	}, nil
}

// EnsureKey returns the user's API key. It creates one if there is none.
func (k *Keys) EnsureKey(ctx context.Context, userID string) (string, error) {
	return k.EnsureKeyIn(ctx, k.db, userID)
}

// EnsureKeyIn is EnsureKey in a transaction.
func (k *Keys) EnsureKeyIn(ctx context.Context, tx *db.DB, userID string) (string, error) {
	stored, err := tx.Keys().KeyOf(ctx, userID)
	if model.CodeOf(err) == model.CodeNotFound {
		stored, err = tx.Keys().AddKey(ctx, k.newKey(userID))
	}
	if err != nil {
		return "", err
	}
	return k.open(stored)
}

// KeyFor is EnsureKey for an OAuth client, whose grant is of this access version of the account. It
// returns CodeUnauthenticated if access has ended in the meantime.
//
// The lock on the account makes it exclusive with a revocation: a code that was given before gets
// no key afterwards.
func (k *Keys) KeyFor(ctx context.Context, userID, clientID string, version int64) (key string, err error) {
	err = k.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.Accounts().LockAccess(ctx, userID, version); err != nil {
			return err
		}
		if key, err = k.EnsureKeyIn(ctx, tx, userID); err != nil {
			return err
		}
		client, err := tx.Keys().OAuthClient(ctx, clientID)
		if err != nil {
			return err
		}
		event := model.NewSecurityEvent(ctx, model.EventCodeRedeemed, userID).WithSubject(client.ID, client.Name)
		return tx.Audit().AddSecurityEvent(ctx, event)
	})
	return key, err
}

// newKey returns a key that is not stored yet. Its plain text is only in Sealed.
func (k *Keys) newKey(userID string) *model.APIKey {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails (Go 1.24)
	key := KeyPrefix + strings.ToLower(encoding.EncodeToString(secret[:]))
	return &model.APIKey{
		ID: model.Token(), UserID: userID, Lookup: lookup(key), CreatedAt: model.Now(),
		// Bound to the user: a sealed key that is moved to the row of another user cannot be
		// decrypted.
		Sealed: k.keySeal.Seal(nil, nil, []byte(key), []byte(userID)),
	}
}

// open decrypts a stored key. It returns model.ErrKeySealed if the server's secret was changed.
func (k *Keys) open(stored *model.APIKey) (string, error) {
	key, err := k.keySeal.Open(nil, nil, stored.Sealed, []byte(stored.UserID))
	if err != nil { // the cipher has no other error
		return "", fmt.Errorf("open the API key of user %s (was PORTICO_SECRET changed?): %w", stored.UserID, model.ErrKeySealed)
	}
	return string(key), nil
}

// Opens reports whether the server's secret decrypts the stored key of an account.
func (k *Keys) Opens(userID string, sealed []byte) bool {
	_, err := k.open(&model.APIKey{UserID: userID, Sealed: sealed})
	return err == nil
}

// encoding has letters and digits only and no padding, so that a double-click selects a whole key.
var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// lookup returns the hash by which a key is found. A key has 256 random bits, so a hash without
// salt cannot be tried.
func lookup(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
