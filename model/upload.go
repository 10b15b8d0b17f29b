package model

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The texts of refused uploads.
const (
	UploadNotFound = "Uploaded file not found"
	QuotaExceeded  = "Storage quota exceeded"
	// DiskFull is about the storage of the server; QuotaExceeded is about the account's.
	DiskFull = "The server has no storage left for this file"
)

// StorageFull returns the error that refuses to store more than the account may.
func StorageFull() *Error {
	return &Error{Code: CodeQuotaExceeded, Message: QuotaExceeded, Reason: ReasonStorageFull}
}

// UploadState is the state of an upload.
type UploadState string

// The states of an upload, and what changes them:
//
//	pending    -> confirmed   the client confirms a small file
//	pending    -> processing  the client confirms an upload that needs a job
//	pending    -> discarded   the client discards it, or its URL has expired
//	processing -> confirmed   the job has stored the file
//	processing -> failed      the job has failed or was canceled
//	confirmed  -> discarded   the file is deleted
//
// Each change is an UPDATE of a row that has the old state, so of two concurrent changes exactly
// one succeeds.
const (
	UploadPending    UploadState = "pending"    // the URL was issued, and storage is reserved
	UploadProcessing UploadState = "processing" // confirmed by the client, processed by a job
	UploadConfirmed  UploadState = "confirmed"  // stored as a file
	UploadFailed     UploadState = "failed"     // its job failed, and its bytes are deleted
	UploadDiscarded  UploadState = "discarded"  // discarded by the client or expired, or its file was deleted
)

// Upload is an address to which one file of a known size and type can be sent, until it
// expires.
type Upload struct {
	ID          string `bun:",pk"`
	UserID      string
	KeyID       string `bun:",nullzero"` // the API key that asked for it; empty for a session
	ResourceKey string // of the file once it is confirmed
	FileName    string // as the client named it
	ContentType string
	Size        int64 // bytes
	State       UploadState
	// ConvertTo is the format that the bytes are converted to before they become a file;
	// empty for none.
	ConvertTo ConversionTarget `bun:",nullzero"`
	JobID     string           `bun:",nullzero"` // the job that processes it
	// Resumable reports whether the bytes arrive in pieces, which may be sent again after an
	// interruption.
	Resumable bool
	// Parts is how many parts of a resumable upload the client asked for; 0 for bytes that arrive
	// in order. See PartRanges.
	Parts     int
	ExpiresAt Time
	CreatedAt Time
	// Expired reports whether the reservation of storage had expired when the upload was read,
	// by the clock of the database.
	Expired bool `bun:",scanonly"`
}

// StorageKey returns the key of the bytes in the store.
func (u *Upload) StorageKey() string { return u.UserID + "/" + u.ResourceKey }

// ExtractedRoot returns the folder, as part of a resource key, to which the files of a zip
// are extracted.
func (u *Upload) ExtractedRoot() string {
	return strings.TrimSuffix(u.ResourceKey, path.Ext(u.ResourceKey)) + "/"
}

// StorageRoot returns the folder of a zip's extracted files in the store.
func (u *Upload) StorageRoot() string { return u.UserID + "/" + u.ExtractedRoot() }

// IsZip reports whether the upload is an archive, which a job inspects.
func (u *Upload) IsZip() bool { return strings.EqualFold(path.Ext(u.FileName), ".zip") }

// IsHTML reports whether the upload is an HTML page. A job stores only the capture in the page, so
// that no scripts of strangers are served.
func (u *Upload) IsHTML() bool { return strings.EqualFold(path.Ext(u.FileName), ".html") }

// UploadGrace is how long after the expiry of its URL an upload may still arrive and be
// confirmed: sending may start at the last moment and take hours.
const UploadGrace = 24 * time.Hour

// ResumableLifetime is how long a resumable upload waits for its next bytes.
const ResumableLifetime = 24 * time.Hour

// GraceEnds returns when no more bytes can arrive for the upload.
func (u *Upload) GraceEnds() time.Time { return u.ExpiresAt.Add(UploadGrace) }

// ExpiredBefore returns the time before which the URL of an upload must have expired for the
// upload to be discarded now.
func ExpiredBefore(now time.Time) time.Time { return now.Add(-UploadGrace) }

// UploadParams is the request with which a client sends the bytes (API section 2, Upload
// parameters). For a resumable upload it is the request of each piece (tus 1.0), and lacks
// the header Upload-Offset.
type UploadParams struct {
	URL     string
	Method  string
	Headers []Header
	// ExpiresAt is when the URL stops working.
	ExpiresAt Time
	// Parts are the ranges of an upload that can be sent at the same time, each to its own URL and
	// none to URL; empty for an upload that arrives in order.
	Parts []UploadPart
}

// CreateUpload is the input of createUpload.
type CreateUpload struct {
	FileName    string
	FileSize    FileSize // bytes, at least 1
	ContentType string
	// ConvertTo is the format to convert the file to, in place of the uploaded one; empty
	// for none.
	ConvertTo ConversionTarget
	// Resumable makes an upload whose bytes can arrive in pieces.
	Resumable bool
	// Parts is the maximum number of parts that arrive at the same time, up to MaxUploadParts; 0
	// and 1 make an upload that arrives in order.
	Parts int
}

// A media type as RFC 9110 section 8.3.1 writes it, parameters included.
var mediaType = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+.^_|~-]+/[A-Za-z0-9!#$%&'*+.^_|~-]+(;[ -~]*)?$`)

// Validate refuses a name, size, media type or number of parts that no upload can have, and a file
// without one of the extensions in formats, or that cannot be converted to ConvertTo.
func (in CreateUpload) Validate(formats []string) error {
	if err := in.checkNameText(); err != nil {
		return err
	}
	if in.FileSize < 1 {
		return InvalidField("file_size", "must be a whole number of bytes, at least 1")
	}
	if in.ContentType == "" {
		return InvalidField("content_type", "is required")
	}
	if len(in.ContentType) > 255 || !mediaType.MatchString(in.ContentType) {
		return InvalidField("content_type", "must be a media type such as application/zip")
	}
	if in.Parts < 0 || in.Parts > MaxUploadParts {
		return InvalidField("parts", "must be 1 to "+strconv.Itoa(MaxUploadParts))
	}
	if in.Parts > 1 && !in.Resumable {
		return InvalidField("parts", "requires resumable to be true")
	}
	return in.checkFormats(formats)
}

// CheckFileName checks what Validate checks of the name: the text, the extension, and whether such
// a file can be converted to ConvertTo. The other fields may be unknown yet.
func (in CreateUpload) CheckFileName(formats []string) error {
	if err := in.checkNameText(); err != nil {
		return err
	}
	return in.checkFormats(formats)
}

// maxFileName is the maximum number of characters in the name of a file.
const maxFileName = 255

func (in CreateUpload) checkNameText() error {
	if in.FileName == "" {
		return InvalidField("file_name", "is required")
	}
	return checkName("file_name", in.FileName, maxFileName)
}

// checkFormats checks the extension of the name, and the format to convert to.
func (in CreateUpload) checkFormats(formats []string) error {
	if err := checkFormat(in.FileName, formats); err != nil || in.ConvertTo == "" {
		return err
	}
	return in.ConvertTo.checkFileName("convert_to", in.FileName)
}

func checkFormat(fileName string, formats []string) error {
	extension := strings.TrimPrefix(path.Ext(fileName), ".")
	for _, format := range formats {
		if strings.EqualFold(extension, format) {
			return nil
		}
	}
	text := "must end in one of ." + strings.Join(formats, ", .")
	switch strings.ToLower(extension) {
	case "lcc", "lcc2": // a manifest means nothing without the files beside it
		text += ". Zip the folder of the LCC capture and upload the zip"
	}
	return InvalidField("file_name", text).WithReason(ReasonUnsupportedFormat)
}

// NewUpload returns the upload of the input, with an unguessable resource key that contains
// the file's name.
func NewUpload(userID string, in CreateUpload) *Upload {
	id, parts := Token(), 0
	if in.Parts > 1 && len(SplitUpload(int64(in.FileSize), in.Parts)) > 1 {
		parts = in.Parts
	}
	return &Upload{
		ID: id, UserID: userID, Parts: parts, ResourceKey: "api_uploads/" + id + "_" + safeName(in.FileName),
		FileName: in.FileName, ContentType: in.ContentType, Size: int64(in.FileSize),
		ConvertTo: in.ConvertTo, Resumable: in.Resumable, State: UploadPending, CreatedAt: Now(),
	}
}

// The characters to replace in a resource key. It keeps letters, with their marks, and
// digits of all scripts. Accepted extensions are ASCII.
var (
	unsafeRun       = regexp.MustCompile(`[^\pL\pM\pN._-]+`)
	unsafeExtension = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// maxStem limits the name without its extension, in bytes.
const maxStem = 100

// safeName returns the file's name as a path segment: unsafe characters become underscores, and a
// name of more than maxStem bytes is cut before its extension.
func safeName(fileName string) string {
	name := path.Base(strings.ReplaceAll(fileName, `\`, "/"))
	extension := path.Ext(name)
	stem := unsafeRun.ReplaceAllString(strings.TrimSuffix(name, extension), "_")
	end := min(len(stem), maxStem)
	for end < len(stem) && !utf8.RuneStart(stem[end]) {
		end-- // not in the middle of a character
	}
	return stem[:end] + unsafeExtension.ReplaceAllString(extension, "")
}

// Header is a header that an upload must be sent with.
type Header struct {
	Name  string
	Value string
}

// CompleteUpload is the input of completeUpload.
type CompleteUpload struct {
	// Status is "success" when the bytes were sent; any other value discards the upload.
	Status string
	// FileURL is the upload address, with or without its query.
	FileURL string
}

// StatusSuccess is the status of an upload whose bytes were sent (API section 4).
const StatusSuccess = "success"

// Validate refuses a missing status, which would otherwise discard the bytes, and a missing or too
// long address.
func (in CompleteUpload) Validate() error {
	if in.Status == "" {
		return InvalidField("status", "is required")
	}
	if in.FileURL == "" {
		return InvalidField("extra_info.file_url", "is required")
	}
	return checkText("extra_info.file_url", in.FileURL, 4096)
}

// Confirmation is the result of a confirmed upload. It has either the stored file, or the job that
// processes the upload.
type Confirmation struct {
	File *File
	Job  *Job
}

// ConfirmedUpload is a confirmation as a union type: FileStored or JobStarted.
type ConfirmedUpload interface{ IsConfirmation() }

// FileStored is the confirmation of an upload that was stored as a file.
type FileStored struct{ File *File }

// JobStarted is the confirmation of an upload that a job processes.
type JobStarted struct{ Job *Job }

// IsConfirmation implements ConfirmedUpload.
func (*FileStored) IsConfirmation() {}

// IsConfirmation implements ConfirmedUpload.
func (*JobStarted) IsConfirmation() {}

// Confirmed returns the confirmation as a union type.
func (c *Confirmation) Confirmed() ConfirmedUpload {
	if c.Job != nil {
		return &JobStarted{Job: c.Job}
	}
	return &FileStored{File: c.File}
}

// UploadPartUnit is the unit of the parts of an upload, in bytes: the size of each but the last is
// a multiple of it. A multipart upload to a bucket has parts of this size.
const UploadPartUnit = 8 << 20

// MaxUploadParts is the maximum number of parts of an upload that arrive at the same time.
const MaxUploadParts = 8

// UploadPart is a range of the bytes of an upload that is sent separately, in parallel with others.
type UploadPart struct {
	// Number counts the parts from 1.
	Number int
	// URL is the address to which the bytes are sent. Only createUpload sets it.
	URL string
	// Offset is where the part starts in the file, and Size its length, in bytes.
	Offset, Size int64
}

// SplitUpload returns up to count parts of a file of size bytes. A small file has fewer.
func SplitUpload(size int64, count int) []UploadPart {
	units := (size + UploadPartUnit - 1) / UploadPartUnit
	step := (units + int64(count) - 1) / int64(count) * UploadPartUnit
	var parts []UploadPart
	for offset := int64(0); offset < size; offset += step {
		parts = append(parts, UploadPart{Number: len(parts) + 1, Offset: offset, Size: min(step, size-offset)})
	}
	return parts
}

// PartRanges returns the parts of the upload; nil if its bytes are sent in order.
func (u *Upload) PartRanges() []UploadPart {
	if u.Parts == 0 {
		return nil
	}
	return SplitUpload(u.Size, u.Parts)
}
