package model

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// Token returns 26 random lower-case letters and digits: 130 random bits, so nobody can guess it.
func Token() string { return strings.ToLower(rand.Text()) }

// NewSpaceID returns an unguessable id for a space of the user.
func NewSpaceID(userID string) string { return userID + "_" + Token() }

// spaceID matches the ids of NewSpaceID.
var spaceID = regexp.MustCompile(`^[0-9]{8}_[a-z0-9]{1,64}$`)

// IsSpaceID reports whether a text has the form of a space's id. No route of the server starts with
// a path segment of that form.
func IsSpaceID(text string) bool { return spaceID.MatchString(text) }

// NewModelID returns an id for an entity that is made from a file.
func NewModelID() string { return "user-model-" + hex.EncodeToString(random(8)) }

// NewUUID returns a random UUID (RFC 9562 section 5.4).
func NewUUID() string {
	b := random(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (Go 1.24)
	return b
}
