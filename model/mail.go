package model

import (
	"strconv"
	"strings"
)

// MailKind is why the server writes to somebody.
type MailKind string

// The kinds of mail.
const (
	// MailConfirm has a link that confirms an address.
	MailConfirm MailKind = "confirm"
	// MailReset has a link that sets a new password.
	MailReset MailKind = "reset"
	// MailMoved informs the former address of an account of the new one.
	MailMoved MailKind = "moved"
)

// The languages of mail. The first is the one of people whose language we do not speak.
var mailLanguages = []string{"en", "de"}

// Mail is a message that the queue sends. It has no link: the worker that sends the message
// makes one, so that only the message has its token.
type Mail struct {
	Kind MailKind `json:"kind"`
	// UserID is the account; empty for MailReset, which the worker finds by the address, so
	// that a request takes the same time whether or not there is an account.
	UserID string `json:"user_id,omitempty"`
	// To is the address, normalized.
	To string `json:"to"`
	// Language is the language of the text, such as "en".
	Language string `json:"language"`
}

// MailLanguage returns the language of mail that fits an Accept-Language header best (RFC
// 9110 section 12.5.4).
func MailLanguage(accepted string) string {
	best, quality := mailLanguages[0], 0.0
	for entry := range strings.SplitSeq(accepted, ",") {
		tag, weight, weighted := strings.Cut(strings.ReplaceAll(entry, " ", ""), ";q=")
		q, err := strconv.ParseFloat(weight, 64)
		if !weighted {
			q, err = 1, nil
		}
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		for _, language := range mailLanguages {
			if primary == language && err == nil && q > quality {
				best, quality = language, q
			}
		}
	}
	return best
}
