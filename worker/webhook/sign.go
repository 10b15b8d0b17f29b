package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SecretPrefix is the prefix of every secret. The key in base64 follows it.
const SecretPrefix = "whsec_"

// signatures returns the value of the header webhook-signature: for each secret the HMAC-SHA256 of
// the id, the Unix time and the body, with dots between them (Standard Webhooks, "Signature
// scheme"). Each is "v1," and the signature in base64; a space separates them.
func signatures(m Message, at time.Time) (string, error) {
	content := m.ID + "." + strconv.FormatInt(at.Unix(), 10) + "." + m.Body
	signed := make([]string, len(m.Secrets))
	for i, secret := range m.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, SecretPrefix))
		if err != nil {
			return "", fmt.Errorf("decode the secret: %w", err)
		}
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(content)) // a hash never fails
		signed[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signed, " "), nil
}
