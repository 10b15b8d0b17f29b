package model

import (
	"encoding/json"
	"strings"
)

// Privacy defines who can find and open a space (API section 2, Privacy options).
type Privacy string

// The privacy options. The routes beyond the specification also say Open for
// Public and Closed for Private.
const (
	Public   Privacy = "Public"    // visible and discoverable
	Private  Privacy = "Private"   // only for the owner; the default
	LinkOnly Privacy = "Link Only" // reachable by its link, not listed; needs PlanPro
)

// The texts that API section 7 fixes for a change of privacy.
const (
	PrivacyForbidden = "You are not authorized to update the privacy of this space"
	PrivacyInvalid   = "Invalid privacy option"
	PrivacyNeedsPro  = "You need to be a Pro user to set a space to Link Only"
)

// ShareLinkNeedsPro is the refusal of a share link for an account without PlanPro.
const ShareLinkNeedsPro = "You need to be a Pro user to share a space by a link"

// UnmarshalJSON keeps the JSON of a value that is not a string, so that Validate refuses it
// like an unknown option (API section 7).
func (p *Privacy) UnmarshalJSON(b []byte) error {
	*p = Privacy(wordOf(b))
	return nil
}

// PrivacyWord is a privacy as some routes write it: Open for Public, Closed for Private.
type PrivacyWord string

// The words that differ from the names of their options.
const (
	wordOpen   = "Open"
	wordClosed = "Closed"
)

// UnmarshalJSON is Privacy.UnmarshalJSON.
func (w *PrivacyWord) UnmarshalJSON(b []byte) error {
	*w = PrivacyWord(wordOf(b))
	return nil
}

// Option returns the option of the word; nil for nil.
func (w *PrivacyWord) Option() *Privacy {
	if w == nil {
		return nil
	}
	privacy := ParsePrivacy(string(*w))
	return &privacy
}

// wordOf returns the text of a JSON string, and the JSON of any other value.
func wordOf(raw []byte) string {
	var word string
	if json.Unmarshal(raw, &word) != nil {
		return string(raw)
	}
	return word
}

// Validate refuses any other text than the three options (API section 7).
func (p Privacy) Validate() error {
	switch p {
	case Public, Private, LinkOnly:
		return nil
	}
	return Invalidf(PrivacyInvalid).WithField("privacy")
}

// ParsePrivacy returns the option of a word: Public for Open, Private for Closed, and any
// other word unchanged.
func ParsePrivacy(word string) Privacy {
	switch word {
	case wordOpen:
		return Public
	case wordClosed:
		return Private
	}
	return Privacy(word)
}

// Word returns the word that REST and MCP use for the option.
func (p Privacy) Word() PrivacyWord {
	switch p {
	case Public:
		return wordOpen
	case Private:
		return wordClosed
	}
	return PrivacyWord(p)
}

// UpdateSpacePrivacy is the input of updateSpacePrivacy.
type UpdateSpacePrivacy struct {
	SpaceID string
	Privacy Privacy
	// InformFollowers notifies each follower, once, when the space becomes Public.
	InformFollowers bool
}

// Validate refuses an unknown privacy. Whether the plan allows it depends on the account.
func (in UpdateSpacePrivacy) Validate() error { return in.Privacy.Validate() }

// GraphQLConstant returns the option as a constant of GraphQL's enum Privacy.
func (p Privacy) GraphQLConstant() string {
	return strings.ToUpper(strings.ReplaceAll(string(p), " ", "_"))
}
