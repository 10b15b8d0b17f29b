package model

import (
	"crypto/rand"
	"errors"
	"net/mail"
	"strings"
	"time"
)

// Account is an account as operators see it.
type Account struct {
	User
	// Sequence orders accounts of the same moment.
	Sequence int64
	// Operator reports whether the account may operate the server.
	Operator bool
	// DisabledAt is zero for an account that is not disabled.
	DisabledAt     Time `bun:",nullzero"`
	DisabledReason string
	// SpaceCount is the number of the account's spaces.
	SpaceCount int
	// Storage is nil if it was not read.
	Storage *Storage `bun:"-"`
}

// Cursor returns the account's cursor in lists.
func (a *Account) Cursor() string { return Cursor(a.Sequence) }

// Key implements Sortable.
func (a *Account) Key(OrderField) (int64, string) {
	return a.Sequence, a.CreatedAt.UTC().Format(time.RFC3339Nano)
}

// AccountConnection is one page of accounts, newest first.
type AccountConnection Connection[*Account]

// AccountFilter selects accounts. A nil field selects all accounts.
type AccountFilter struct {
	Disabled *bool
	Operator *bool
}

// Disabled returns when the account was disabled; nil for an account that is not.
func (a *Account) Disabled() *Time {
	if a.DisabledAt.IsZero() {
		return nil
	}
	return &a.DisabledAt
}

// Edges returns the accounts with their cursors.
func (c *AccountConnection) Edges() []AccountEdge {
	return edgesOf[*Account, AccountEdge](c.Nodes, c.Order)
}

// AccountEdge is an account with its cursor.
type AccountEdge Edge[*Account]

const maxDisableText = 500

// CheckDisableReason checks the text that says why an account is disabled. It may be empty.
func CheckDisableReason(reason string) error { return checkText("reason", reason, maxDisableText) }

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

// The texts of refusals about other accounts.
const (
	UserNotFound = "User not found"
	FollowSelf   = "id: you cannot follow yourself"
)

// Profile is the public part of an account. It is a separate type, so that no e-mail address
// or password hash can leak with it.
type Profile struct {
	ID   string
	Name string
	// Handle is the name in addresses; empty if there is none. Only ProfileWithCovers reads it.
	Handle string `bun:",scanonly,nullzero"`
	// PictureKey is the storage key of the picture; empty if there is none, and if
	// ProfileWithCovers has not read it.
	PictureKey string `bun:",scanonly,nullzero"`
	// Followed reports whether the caller follows this account.
	Followed bool
	// Sequence is the id as a number, by which lists are sorted.
	Sequence int64 `bun:",scanonly"`
	// Account is the whole account, if it is the caller's and was already read; otherwise nil.
	Account *User `bun:"-"`
}

// IsNode implements Node.
func (Profile) IsNode() {}

// Cursor returns the account's cursor in lists.
func (p *Profile) Cursor() string { return Cursor(p.Sequence) }

// Key implements Sortable.
func (p *Profile) Key(OrderField) (int64, string) { return p.Sequence, "" }

// UserConnection is one page of accounts, in the order of their ids.
type UserConnection Connection[*Profile]

// Edges returns the accounts with their cursors.
func (c *UserConnection) Edges() []UserEdge { return edgesOf[*Profile, UserEdge](c.Nodes, c.Order) }

// UserEdge is an account in a page.
type UserEdge Edge[*Profile]

// Plan is the plan of an account. Link Only privacy requires PlanPro.
type Plan string

// Only the operator of the server sets the plan of an account.
const (
	PlanFree Plan = "free"
	PlanPro  Plan = "pro"
)

// User is an account: the owner of spaces, files, jobs and one API key.
type User struct {
	// ID is a decimal string of 8 digits, the prefix of the ids of the user's spaces.
	ID    string `bun:",pk"`
	Email string // lower case, unique
	Name  string
	// PasswordHash is the argon2id hash; empty for an account that signs in with OpenID
	// Connect only.
	PasswordHash string
	Plan         Plan
	// Quota is how many bytes the account may store.
	Quota int64
	// AccessVersion is incremented to end all access to the account. Sessions and
	// authorization codes of an older version are invalid.
	AccessVersion int64
	// KeyVersion is incremented by everything that ends a key of the account. Signed addresses of
	// an older version are invalid.
	KeyVersion int64
	CreatedAt  Time
	ChangedAt  Time
}

// Storage is how much of the quota of an account is used, in bytes.
type Storage struct {
	Used     int64 // by files, and by the JSON of spaces and entities
	Reserved int64 // for unconfirmed uploads whose URL has not expired, and for JSON
	Quota    int64
}

// Free returns how many bytes can still be reserved, never less than zero.
func (s Storage) Free() int64 { return max(0, s.Quota-s.Used-s.Reserved) }

// APIKey is a stored API key. It has no plain text: the key is found by Lookup, and the
// account page shows the key of Sealed.
type APIKey struct {
	ID     string `bun:",pk"`
	UserID string
	// Lookup is the SHA-256 of the key. A key of 256 random bits needs no slow hash.
	Lookup []byte
	// Sealed is the key, encrypted with the server's secret and bound to UserID.
	Sealed    []byte
	CreatedAt Time
	RevokedAt Time `bun:",nullzero"`
}

// ErrKeySealed is the error for a valid API key that cannot be shown, because it was encrypted with
// another PORTICO_SECRET. The user has to generate a new key.
var ErrKeySealed = errors.New("the API key was sealed with another secret")

// CreateUser is the input of `portico user add` and of the sign-up page.
type CreateUser struct {
	Email        string
	Name         string // UnnamedAccount when empty or blank
	PasswordHash string
	Plan         Plan  // PlanFree when empty
	Quota        int64 // bytes
}

// Validate refuses an invalid address, name or quota. It also sets the defaults and normalises the
// address and the name.
func (in *CreateUser) Validate() error {
	email, err := NormaliseEmail(in.Email)
	if err != nil {
		return err
	}
	in.Email = email
	if in.Plan == "" {
		in.Plan = PlanFree
	}
	if err := CheckQuota(in.Quota); err != nil {
		return err
	}
	if in.Name = strings.TrimSpace(in.Name); in.Name != "" {
		in.Name, err = AccountName(in.Name)
	}
	return err
}

// UnnamedAccount returns the name of an account whose owner has not chosen one. It has the id, which is
// public, and nothing of the address.
func UnnamedAccount(id string) string { return "Member " + id }

// CheckQuota refuses a negative quota. 0 is allowed: it stops an account from storing more.
func CheckQuota(quota int64) error {
	if quota < 0 {
		return InvalidField("quota", "must not be negative")
	}
	return nil
}

// EmailTaken returns the error that refuses the address of another account.
func EmailTaken() *Error {
	return InvalidField("email", "belongs to another account").WithReason(ReasonTaken)
}

// UserFolder returns the folder of the store that contains all objects of an account.
func UserFolder(id string) string { return id + "/" }

// maxAccountName is the maximum number of characters of an account's name.
const maxAccountName = 200

// AccountName returns the name of an account without spaces around it. It refuses a name
// that is empty or too long, and an e-mail address, because everybody sees names.
func AccountName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return "", InvalidField("name", "must not be empty")
	}
	if _, err := NormaliseEmail(name); err == nil {
		return "", InvalidField("name", "must not be an e-mail address, because others see it")
	}
	return name, checkName("name", name, maxAccountName)
}

// NormaliseEmail returns the address in lower case. It returns CodeInvalid for a text that is not
// an e-mail address.
func NormaliseEmail(email string) (string, error) {
	refused := InvalidField("email", "must be an e-mail address")
	if len(email) > 254 { // RFC 5321 section 4.5.3.1.3
		return "", refused
	}
	address, err := mail.ParseAddress(email)
	if err != nil || address.Address != strings.TrimSpace(email) || strings.ContainsFunc(address.Address, isDisruptive) {
		return "", refused
	}
	return strings.ToLower(address.Address), nil
}

// The format of an account's export: a zip archive with a manifest, which comes last, and the
// files that it lists. A reader refuses any other format, and a version above its own.
const (
	ExportFormat   = "portico-export"
	ExportVersion  = 1
	ExportManifest = "manifest.json"
)

// The names in an export: its files except the manifest, and the folders of files and spaces.
const (
	ExportAccountFile       = "account.json"
	ExportFollowsFile       = "follows.json"
	ExportNotificationsFile = "notifications.json"
	ExportSecurityFile      = "security.json"
	ExportFilesFile         = "files.json"
	ExportSpacesFile        = "spaces.json"
	// ExportAvatarsFile is missing in the exports of earlier versions.
	ExportAvatarsFile  = "avatars.json"
	ExportFilesFolder  = "files/"
	ExportSpacesFolder = "spaces/"
)

// AccountManifest is the last file of an export. It lists the others, so that an import can check
// that the archive is complete.
type AccountManifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Server is the public address of the server.
	Server     string `json:"server"`
	UserID     string `json:"userId"`
	ExportedAt Time   `json:"exportedAt"`
	// Files are all other files of the archive, in its order.
	Files []ExportedPart `json:"files"`
}

// ExportedPart is a file of the archive, with the size and the hash of its content.
type ExportedPart struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hex
}

// ExportedAccount is the profile in an export. It has no secrets.
type ExportedAccount struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
	Plan  Plan   `json:"plan"`
	Quota int64  `json:"quota"`
	// Handle is the name in addresses, and FormerHandles are the names that still lead to the account.
	Handle        string   `json:"handle,omitempty"`
	FormerHandles []string `json:"formerHandles,omitempty"`
	CreatedAt     Time     `json:"createdAt"`
}

// ExportedFollow is an account that the exported account follows.
type ExportedFollow struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ExportedNotification is a notification of the account. It names the space by its id at the
// exporting server.
type ExportedNotification struct {
	Type    NotificationType `json:"type"`
	SpaceID string           `json:"spaceId"`
	// Text is the reason of the operator, or the address of the webhook.
	Text      string `json:"text,omitempty"`
	CreatedAt Time   `json:"createdAt"`
}

// ExportedEvent is a security event as its account sees it, without its id.
type ExportedEvent struct {
	Type    SecurityEventType `json:"type"`
	Method  string            `json:"method,omitempty"`
	Door    string            `json:"door,omitempty"`
	Address string            `json:"address,omitempty"`
	Subject string            `json:"subject,omitempty"`
	// Title, Reason, TakedownReason and Changes are what Detail says, for programs. An event that
	// was recorded as a sentence has only Detail.
	Title          string                `json:"title,omitempty"`
	Reason         SecurityEventReason   `json:"reason,omitempty"`
	TakedownReason ReportReason          `json:"takedownReason,omitempty"`
	Changes        []SecurityEventChange `json:"changes,omitempty"`
	Detail         string                `json:"detail,omitempty"`
	CreatedAt      Time                  `json:"createdAt"`
}

// ExportedUpload is an uploaded file, and where the archive has its bytes.
type ExportedUpload struct {
	ResourceKey string `json:"resourceKey"`
	// URL is the address that entities of the exported spaces have for the file.
	URL         string `json:"url"`
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"` // bytes, of all objects
	// Folder contains the objects of the file. Primary is the path, in Folder, of the object
	// that viewers load first; it is the only object of most files.
	Folder  string `json:"folder"`
	Primary string `json:"primary"`
	Objects int    `json:"objects"`
	// Start is the view that the owner chose; nil for none.
	Start     *Viewpoint `json:"start,omitempty"`
	CreatedAt Time       `json:"createdAt"`
}

// ExportedAvatar is an avatar in an export. Its files are resource keys in ExportFilesFile.
type ExportedAvatar struct {
	OriginalName string `json:"originalName"`
	GLB          string `json:"glb"`
	Splat        string `json:"splat"`
	Binding      string `json:"binding"`
	Fit          string `json:"fit"`
	Thumbnail    string `json:"thumbnail,omitempty"`
	Assigned     bool   `json:"assigned"`
	CreatedAt    Time   `json:"createdAt"`
}

// ExportedSpace is a space in an export. Its files are below Folder, as in a workspace.
type ExportedSpace struct {
	ID     string `json:"id"`
	Folder string `json:"folder"`
	SpaceTexts
	Type               SpaceType         `json:"type"`
	Privacy            Privacy           `json:"privacy"`
	PluginsForVisitors bool              `json:"pluginsForVisitors"`
	CopiesAllowed      bool              `json:"copiesAllowed,omitempty"`
	Template           bool              `json:"template,omitempty"`
	OriginID           string            `json:"originId,omitempty"` // the space that it was copied from
	Presence           bool              `json:"presence"`
	Data               Object            `json:"data"`
	VisitCount         int64             `json:"visitCount"`
	Links              []ExportedLink    `json:"shareLinks,omitempty"` // without their secrets
	Slug               string            `json:"slug,omitempty"`       // the name in addresses
	Files              map[string]string `json:"files,omitempty"`      // addresses of plugins and assets, by path
	CreatedAt          Time              `json:"createdAt"`
	ChangedAt          Time              `json:"changedAt"`
}

// ExportedLink is a share link of an exported space. Nobody can enter by what is exported.
type ExportedLink struct {
	Name            string         `json:"name"`
	State           ShareLinkState `json:"state"`
	HasPassword     bool           `json:"hasPassword"`
	AllowsDownload  bool           `json:"allowsDownload"`
	AllowsMeasuring bool           `json:"allowsMeasuring"`
	EndsAt          *Time          `json:"endsAt,omitempty"`
	MaxVisits       *int           `json:"maxVisits,omitempty"`
	Visits          int            `json:"visits"`
	CreatedAt       Time           `json:"createdAt"`
	VisitedAt       *Time          `json:"visitedAt,omitempty"`
	RevokedAt       *Time          `json:"revokedAt,omitempty"`
}

// NewExportedLink returns a link as an export has it.
func NewExportedLink(l *ShareLink) ExportedLink {
	return ExportedLink{
		Name: l.Name, State: l.State(), HasPassword: l.HasPassword(), AllowsDownload: l.AllowsDownload, AllowsMeasuring: l.AllowsMeasuring,
		EndsAt: l.EndsAt, MaxVisits: l.MaxVisits, Visits: l.Visits, CreatedAt: l.CreatedAt, VisitedAt: l.VisitedAt, RevokedAt: l.RevokedAt,
	}
}

// ExportedVersion is a version in the history of an exported space. Its changes are the
// differences from the previous version.
type ExportedVersion struct {
	Number         int    `json:"number"`
	Name           string `json:"name,omitempty"`
	Door           string `json:"door,omitempty"`
	UserID         string `json:"userId,omitempty"`
	IsChangeSet    bool   `json:"isChangeSet"`
	RestoredNumber *int   `json:"restoredNumber,omitempty"`
	StartedAt      Time   `json:"startedAt"`
	EndedAt        Time   `json:"endedAt"`
}

// ExportedChange is a change of an ExportedVersion.
type ExportedChange struct {
	Version    int     `json:"version"`
	Target     string  `json:"target"`
	BeforeType *string `json:"beforeType,omitempty"`
	Before     Object  `json:"before,omitempty"`
	AfterType  *string `json:"afterType,omitempty"`
	After      Object  `json:"after,omitempty"`
}

// ExportLink is the address of an export. It needs no key and works until ExpiresAt.
type ExportLink struct {
	URL       string
	ExpiresAt Time
}
