package door

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/model"
	"portico/storage"
)

const (
	// readLabel is signatureLabel for addresses that read.
	readLabel = "portico storage read signature v1"
	// readLifetime is the minimum time for which a signed address works. All addresses that
	// are signed within the same hour are equal, so that browsers find the files in their
	// cache.
	readLifetime = time.Hour
	// protectedMaxAge is how long a browser may cache a protected file without asking again.
	protectedMaxAge = time.Minute
)

// ReadRule reports whether everyone may read the object now. A nil rule lets everyone read
// all objects.
type ReadRule func(ctx context.Context, key string) (bool, error)

// KeyVersion returns a number of an account that changes when its signed addresses must end. A nil
// function means that they end by their time alone.
type KeyVersion func(ctx context.Context, userID string) (int64, error)

// Access decides who may read objects. In a signed address the signature is a folder in
// front of the key, {base}/~EXPIRES~SIGNATURE/{key}, so that addresses relative to a file
// are signed too. A signature covers all objects of one file, and the version of its account.
type Access struct {
	shown   ReadRule // nil where everyone may read everything
	version KeyVersion
	key     []byte
	now     func() time.Time
}

// NewAccess returns the access for these objects. A nil shown needs no secret.
func NewAccess(shown ReadRule, version KeyVersion, secret []byte, now func() time.Time) (Access, error) {
	if shown == nil {
		return Access{}, nil
	}
	key, err := DeriveKey(secret, readLabel)
	if err != nil {
		return Access{}, err
	}
	if version == nil {
		version = func(context.Context, string) (int64, error) { return 0, nil }
	}
	return Access{shown: shown, version: version, key: key, now: now}, nil
}

// scopeOf returns what a signature for the object covers: all objects of its file.
func scopeOf(key string) string {
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return key
	}
	return userID + "/" + fileID
}

// URL returns the address of an object below a base for somebody who may read it.
func (a Access) URL(ctx context.Context, base Address, key string) (string, error) {
	if a.shown == nil {
		return base.ObjectURL(key), nil
	}
	folder, err := a.sign(ctx, key)
	return base.SignedURL(folder, key), err
}

// sign returns the folder of a signed address, with its final slash. The expiry is the end of the
// next full hour, so an address works for one to two hours.
func (a Access) sign(ctx context.Context, key string) (string, error) {
	expires := strconv.FormatInt(a.now().Truncate(readLifetime).Add(2*readLifetime).Unix(), 10)
	signature, err := a.signature(ctx, key, expires)
	return "~" + expires + "~" + signature + "/", err
}

// signature returns the HMAC-SHA256 of the scope of a key, its expiry in seconds since 1970 and the
// version of its account, in base64. A scope has no newline, because a key has none.
func (a Access) signature(ctx context.Context, key, expires string) (string, error) {
	userID, _, _ := strings.Cut(key, "/")
	version, err := a.version(ctx, userID)
	if err != nil {
		return "", fmt.Errorf("sign the address of %s: %w", key, err)
	}
	mac := hmac.New(sha256.New, a.key)
	// A hash never returns an error from Write.
	_, _ = mac.Write([]byte(scopeOf(key) + "\n" + expires + "\n" + strconv.FormatInt(version, 10)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}

// signedFolder is the folder of a signed address.
var signedFolder = regexp.MustCompile(`^~([0-9]{1,12})~([A-Za-z0-9_-]{43})/`)

// WithoutSignature returns the path of a file's address without its signature, and without
// anything that looks like one, for logs.
func WithoutSignature(path string) string {
	if !strings.Contains(path, "/~") {
		return path
	}
	return "/" + strings.Join(slices.DeleteFunc(strings.Split(path, "/")[1:], func(segment string) bool {
		return strings.HasPrefix(segment, "~") && len(segment) > base64.RawURLEncoding.EncodedLen(sha256.Size)
	}), "/")
}

// CheckRead returns ErrNotFound if the sender may not read the object, so that nobody learns
// whether it exists. Otherwise it returns how long the response may be cached; zero means for ever.
// A wrong or expired signature alone does not cause a refusal: a file that everyone may read stays
// readable at an old address.
func (a Access) CheckRead(r *http.Request, folder, key string) (time.Duration, error) {
	if a.shown == nil {
		return 0, nil
	}
	if signed := signedFolder.FindStringSubmatch(folder); signed != nil {
		left, err := a.timeLeft(r.Context(), key, signed[1], signed[2])
		if err != nil || left > 0 {
			return left, err
		}
	}
	shown, err := a.shown(r.Context(), key)
	if err != nil {
		return 0, fmt.Errorf("check who may read %s: %w", key, err)
	}
	if !shown {
		return 0, storage.ErrNotFound
	}
	return protectedMaxAge, nil
}

// timeLeft returns how long a signed address still works; zero for one that does not.
func (a Access) timeLeft(ctx context.Context, key, expires, signature string) (time.Duration, error) {
	until, err := strconv.ParseInt(expires, 10, 64)
	left := time.Unix(until, 0).Sub(a.now())
	if err != nil || left <= 0 {
		return 0, nil //nolint:nilerr // not an address of this server
	}
	want, err := a.signature(ctx, key, expires)
	if err != nil || !hmac.Equal([]byte(signature), []byte(want)) {
		return 0, err
	}
	return left, nil
}

// CacheControl returns the header for a response that may be cached for this time; zero
// means for ever.
func CacheControl(maxAge time.Duration) string {
	if maxAge == 0 {
		return "public, max-age=31536000, immutable"
	}
	return "private, max-age=" + strconv.Itoa(int(maxAge/time.Second))
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
