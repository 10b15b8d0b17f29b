package auth

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

// webhookSecretSize is the size of a secret in bytes. The Standard Webhooks specification allows
// 24 to 64.
const webhookSecretSize = 32

// newWebhookSeal returns the cipher for the secrets of webhooks. They cannot be hashed, because the
// server signs with them.
func newWebhookSeal(secret []byte) (cipher.AEAD, error) { return newSeal(secret, "webhooks") }

// NewWebhookSecret returns a new secret of a webhook, in plain text and encrypted, bound to the
// webhook.
func (k *Keys) NewWebhookSecret(webhookID string) (secret string, sealed []byte) {
	var key [webhookSecretSize]byte
	_, _ = rand.Read(key[:]) // never fails (Go 1.24)
	secret = "whsec_" + base64.StdEncoding.EncodeToString(key[:])
	return secret, k.webhookSeal.Seal(nil, nil, []byte(secret), []byte(webhookID))
}

// OpenWebhookSecret decrypts a secret of a webhook. It fails if the server's secret was changed.
func (k *Keys) OpenWebhookSecret(webhookID string, sealed []byte) (string, error) {
	secret, err := k.webhookSeal.Open(nil, nil, sealed, []byte(webhookID))
	if err != nil {
		return "", fmt.Errorf("open the secret of webhook %s (was PORTICO_SECRET changed?): %w", webhookID, err)
	}
	return string(secret), nil
}
