// Package auth turns an API key into the model.Caller of a request, once for
// every door, and makes the keys. The doors wrap their handlers in it.
package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"portico/db"
	"portico/model"
)

// KeyPrefix begins every API key, so that secret scanners and people recognise
// one that went astray.
const KeyPrefix = "portico_"

// Keys makes and finds API keys. A key is found by its SHA-256; a sealed copy
// is kept for the account page, which shows the key again.
type Keys struct {
	db      *db.DB
	seal    cipher.AEAD
	watches *Watches[string] // of keys, by their ids
}

// minSecret is how many bytes a secret must have: nobody tries out 128 bits.
const minSecret = 16

// NewKeys returns the keys of a server whose secret is at least 16 bytes.
func NewKeys(database *db.DB, secret []byte) (*Keys, error) {
	if len(secret) < minSecret {
		return nil, fmt.Errorf("the secret must have at least %d bytes", minSecret)
	}
	// A key of its own for each use of the secret (RFC 5869).
	key, err := hkdf.Key(sha256.New, secret, nil, "portico api keys", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key that seals API keys: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	watches := &Watches[string]{DB: database, Invalid: database.InvalidKeys, Cause: refused}
	return &Keys{db: database, seal: seal, watches: watches}, err
}

// Key returns the user's API key, which is made when there is none.
func (k *Keys) Key(ctx context.Context, userID string) (string, error) {
	return k.keyIn(ctx, k.db, userID)
}

// keyIn is Key in a transaction.
func (k *Keys) keyIn(ctx context.Context, tx *db.DB, userID string) (string, error) {
	stored, err := tx.KeyOf(ctx, userID)
	if model.CodeOf(err) == model.CodeNotFound {
		stored, err = tx.AddKey(ctx, k.newKey(userID))
	}
	if err != nil {
		return "", err
	}
	return k.open(stored)
}

// KeyFor is Key for a grant of this version of the account's access to the client
// with this id. It returns CodeUnauthenticated when access has ended since.
func (k *Keys) KeyFor(ctx context.Context, userID, clientID string, version int64) (key string, err error) {
	err = k.db.InTx(ctx, func(tx *db.DB) error {
		if err := tx.LockAccess(ctx, userID, version); err != nil {
			return err
		}
		if key, err = k.keyIn(ctx, tx, userID); err != nil {
			return err
		}
		client, err := tx.OAuthClient(ctx, clientID)
		if err != nil {
			return err
		}
		event := model.NewSecurityEvent(ctx, model.EventCodeRedeemed, userID).About(client.ID, client.Name)
		return tx.AddSecurityEvent(ctx, event)
	})
	return key, err
}

func (k *Keys) newKey(userID string) *model.APIKey {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails (Go 1.24)
	key := KeyPrefix + strings.ToLower(encoding.EncodeToString(secret[:]))
	return &model.APIKey{
		ID: model.Token(), UserID: userID, Lookup: lookup(key), CreatedAt: model.Now(),
		// Bound to its user: a sealed key that is moved to another row opens nothing.
		Sealed: k.seal.Seal(nil, nil, []byte(key), []byte(userID)),
	}
}

func (k *Keys) open(stored *model.APIKey) (string, error) {
	key, err := k.seal.Open(nil, nil, stored.Sealed, []byte(stored.UserID))
	if err != nil {
		return "", fmt.Errorf("open the API key of user %s (was PORTICO_SECRET changed?): %w", stored.UserID, err)
	}
	return string(key), nil
}

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

func lookup(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}
