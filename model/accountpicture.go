package model

import (
	"crypto/rand"
	"strings"
)

// The limits of pictures of accounts.
const (
	// AccountPictureSize is the maximum width and height of a stored picture, in pixels.
	AccountPictureSize = 256
	// MaxAccountPictureBytes is the maximum size of an uploaded picture, in bytes.
	MaxAccountPictureBytes = 512 << 10
	// MaxAccountPictureSide is the maximum width and height of an uploaded picture, in pixels.
	MaxAccountPictureSide = 2048
)

// accountPictures is the folder of an account's pictures.
const accountPictures = "pictures"

// NewAccountPictureKey returns a storage key for a new picture of the account. Each picture has its
// own key, because browsers keep pictures for a year.
func NewAccountPictureKey(userID string) string {
	return userID + "/" + accountPictures + "/" + strings.ToLower(rand.Text()) + ".jpg"
}

// IsAccountPicture reports whether a storage key belongs to a picture of an account.
func IsAccountPicture(storageKey string) bool {
	parts := strings.Split(storageKey, "/")
	return len(parts) == 3 && parts[1] == accountPictures
}
