package auth

import (
	"context"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"portico/model"
)

// maxLinkPassword is the maximum number of bytes of the password of a share link.
const maxLinkPassword = 200

// newVisitSeal returns the cipher for what browsers keep of share links.
func newVisitSeal(secret []byte) (cipher.AEAD, error) { return newSeal(secret, "share links") }

// LinkSecretHash returns the hash by which a share link is found. The secret is random, so one round
// of SHA-256 is enough, and the time of the search says nothing about the secret of another link.
func LinkSecretHash(secret string) []byte {
	sum := sha256.Sum256([]byte("share link " + secret))
	return sum[:]
}

// HashLinkPassword returns the hash of the password of a share link. Such a password may be short: it is
// told to many people, and nobody can try passwords without the secret of the link.
func (p *Passwords) HashLinkPassword(ctx context.Context, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	if len(normalize(password)) > maxLinkPassword {
		return "", refusePassword("Password must have at most {n} bytes", maxLinkPassword)
	}
	return p.hash(ctx, normalize(password))
}

// SealVisit returns what a browser keeps after it has entered by a share link. It works until a
// time, and only on this server.
func (k *Keys) SealVisit(visit model.LinkAccess, until time.Time) string {
	text := strings.Join([]string{visit.LinkID, strconv.Itoa(visit.Version), strconv.FormatInt(until.Unix(), 10)}, " ")
	return base64.RawURLEncoding.EncodeToString(k.visitSeal.Seal(nil, nil, []byte(text), nil))
}

// OpenVisit returns the visit of a text that SealVisit returned. It reports false for every other
// text, and after the time. The link may have ended since: db.LinkVisits says so.
func (k *Keys) OpenVisit(sealed string, now time.Time) (visit model.LinkAccess, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return visit, false
	}
	text, err := k.visitSeal.Open(nil, nil, raw, nil)
	if err != nil {
		return visit, false
	}
	parts := strings.Split(string(text), " ")
	if len(parts) != 3 {
		return visit, false
	}
	version, err := strconv.Atoi(parts[1])
	if err != nil {
		return visit, false
	}
	until, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || !now.Before(time.Unix(until, 0)) {
		return visit, false
	}
	return model.LinkAccess{LinkID: parts[0], Version: version}, true
}

// WatchVisit returns a context that ends within a second after the share link of a visit, on any
// replica. Call the function to stop watching.
func (k *Keys) WatchVisit(ctx context.Context, visit model.LinkAccess) (context.Context, context.CancelFunc) {
	return k.visits.Watch(ctx, visit)
}
