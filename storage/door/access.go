package door

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"portico/model"
	"portico/storage"
)

const (
	// readLabel separates the key that signs addresses from other keys that are derived from the
	// server's secret.
	readLabel = "portico storage read signature v1"
	// readLifetime is the minimum time for which a signed address works. All addresses that
	// are signed within the same hour are equal, so that browsers find the files in their
	// cache.
	readLifetime = time.Hour
	// protectedMaxAge is how long browsers and shared caches may keep a protected file that a space shows
	// without asking again.
	protectedMaxAge = time.Minute
)

// ReadRule reports whether everyone may read the object now. A nil rule lets everyone read
// all objects.
type ReadRule func(ctx context.Context, key string) (bool, error)

// LinkRule reports whether a space that one of the share links opens now shows the object. A nil rule
// lets no link read anything.
type LinkRule func(ctx context.Context, key string, links []string) (bool, error)

// KeyVersion returns a number of an account that changes when its signed addresses must end. A nil
// function means that they end by their time alone.
type KeyVersion func(ctx context.Context, userID string) (int64, error)

// scopeOf returns what a signature for the object covers: all objects of its file.
func scopeOf(key string) string {
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return key
	}
	return userID + "/" + fileID
}

// ReadURL implements storage.Store. In a signed address the signature is a folder in front of the
// key, {base}/~EXPIRES~SIGNATURE/{key}, so that addresses relative to a file are signed too. A
// signature covers all objects of one file, and the version of its account.
func (d *Door) ReadURL(ctx context.Context, key string) (string, error) {
	open, err := d.isOpen(ctx, key)
	if err != nil || open {
		return d.PublicURL(key), err
	}
	folder, err := d.sign(ctx, key)
	return d.Files.SignedURL(folder, key), err
}

// LinkURL implements storage.Store. The folder of the address names the links,
// {base}/~EXPIRES~LINKS~SIGNATURE/{key}, so that the end of a link ends its addresses. Like every
// signed address, it ends by itself.
func (d *Door) LinkURL(key string, links []string) string {
	if d.byLink == nil {
		return d.PublicURL(key)
	}
	named := strings.Join(links[:min(len(links), storage.MaxLinksOfURL)], ".")
	expires := d.expiry()
	return d.Files.SignedURL("~"+expires+"~"+named+"~"+d.linkSignature(key, expires, named)+"/", key)
}

// isOpen reports whether the object needs no signature at all.
func (d *Door) isOpen(ctx context.Context, key string) (bool, error) {
	if d.shown == nil {
		return true, nil
	}
	if !d.open {
		return false, nil
	}
	shown, err := d.shown(ctx, key)
	if err != nil {
		return false, fmt.Errorf("check who may read %s: %w", key, err)
	}
	return shown, nil
}

// expiry returns until when an address works that is signed now: the end of the next full hour, so
// that all addresses of an hour are equal and work for one to two hours.
func (d *Door) expiry() string {
	return strconv.FormatInt(d.Now().Truncate(readLifetime).Add(2*readLifetime).Unix(), 10)
}

// linkSignature returns the signature of an address with links. It does not depend on the version of
// the account: links have an end of their own.
func (d *Door) linkSignature(key, expires, links string) string {
	return d.mac("links", scopeOf(key), expires, links)
}

// mac returns the HMAC-SHA256 of the texts, in base64. None of them has a newline: a key has none.
func (d *Door) mac(texts ...string) string {
	mac := hmac.New(sha256.New, d.key)
	_, _ = mac.Write([]byte(strings.Join(texts, "\n"))) // a hash never returns an error from Write
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// sign returns the folder of a signed address, with its final slash.
func (d *Door) sign(ctx context.Context, key string) (string, error) {
	expires := d.expiry()
	signature, err := d.signature(ctx, key, expires)
	return "~" + expires + "~" + signature + "/", err
}

// signature returns the HMAC-SHA256 of the scope of a key, its expiry in seconds since 1970 and the
// version of its account.
func (d *Door) signature(ctx context.Context, key, expires string) (string, error) {
	userID, _, _ := strings.Cut(key, "/")
	version, err := d.version(ctx, userID)
	if err != nil {
		return "", fmt.Errorf("sign the address of %s: %w", key, err)
	}
	return d.mac(scopeOf(key), expires, strconv.FormatInt(version, 10)), nil
}

// signedFolder is the folder of a signed address: the expiry, the share links or "", the signature.
var signedFolder = regexp.MustCompile(`^~([0-9]{1,12})~(?:([a-z0-9.-]{1,400})~)?([A-Za-z0-9_-]{43})/`)

// likeSignature matches a segment of a path that is long enough for the folder of a signed address.
var likeSignature = regexp.MustCompile(`/~[^/]{43,}`)

// WithoutSignature returns the path of a file's address without its signature, and without
// anything that looks like one, for logs.
func WithoutSignature(path string) string {
	return cmp.Or(likeSignature.ReplaceAllString(path, ""), "/")
}

// CheckRead returns ErrNotFound if the sender may not read the object, so that nobody learns
// whether it exists. Otherwise it returns how long the response may be cached.
// A wrong or expired signature alone does not cause a refusal: a file that everyone may read stays
// readable at an old address.
func (d *Door) CheckRead(r *http.Request, folder, key string) (Lifetime, error) {
	open, err := d.isOpen(r.Context(), key)
	if err != nil || open {
		return Lifetime{Shared: true}, err
	}
	if signed := signedFolder.FindStringSubmatch(folder); signed != nil {
		left, err := d.timeLeft(r.Context(), key, signed)
		if err != nil || left > 0 {
			return Lifetime{MaxAge: left}, err
		}
	}
	if d.open {
		return Lifetime{}, storage.ErrNotFound
	}
	shown, err := d.shown(r.Context(), key)
	if err != nil {
		return Lifetime{}, fmt.Errorf("check who may read %s: %w", key, err)
	}
	if !shown {
		return Lifetime{}, storage.ErrNotFound
	}
	return Lifetime{MaxAge: protectedMaxAge, Shared: true}, nil
}

// timeLeft returns how long a signed address still works; zero for one that does not.
func (d *Door) timeLeft(ctx context.Context, key string, signed []string) (time.Duration, error) {
	expires, links, signature := signed[1], signed[2], signed[3]
	until, err := strconv.ParseInt(expires, 10, 64)
	left := time.Unix(until, 0).Sub(d.Now())
	if err != nil || left <= 0 {
		return 0, nil //nolint:nilerr // not an address of this server
	}
	if links != "" {
		return d.timeLeftByLink(ctx, key, signed, left)
	}
	want, err := d.signature(ctx, key, expires)
	if err != nil || !hmac.Equal([]byte(signature), []byte(want)) {
		return 0, err
	}
	return left, nil
}

// timeLeftByLink is timeLeft for an address with share links. A browser asks again after
// protectedMaxAge, because a link can end before its time.
func (d *Door) timeLeftByLink(ctx context.Context, key string, signed []string, left time.Duration) (time.Duration, error) {
	expires, links, signature := signed[1], signed[2], signed[3]
	if d.byLink == nil || !hmac.Equal([]byte(signature), []byte(d.linkSignature(key, expires, links))) {
		return 0, nil
	}
	shown, err := d.byLink(ctx, key, strings.Split(links, "."))
	if err != nil {
		return 0, fmt.Errorf("check which links show %s: %w", key, err)
	}
	if !shown {
		return 0, nil
	}
	return min(left, protectedMaxAge), nil
}

// Lifetime is how long the response with a file may be cached.
type Lifetime struct {
	MaxAge time.Duration // 0 means for ever
	// Shared is true if everyone may read the file, so that a CDN may keep it, too. The holder of a
	// signed address may be the only one.
	Shared bool
}

// CacheControl returns the header of the response.
func (l Lifetime) CacheControl() string {
	audience := "private"
	if l.Shared {
		audience = "public"
	}
	if l.MaxAge == 0 {
		return audience + ", max-age=31536000, immutable"
	}
	return audience + ", max-age=" + strconv.Itoa(int(l.MaxAge/time.Second))
}

// DeriveKey derives the signing key with this label from the server's secret. It uses HKDF with
// SHA-256 (RFC 5869), without a salt and with the label as info.
func DeriveKey(secret []byte, label string) ([]byte, error) {
	if len(secret) < model.MinSecretBytes {
		return nil, fmt.Errorf("secret has %d bytes, needs %d", len(secret), model.MinSecretBytes)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, label, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive signing key: %w", err)
	}
	return key, nil
}
