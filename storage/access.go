package storage

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
)

const (
	// readLabel is signatureLabel for addresses that read.
	readLabel = "portico storage read signature v1"
	// readLifetime is the minimum time that a signed address works; one that is made later
	// in the same span is the same, so that browsers find what they kept.
	readLifetime = time.Hour
	// shownAge is how long a browser may keep a protected file without asking again.
	shownAge = time.Minute
)

// Shown reports whether everyone may read the object now. Nil lets everyone read all
// objects.
type Shown func(ctx context.Context, key string) (bool, error)

// access decides who reads objects. A signed address has the signature in front of the
// key, as a folder, so that it holds for the files beside the first one too:
// {base}/~EXPIRES~SIGNATURE/{key}. It covers everything of one file.
type access struct {
	shown Shown // nil where everyone may read everything
	key   []byte
	now   func() time.Time
}

func newAccess(shown Shown, secret []byte, now func() time.Time) (access, error) {
	if shown == nil {
		return access{}, nil
	}
	if len(secret) < minSecretBytes {
		return access{}, fmt.Errorf("secret has %d bytes, needs %d", len(secret), minSecretBytes)
	}
	key, err := hkdf.Key(sha256.New, secret, nil, readLabel, sha256.Size)
	if err != nil {
		return access{}, fmt.Errorf("derive signing key: %w", err)
	}
	return access{shown: shown, key: key, now: now}, nil
}

// scopeOf returns what a signature for the object covers: all objects of its file.
func scopeOf(key string) string {
	userID, fileID, ok := model.FileOf(key)
	if !ok {
		return key
	}
	return userID + "/" + fileID
}

// url returns the address of an object below a base for somebody who may read it.
func (a access) url(base address, key string) string {
	if a.shown == nil {
		return base.of(key)
	}
	return base.text + "/" + a.sign(key) + escapeKey(key)
}

// sign returns the folder of a signed address, with its final slash.
func (a access) sign(key string) string {
	expires := strconv.FormatInt(a.now().Truncate(readLifetime).Add(2*readLifetime).Unix(), 10)
	return "~" + expires + "~" + a.signature(scopeOf(key), expires) + "/"
}

func (a access) signature(scope, expires string) string {
	mac := hmac.New(sha256.New, a.key)
	// A hash never returns an error from Write.
	_, _ = mac.Write([]byte(scope + "\n" + expires))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// signedFolder is the folder of a signed address.
var signedFolder = regexp.MustCompile(`^~([0-9]{1,12})~([A-Za-z0-9_-]{43})/`)

// WithoutSignature returns the path of a file's address without what is or may have been
// its signature, for logs.
func WithoutSignature(path string) string {
	if !strings.Contains(path, "/~") {
		return path
	}
	return "/" + strings.Join(slices.DeleteFunc(strings.Split(path, "/")[1:], func(segment string) bool {
		return strings.HasPrefix(segment, "~") && len(segment) > base64.RawURLEncoding.EncodedLen(sha256.Size)
	}), "/")
}

// allow refuses a request to read an object that its sender may not read, like one that
// is not there. It returns how long the answer may be kept; zero means for ever.
func (a access) allow(r *http.Request, folder, key string) (time.Duration, error) {
	if a.shown == nil {
		return 0, nil
	}
	if signed := signedFolder.FindStringSubmatch(folder); signed != nil {
		expires, err := strconv.ParseInt(signed[1], 10, 64)
		left := time.Unix(expires, 0).Sub(a.now())
		if err == nil && left > 0 && hmac.Equal([]byte(signed[2]), []byte(a.signature(scopeOf(key), signed[1]))) {
			return left, nil
		}
	}
	shown, err := a.shown(r.Context(), key)
	if err != nil {
		return 0, fmt.Errorf("ask who may read %s: %w", key, err)
	}
	if !shown {
		return 0, ErrNotFound
	}
	return shownAge, nil
}

// cacheControl returns the header for an answer that may be kept for so long.
func cacheControl(keep time.Duration) string {
	if keep == 0 {
		return "public, max-age=31536000, immutable"
	}
	return "private, max-age=" + strconv.Itoa(int(keep/time.Second))
}
