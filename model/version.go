package model

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// BurstPause is the pause after which a single change starts a new version. Changes with shorter
// pauses between them are one version.
const BurstPause = time.Minute

// VersionNotFound is the text for an unknown version.
const VersionNotFound = "Version not found"

// HistoryLimits limit the history of a space. The oldest versions are deleted first.
type HistoryLimits struct {
	// Versions is the maximum number of versions of a space; 0 means no history.
	Versions int
	// Age is how long a version is kept.
	Age time.Duration
}

// SpaceVersion is a change set, or a burst of single changes by one caller through one door.
type SpaceVersion struct {
	SpaceID string
	// Number counts the versions of a space, from 1.
	Number int `bun:"sequence"`
	// Name is what the owner called the version; empty for none.
	Name string
	// Door is the way into the server by which the changes came, such as rest; empty for
	// changes of the server itself.
	Door string `bun:"-"`
	// UserID is the account that made the changes; empty for changes of the server itself.
	UserID string `bun:"-"`
	// IsChangeSet reports whether one change set made all changes of the version.
	IsChangeSet bool `bun:"-"`
	// RestoredNumber is the version that this one restored; nil for none.
	RestoredNumber *int `bun:"-"`
	// StartedAt and EndedAt are the times of the first and the last change.
	StartedAt Time
	EndedAt   Time
	// Created, Updated and Deleted count what the version changed: entities, plugins and
	// assets, and the settings of the space.
	Created, Updated, Deleted int
	// Bytes is how many bytes of the owner's quota the version uses.
	Bytes int64
}

// Cursor returns the version's cursor in lists.
func (v *SpaceVersion) Cursor() string { return Cursor(int64(v.Number)) }

// Key implements Sortable.
func (v *SpaceVersion) Key(OrderField) (int64, string) { return int64(v.Number), "" }

// SpaceVersionConnection is one page of versions, newest first.
type SpaceVersionConnection Connection[*SpaceVersion]

// Edges returns the versions with their cursors.
func (c *SpaceVersionConnection) Edges() []SpaceVersionEdge {
	return edgesOf[*SpaceVersion, SpaceVersionEdge](c.Nodes, c.Order)
}

// SpaceVersionEdge is a version with its cursor.
type SpaceVersionEdge Edge[*SpaceVersion]

// maxVersionName is the maximum number of characters of a version's name.
const maxVersionName = 100

// NameVersion is the input of nameVersion.
type NameVersion struct {
	SpaceID string
	Number  int
	// Name replaces the name; empty removes it.
	Name string
}

// Validate returns an error for a name that is too long or cannot be stored.
func (in NameVersion) Validate() error {
	if utf8.RuneCountInString(in.Name) > maxVersionName {
		return InvalidField("name", "must have at most "+strconv.Itoa(maxVersionName)+" characters")
	}
	return checkName("name", in.Name, maxVersionName)
}

// The doors, which are the ways into the server.
const (
	DoorPages   = "pages"
	DoorOAuth   = "oauth"
	DoorREST    = "rest"
	DoorGraphQL = "graphql"
	DoorMCP     = "mcp"
	// DoorCommand is a command of the operator, without a request.
	DoorCommand = "command"
)

// Origin is the client address and the door of a request, for the access log, the audit trail, and
// for whom the bytes of a request count in memory. No rule of access depends on it.
type Origin struct {
	// Address is the client's address: the peer, or what a trusted proxy has forwarded.
	Address string
	// UserAgent is the header User-Agent.
	UserAgent string
	// Language is the preferred language for mail, see PreferredLanguage.
	Language string
	Door     string

	user *atomic.Pointer[string] // shared by all copies: set by Identify
}

// WithOrigin returns a context that carries the origin.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	o.user = new(atomic.Pointer[string])
	return context.WithValue(ctx, originKey, o)
}

// UserID returns the id that Identify has stored, or "" before that.
func (o Origin) UserID() string {
	if o.user == nil {
		return ""
	}
	if id := o.user.Load(); id != nil {
		return *id
	}
	return ""
}

// OriginFrom returns the origin of ctx; the zero value when there is none.
func OriginFrom(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey).(Origin)
	return o
}

// Identify stores the account of the request in its origin.
func Identify(ctx context.Context, userID string) {
	if o := OriginFrom(ctx); o.user != nil {
		o.user.Store(&userID)
	}
}
