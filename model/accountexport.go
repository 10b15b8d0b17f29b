package model

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
	ID        string `json:"id"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	Plan      Plan   `json:"plan"`
	Quota     int64  `json:"quota"`
	CreatedAt Time   `json:"createdAt"`
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
	Presence           bool              `json:"presence"`
	Data               Object            `json:"data"`
	VisitCount         int64             `json:"visitCount"`
	Files              map[string]string `json:"files,omitempty"` // addresses of plugins and assets, by path
	CreatedAt          Time              `json:"createdAt"`
	ChangedAt          Time              `json:"changedAt"`
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
