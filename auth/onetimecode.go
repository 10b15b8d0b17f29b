package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// newCodeSeal returns the cipher for the secrets of one-time codes. They cannot be hashed, because
// the server needs them to compute the codes.
func newCodeSeal(secret []byte) (cipher.AEAD, error) {
	return newSeal(secret, "one-time codes")
}

// newSeal returns an AES-256-GCM cipher whose key is derived from the server's secret for one
// purpose (RFC 5869). A change of the purpose makes stored values unreadable.
//
// GCM is used with a random nonce of 96 bits, which Seal puts before the ciphertext.
func newSeal(secret []byte, purpose string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "portico "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key that seals %s: %w", purpose, err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// SealCode encrypts the secret of the user's one-time codes, bound to the user.
func (k *Keys) SealCode(userID, secret string) []byte {
	return k.codeSeal.Seal(nil, nil, []byte(secret), []byte(userID))
}

// OpenCode decrypts what SealCode returned. It fails if the server's secret was changed.
func (k *Keys) OpenCode(userID string, sealed []byte) (string, error) {
	secret, err := k.codeSeal.Open(nil, nil, sealed, []byte(userID))
	if err != nil {
		return "", fmt.Errorf("open the one-time codes of user %s (was PORTICO_SECRET changed?): %w", userID, err)
	}
	return string(secret), nil
}
