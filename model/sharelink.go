package model

import (
	"context"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxShareLinks is the maximum number of links of a space that are not revoked.
	MaxShareLinks = 100
	// MaxRevokedLinks is the number of revoked links that a space keeps in its list.
	MaxRevokedLinks = 100
	// maxLinkName is the maximum number of characters of the name of a link.
	maxLinkName = 100
	// maxLinkVisits is the maximum of the number of visits that a link allows.
	maxLinkVisits = 1_000_000
)

// ShareLinkNotFound is the message for an unknown link, and for a link of another account.
const ShareLinkNotFound = "Share link not found"

// SharePath is the path of the page that opens a space by a link. The secret is in the fragment of
// the address, which browsers do not send.
const SharePath = "/share"

// ShareLink is an address that opens one space, whatever its privacy, for everybody who has it.
type ShareLink struct {
	ID       string `bun:",pk"`
	Sequence int64  `bun:",autoincrement"`
	SpaceID  string
	// Name is for the owner, and visitors do not see it.
	Name string
	// SecretHash is the SHA-256 of the secret of the address.
	SecretHash []byte
	// PasswordHash is the hash of the password; empty for none.
	PasswordHash string
	// Version changes when visitors who have entered must enter again: with the password.
	Version int
	// AllowsDownload and AllowsMeasuring are what visitors may do besides looking.
	AllowsDownload  bool
	AllowsMeasuring bool
	// EndsAt is when the link ends; nil for never.
	EndsAt *Time
	// MaxVisits is how often visitors may enter; nil for any number.
	MaxVisits *int
	Visits    int
	CreatedAt Time `bun:",nullzero,default:now()"`
	// VisitedAt is when a visitor last entered; nil for never.
	VisitedAt *Time
	RevokedAt *Time
}

// HasPassword reports whether visitors must enter a password.
func (l *ShareLink) HasPassword() bool { return l.PasswordHash != "" }

// ShareLinkState says whether a link opens its space.
type ShareLinkState string

// The states of a link. Those who have entered stay after the last visit, but not after the end.
const (
	ShareLinkOpen    ShareLinkState = "open"
	ShareLinkUsedUp  ShareLinkState = "used-up" // has had all of its visits
	ShareLinkEnded   ShareLinkState = "ended"
	ShareLinkRevoked ShareLinkState = "revoked"
)

// State returns the state of the link now.
func (l *ShareLink) State() ShareLinkState {
	switch {
	case l.RevokedAt != nil:
		return ShareLinkRevoked
	case l.EndsAt != nil && !l.EndsAt.After(time.Now()):
		return ShareLinkEnded
	case l.MaxVisits != nil && l.Visits >= *l.MaxVisits:
		return ShareLinkUsedUp
	}
	return ShareLinkOpen
}

// CreateShareLink is the input of createShareLink.
type CreateShareLink struct {
	SpaceID         string
	Name            string
	Password        string // "" for none
	EndsAt          *Time  // nil for no end
	MaxVisits       *int   // nil for any number
	AllowsDownload  bool
	AllowsMeasuring bool
}

// Validate refuses a name that is blank or too long, an end that has passed, and a number of visits
// out of range.
func (in *CreateShareLink) Validate() error {
	name, err := linkName(in.Name)
	if err != nil {
		return err
	}
	in.Name = name
	return checkLinkLimits(in.EndsAt, in.MaxVisits)
}

// UpdateShareLink is the input of updateShareLink. Nil fields keep their values, and so do fields
// that are not set.
type UpdateShareLink struct {
	LinkID          string
	Name            *string
	AllowsDownload  *bool
	AllowsMeasuring *bool
	SetPassword     bool
	Password        string // "" removes it
	SetEndsAt       bool
	EndsAt          *Time
	SetMaxVisits    bool
	MaxVisits       *int
}

// Validate refuses what CreateShareLink.Validate refuses.
func (in *UpdateShareLink) Validate() error {
	if in.Name != nil {
		name, err := linkName(*in.Name)
		if err != nil {
			return err
		}
		in.Name = &name
	}
	return checkLinkLimits(in.EndsAt, in.MaxVisits)
}

func linkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if IsBlank(name) {
		return "", InvalidField("name", "must not be empty")
	}
	return name, checkName("name", name, maxLinkName)
}

func checkLinkLimits(endsAt *Time, maxVisits *int) error {
	if endsAt != nil && !endsAt.After(time.Now()) {
		return InvalidField("endsAt", "must be in the future")
	}
	if maxVisits != nil && (*maxVisits < 1 || *maxVisits > maxLinkVisits) {
		return Invalidf("maxVisits must be between 1 and %d", maxLinkVisits).WithField("maxVisits")
	}
	return nil
}

// LinkAccess identifies what a browser got when it entered by a link: it ends with the version.
type LinkAccess struct {
	LinkID  string
	Version int
}

// String returns the access as one text of letters, digits and a hyphen.
func (a LinkAccess) String() string { return a.LinkID + "-" + strconv.Itoa(a.Version) }

// ParseLinkAccess parses what String returned. It returns the zero value for another text, which no
// link has.
func ParseLinkAccess(text string) LinkAccess {
	id, version, _ := strings.Cut(text, "-")
	number, err := strconv.Atoi(version)
	if err != nil {
		return LinkAccess{}
	}
	return LinkAccess{LinkID: id, Version: number}
}

// LinkVisit is the right of a browser that has entered a space by a link, which still is open.
type LinkVisit struct {
	LinkAccess
	SpaceID         string
	AllowsDownload  bool
	AllowsMeasuring bool
	// Ended is closed within a second after the link has ended. It is nil for a request that needs
	// no longer than that.
	Ended <-chan struct{} `bun:"-"`
}

// HasEnded reports whether the link has ended since the visit was read.
func (v *LinkVisit) HasEnded() bool {
	select {
	case <-v.Ended: // never, while nil
		return true
	default:
		return false
	}
}

// WithLinkVisits returns a context with the visits of the browser that sends the request.
func WithLinkVisits(ctx context.Context, visits []*LinkVisit) context.Context {
	if len(visits) == 0 {
		return ctx
	}
	return context.WithValue(ctx, linkVisitsKey, visits)
}

// LinkVisitsFrom returns the visits that WithLinkVisits set, or none.
func LinkVisitsFrom(ctx context.Context) []*LinkVisit {
	visits, _ := ctx.Value(linkVisitsKey).([]*LinkVisit)
	return visits
}
