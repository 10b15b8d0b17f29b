package model

import (
	"path"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// The texts of refused uploads and confirmations.
const (
	UploadNotFound = "Uploaded file not found"
	FileNotFound   = "File not found"
	QuotaExceeded  = "Storage quota exceeded"
)

// DefaultFormats are the accepted file name extensions: those of API section 2
// and what the service's clients upload besides.
var DefaultFormats = []string{
	"ply", "glb", "gltf", "spz", "splat", "ksplat", "sog", "zip", "jpg", "jpeg", "png", "gif", "webp", "mjs", "path",
	"json", "bin", "mp3", "ogg", "wav", "mp4", "webm",
}

// UploadState is how far an upload has come.
type UploadState string

// The states of an upload. A processing one becomes confirmed or failed with its
// job, and a confirmed one discarded with its file.
const (
	UploadPending    UploadState = "pending"    // the URL is given out, its bytes are promised
	UploadProcessing UploadState = "processing" // confirmed by the client, worked on by a job
	UploadConfirmed  UploadState = "confirmed"  // a file
	UploadFailed     UploadState = "failed"     // its job failed; nothing is kept
	UploadDiscarded  UploadState = "discarded"  // given up by the client, or its file was deleted
)

// Upload is a promise: a presigned URL that one file of a known size and type
// can be sent to, until it expires.
type Upload struct {
	ID          string `bun:",pk"`
	UserID      string
	ResourceKey string // what the file is called once it is confirmed
	FileName    string // as the client named it
	ContentType string
	Size        int64 // bytes
	State       UploadState
	// ConvertTo is what the bytes are converted to before they become a file;
	// empty for nothing.
	ConvertTo ConversionTarget `bun:",nullzero"`
	JobID     string           `bun:",nullzero"` // the job that works on it
	ExpiresAt Time
	CreatedAt Time
	// Expired reports whether what was promised counted as taken no more when the
	// upload was read, by the clock of the database, which sums it up.
	Expired bool `bun:",scanonly"`
}

// StorageKey returns where the bytes are in the store.
func (u *Upload) StorageKey() string { return u.UserID + "/" + u.ResourceKey }

// ExtractedRoot returns the folder, as part of a resource key, that the files
// of a zip are extracted to.
func (u *Upload) ExtractedRoot() string {
	return strings.TrimSuffix(u.ResourceKey, path.Ext(u.ResourceKey)) + "/"
}

// StorageRoot returns where the files of a zip are in the store: a folder.
func (u *Upload) StorageRoot() string { return u.UserID + "/" + u.ExtractedRoot() }

// IsZip reports whether the upload is an archive, which a job looks into.
func (u *Upload) IsZip() bool { return strings.EqualFold(path.Ext(u.FileName), ".zip") }

// uploadGrace is how long after its URL has expired an upload may still arrive
// and be confirmed: sending may have begun at the last moment and take hours.
const uploadGrace = 24 * time.Hour

// LateUntil returns when no more bytes can arrive for the upload.
func (u *Upload) LateUntil() time.Time { return u.ExpiresAt.Add(uploadGrace) }

// ExpiredBefore returns the moment before which the URL of an upload must have
// expired for the upload to be given up now.
func ExpiredBefore(now time.Time) time.Time { return now.Add(-uploadGrace) }

// UploadParams is what a client needs in order to send the bytes (API section
// 2, Upload parameters).
type UploadParams struct {
	URL     string
	Method  string
	Headers []Header
	// ExpiresAt is when the URL stops working.
	ExpiresAt Time
}

// CreateUpload is the input of createUpload.
type CreateUpload struct {
	FileName    string
	FileSize    FileSize // bytes, at least 1
	ContentType string
	// ConvertTo asks for the file in another format, in place of the one that is
	// sent; empty for nothing.
	ConvertTo ConversionTarget
}

// A media type as RFC 9110 section 8.3.1 writes it, parameters included.
var mediaType = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+/[A-Za-z0-9!#$%&'*+.^_|~-]+(;[ -~]*)?$`)

// Validate checks the input against the accepted extensions.
func (in CreateUpload) Validate(formats []string) error {
	if in.FileName == "" {
		return Invalidf("file_name is required")
	}
	if err := checkText("file_name", in.FileName, 255); err != nil {
		return err
	}
	if in.FileSize < 1 {
		return Invalidf("file_size must be a whole number of bytes, at least 1")
	}
	if in.ContentType == "" {
		return Invalidf("content_type is required")
	}
	if len(in.ContentType) > 255 || !mediaType.MatchString(in.ContentType) {
		return Invalidf("content_type must be a media type such as application/zip")
	}
	if err := checkFormat(in.FileName, formats); err != nil || in.ConvertTo == "" {
		return err
	}
	return in.ConvertTo.checkNamed("convert_to", in.FileName)
}

func checkFormat(fileName string, formats []string) error {
	extension := strings.TrimPrefix(path.Ext(fileName), ".")
	for _, format := range formats {
		if strings.EqualFold(extension, format) {
			return nil
		}
	}
	return Invalidf("file_name must end in one of .%s", strings.Join(formats, ", ."))
}

// NewUpload returns the upload that the input asks for, with a resource key
// that nobody can guess and that carries the file's name.
func NewUpload(userID string, in CreateUpload) *Upload {
	id := Token()
	return &Upload{
		ID: id, UserID: userID, ResourceKey: "api_uploads/" + id + "_" + safeName(in.FileName),
		FileName: in.FileName, ContentType: in.ContentType, Size: int64(in.FileSize),
		ConvertTo: in.ConvertTo, State: UploadPending, CreatedAt: Now(),
	}
}

// What a name is made of in a resource key: letters, with their marks, and digits
// of any script. Extensions are those that the server accepts, which are ASCII.
var (
	unsafeRun       = regexp.MustCompile(`[^\pL\pM\pN._-]+`)
	unsafeExtension = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// longestStem is in bytes, of which a character has up to four.
const longestStem = 100

// safeName returns the file's name fit for a path segment. The extension stays;
// the rest is cut where it is long.
func safeName(fileName string) string {
	name := path.Base(strings.ReplaceAll(fileName, `\`, "/"))
	extension := path.Ext(name)
	stem := unsafeRun.ReplaceAllString(strings.TrimSuffix(name, extension), "_")
	end := min(len(stem), longestStem)
	for end < len(stem) && !utf8.RuneStart(stem[end]) {
		end-- // not in the middle of a character
	}
	return stem[:end] + unsafeExtension.ReplaceAllString(extension, "")
}

// CompleteUpload is the input of completeUpload.
type CompleteUpload struct {
	// Status is "success" when the bytes were sent; anything else gives the
	// upload up.
	Status string
	// FileURL is the upload address, with or without its query.
	FileURL string
}

// StatusSuccess is the status of an upload whose bytes were sent (API section 4).
const StatusSuccess = "success"

// Validate checks the input.
func (in CompleteUpload) Validate() error {
	if in.Status == "" {
		return Invalidf("status is required")
	}
	if in.FileURL == "" {
		return Invalidf("extra_info.file_url is required")
	}
	return checkText("extra_info.file_url", in.FileURL, 4096)
}

// Confirmation is the answer to a confirmed upload: a file at once, a job to
// wait for, or neither for an upload that was given up.
type Confirmation struct {
	File *File
	Job  *Job
}

// File is an asset of a user: one object in the store, or a folder of them of
// which ResourceKey names the first to load.
type File struct {
	ResourceKey string `bun:",pk"`
	UserID      string
	Sequence    int64 `bun:",nullzero"`
	UploadID    string
	Name        string // as the client named it
	ContentType string
	Size        int64 // bytes, of all objects
	Objects     int   // how many objects the file is made of
	// Facts is what was found in the file; nil until it was looked into.
	Facts *FileFacts `bun:"type:jsonb"`
	// PosterKey names a picture of the file, in the form of a resource key; empty
	// while there is none.
	PosterKey string `bun:",nullzero"`
	// ViewKey names the first object of a form of the file that viewers can load,
	// where the file's own is none; empty while there is none.
	ViewKey string `bun:",nullzero"`
	// DerivedBytes is how much the poster and the view take. It counts as used
	// storage and is no part of Size.
	DerivedBytes int64
	CreatedAt    Time
}

// StorageKey returns where the file, or its first object, is in the store.
func (f *File) StorageKey() string { return f.UserID + "/" + f.ResourceKey }

// Extracted reports whether the file is a folder that was made of the upload, in
// place of the upload itself.
func (f *File) Extracted(upload *Upload) bool { return f.ResourceKey != upload.ResourceKey }

// Cursor returns the file's place in lists.
func (f *File) Cursor() string { return Cursor(f.Sequence) }

// Title returns the file's name without its extension, which is the title of a
// space made from it.
func (f *File) Title() string {
	name := path.Base(strings.ReplaceAll(f.Name, `\`, "/"))
	title := strings.TrimSpace(strings.TrimSuffix(name, path.Ext(name)))
	if title == "" || utf8.RuneCountInString(title) > 500 {
		return UntitledSpace
	}
	return title
}

// FileConnection is one page of files, newest first.
type FileConnection Connection[*File]

// Edges returns the files with their cursors.
func (c *FileConnection) Edges() []FileEdge { return edgesOf[*File, FileEdge](c.Nodes) }

// FileEdge is a file in a page.
type FileEdge Edge[*File]

// Header is one header that an upload is to be sent with.
type Header struct {
	Name  string
	Value string
}

// NewFile returns the file that an upload becomes as it is.
func NewFile(upload *Upload) *File {
	return &File{
		ResourceKey: upload.ResourceKey, UserID: upload.UserID, UploadID: upload.ID,
		Name: upload.FileName, ContentType: upload.ContentType, Size: upload.Size,
		Objects: 1, CreatedAt: Now(),
	}
}
