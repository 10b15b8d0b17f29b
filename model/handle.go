package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The limits of names in addresses.
const (
	minHandle, maxHandle = 3, 30
	maxSlug              = 60
	// HandleHold is how long a name that an account left leads to it, and is nobody else's.
	HandleHold = 365 * 24 * time.Hour
	// MaxFormerHandles is how many names an account may have left in this time: more would be a store
	// of names.
	MaxFormerHandles = 3
	// MaxFormerSlugs is how many former names lead to a space.
	MaxFormerSlugs = 10
)

// nameInAddress is what names consist of. No other letters are allowed: letters of other scripts look
// like these, so two names could look the same. A double hyphen would look like one.
var nameInAddress = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// reservedHandles would let an account pass for the operator of the server or for a part of it.
var reservedHandles = strings.Fields(`abuse about account accounts admin administrator administrators admins all anonymous
	api app apps assets auth avatar avatars billing blog bot community console contact copyright dashboard deleted demo
	developer developers docs download downloads embed everyone example explore faq feed feedback files gallery graphql
	guest guests health help home host hostmaster imprint info jobs legal link login logout mail mcp me member members
	metrics mod moderation moderator moderators new news nobody noreply null oauth oembed official operator operators
	owner password payment payments plans playground plugin plugins portico postmaster press pricing privacy pro public
	register report reports robots root sales search security server service settings share shop signin signout signup
	sitemap space spaces staff static status support supersplat system team template templates terms test trust undefined
	unknown update updates upload uploads user users verified visitor visitors webmaster welcome www you`)

// reservedSlugs are words that an address below an account may need.
var reservedSlugs = strings.Fields("about avatar download edit embed feed followers following new picture settings share spaces templates")

// Handle returns the name of an account in addresses, in lower case. It refuses a name that could be
// mistaken for another one, and a reserved one.
func Handle(text string) (string, error) {
	name, err := nameInAddressOf("handle", text, minHandle, maxHandle)
	if err != nil {
		return "", err
	}
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		return "", InvalidField("handle", "must have a letter, because a number looks like the id of an account")
	}
	if slices.Contains(reservedHandles, strings.ReplaceAll(name, "-", "")) {
		return "", InvalidField("handle", "is reserved").WithReason(ReasonTaken)
	}
	return name, nil
}

// Slug returns the name of a space in addresses, in lower case.
func Slug(text string) (string, error) {
	name, err := nameInAddressOf("slug", text, 1, maxSlug)
	if err == nil && slices.Contains(reservedSlugs, name) {
		err = InvalidField("slug", "is reserved").WithReason(ReasonTaken)
	}
	if err != nil {
		return "", err
	}
	return name, nil
}

// nameInAddressOf returns the text in lower case. Only the letters of ASCII change: in Unicode, the
// lower case of the sign for kelvin is a k.
func nameInAddressOf(field, text string, shortest, longest int) (string, error) {
	name := lowerASCII(text)
	if len(name) < shortest || len(name) > longest || !nameInAddress.MatchString(name) {
		return "", InvalidField(field, fmt.Sprintf(
			"must have %d to %d characters: letters from a to z, digits, and single hyphens between them", shortest, longest))
	}
	return name, nil
}

func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// HandleTaken is the refusal of the name of another account. It does not say whether the account has
// the name, or has left it.
func HandleTaken() *Error { return InvalidField("handle", "is taken").WithReason(ReasonTaken) }

// SlugTaken is the refusal of the name of another space of the account.
func SlugTaken() *Error {
	return InvalidField("slug", "is the name of another of your spaces").WithReason(ReasonTaken)
}

// Named is what the path of an address names: an account, or a space of an account.
type Named struct {
	// Handle and Slug are names in lower case. Slug is empty for an account.
	Handle, Slug string
}

// UserPath precedes the id of an account in the path of its page.
const UserPath = "/u/"

// namedPrefix precedes the name of an account in paths. No id and no other route starts with it.
const namedPrefix = "/@"

// ParseNamedPath returns what a path names, in any case. ok is false for a path that cannot name
// anything.
func ParseNamedPath(path string) (named Named, ok bool) {
	rest, ok := strings.CutPrefix(path, namedPrefix)
	if !ok {
		return Named{}, false
	}
	handle, slug, hasSlug := strings.Cut(lowerASCII(rest), "/")
	isName := func(name string, longest int) bool { return len(name) <= longest && nameInAddress.MatchString(name) }
	if !isName(handle, maxHandle) || hasSlug && !isName(slug, maxSlug) {
		return Named{}, false
	}
	return Named{handle, slug}, true
}

// Path returns the path, which ParseNamedPath reads; "" without a handle.
func (n Named) Path() string {
	switch {
	case n.Handle == "":
		return ""
	case n.Slug == "":
		return namedPrefix + n.Handle
	}
	return namedPrefix + n.Handle + "/" + n.Slug
}

// SpacePath is Path of a space: "" unless both it and its owner have a name.
func (n Named) SpacePath() string {
	if n.Slug == "" {
		return ""
	}
	return n.Path()
}
