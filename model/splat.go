package model

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// The texts of refused uploads of SuperSplat's API.
const (
	SplatUploadEnded = "The upload was completed or canceled, or has expired"
	SplatPartUnknown = "A part was not uploaded, or was replaced since: ask for the upload and send its missing parts"
)

// SplatFormat is the format of an uploaded splat, in the words of SuperSplat's API.
type SplatFormat string

// extension returns the extension of a file of the format, or "" for an unknown one. The folders of
// streamed SOG and LCC arrive as zips.
func (f SplatFormat) extension() string {
	return map[SplatFormat]string{"ply": ".ply", "sog": ".sog", "ssog": ".zip", "lcc": ".zip"}[f]
}

// The limits of SuperSplat's API that are not the limits of spaces.
const (
	maxIdempotencyKey = 200
	maxSoftwareTools  = 6
	maxSoftwareTool   = 64
	// maxSplatParts is the maximum number of parts of an upload.
	maxSplatParts = 10_000
	// splatPartSize is the size of its parts in bytes, but for the last one. A larger file than
	// maxSplatParts such parts has larger ones.
	splatPartSize = 64 << 20
)

// CreateSplatUpload is the input of an upload whose file becomes a space.
type CreateSplatUpload struct {
	Format SplatFormat
	// Size is the exact number of bytes.
	Size  FileSize
	Title string // empty for UntitledSpace
	// Description is the description of the space.
	Description string
	// SoftwareTools are the ids of the programs that made the splat.
	SoftwareTools []string
	// IdempotencyKey makes a repeated request return the upload of the first one; empty for none.
	IdempotencyKey string
}

// Validate refuses an unknown format, and what no space can have. Upload checks the size.
func (in CreateSplatUpload) Validate() error {
	if in.Format.extension() == "" {
		return InvalidField("sourceFormat", "must be ply, sog, ssog or lcc")
	}
	if in.Size < 1 {
		return InvalidField("contentLength", "is required, and must be a whole number of bytes of at least 1")
	}
	if err := checkName("Idempotency-Key", in.IdempotencyKey, maxIdempotencyKey); err != nil {
		return err
	}
	if len(in.SoftwareTools) > maxSoftwareTools {
		return InvalidField("softwareTools", "must be at most "+strconv.Itoa(maxSoftwareTools))
	}
	for _, tool := range in.SoftwareTools {
		if err := checkName("softwareTools", tool, maxSoftwareTool); err != nil {
			return err
		}
	}
	return in.texts().validate(nil)
}

func (in CreateSplatUpload) texts() SpaceTextInput {
	return SpaceTextInput{Title: &in.Title, Description: &in.Description}
}

// Upload returns the input of the upload. Its file is named after the title.
func (in CreateSplatUpload) Upload() CreateUpload {
	stem := []rune(strings.NewReplacer("/", "_", `\`, "_").Replace(in.Title))
	if IsBlank(in.Title) {
		stem = []rune("splat")
	}
	return CreateUpload{
		FileName: string(stem[:min(len(stem), maxFileName-len(".ply"))]) + in.Format.extension(), FileSize: in.Size,
		ContentType: "application/octet-stream", Resumable: true,
	}
}

// Parts returns how many parts the file is sent in.
func (in CreateSplatUpload) Parts() int {
	return int(min((int64(in.Size)+splatPartSize-1)/splatPartSize, maxSplatParts))
}

// SplatUpload is what an upload of SuperSplat's API has besides the upload.
type SplatUpload struct {
	UploadID       string `bun:",pk"`
	UserID         string
	IdempotencyKey string `bun:",nullzero"`
	Format         SplatFormat
	Title          string
	Description    string
	SoftwareTools  []string `bun:"type:jsonb"`
	// SpaceID is the id of the space that the file becomes. The space exists once Published is
	// true, until it is deleted.
	SpaceID   string
	Published bool
	// Upload, and the parts that have arrived, are read separately.
	Upload *Upload      `bun:"-"`
	Parts  []*SplatPart `bun:"-"`
}

// SplatPart is a part of an upload that has arrived. ETag changes with its bytes.
type SplatPart struct {
	Part int
	ETag string `bun:"etag"`
}

// NewSplatUpload returns the upload of a valid input.
func NewSplatUpload(upload *Upload, in CreateSplatUpload) *SplatUpload {
	row := &SplatUpload{
		UploadID: upload.ID, UserID: upload.UserID, IdempotencyKey: in.IdempotencyKey, Format: in.Format,
		Title: in.Title, Description: in.Description,
		SoftwareTools: slices.Clone(in.SoftwareTools), SpaceID: NewSpaceID(upload.UserID), Upload: upload,
	}
	if IsBlank(row.Title) {
		row.Title = UntitledSpace
	}
	return row
}

// PartSize returns the number of bytes of each part but the last.
func (u *SplatUpload) PartSize() int64 {
	first := u.Upload.PartRanges()[0].Size
	return (first + UploadPartUnit - 1) / UploadPartUnit * UploadPartUnit // the only part may be smaller
}

// IsCanceled reports whether the upload was discarded or has expired: its bytes are gone, or can no
// longer be completed.
func (u *SplatUpload) IsCanceled() bool {
	return u.Upload.State == UploadDiscarded || u.Upload.State == UploadPending && u.Upload.Expired
}

// CheckParts refuses a list of parts that is not the list of all parts of the upload, in any order,
// with the ETags of the parts that have arrived.
func (u *SplatUpload) CheckParts(sent []*SplatPart) error {
	count := len(u.Upload.PartRanges())
	seen := make([]bool, count+1)
	for _, part := range sent {
		if part == nil || part.Part < 1 || part.Part > count || seen[part.Part] {
			return InvalidField("parts", "must name each part from 1 to "+strconv.Itoa(count)+" once")
		}
		seen[part.Part] = true
	}
	if len(sent) != count {
		return InvalidField("parts", "must name each part from 1 to "+strconv.Itoa(count)+" once")
	}
	for _, part := range sent {
		arrived := slices.ContainsFunc(u.Parts, func(stored *SplatPart) bool {
			return stored.Part == part.Part && stored.ETag == strings.Trim(part.ETag, `"`)
		})
		if !arrived {
			return Conflict(ReasonStale, SplatPartUnknown, nil)
		}
	}
	return nil
}

// Splat is a space as SuperSplat's API shows it.
type Splat struct {
	ID      string
	OwnerID string
	SpaceTexts
	Privacy   Privacy
	CreatedAt Time
	TouchedAt Time
	// UploadState is the state of the upload that the space was made from; empty for a space that
	// was made otherwise.
	UploadState UploadState
	// ResourceKey, Size and StoredAt are of the file that the space shows; empty for none.
	ResourceKey string
	Size        int64
	StoredAt    Time
}

// SplatPage is a part of the list of the caller's splats, and the length of the list.
type SplatPage struct {
	Splats []*Splat
	Total  int
}

// Format returns the format of the file, or "" without a file.
func (s *Splat) Format() string {
	name := strings.ToLower(path.Base(s.ResourceKey))
	switch {
	case name == "lod-meta.json":
		return "ssog"
	case name == "meta.json":
		return "sog"
	case strings.HasSuffix(name, ".compressed.ply"):
		return "compressed.ply"
	}
	return strings.TrimPrefix(path.Ext(name), ".")
}
