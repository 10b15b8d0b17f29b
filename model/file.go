package model

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"reflect"
	"strconv"
	"strings"
)

// FileNotFound is the text of a refusal: there is no such file, or it is another user's.
const FileNotFound = "File not found"

// File is an asset of a user: one object in the store, or a folder of objects. ResourceKey names
// the object that viewers load first.
type File struct {
	ResourceKey string `bun:",pk"`
	UserID      string
	Sequence    int64 `bun:",nullzero"`
	UploadID    string
	Name        string // as the client named it
	ContentType string
	Size        int64 // bytes, of all objects
	Objects     int   // how many objects the file is made of
	// Facts is the result of inspecting the file; nil before.
	Facts *FileFacts `bun:"type:jsonb"`
	// DeclaredUp is the direction that the start of the file declares as up, for a file without
	// facts; nil for none. It is not stored.
	DeclaredUp *[3]float64 `bun:"-"`
	// Captures are the captures of a zip that has several; nil for any other file.
	Captures []ArchivedCapture `bun:"type:jsonb,nullzero"`
	// PosterKey is the key of a picture of the file, in the form of a resource key; empty
	// while there is none.
	PosterKey string `bun:",nullzero"`
	// Posters are the picture in all its sizes; nil while there is none.
	Posters *Posters `bun:"type:jsonb"`
	// Failures are the steps of the preparation that were given up.
	Failures Failures `bun:"type:jsonb,nullzero"`
	// ViewKey is the key of the first object of the view, which is the file in a format that
	// viewers load level by level; empty while there is no view.
	ViewKey string `bun:",nullzero"`
	// CollisionKey is the key of the first object of the collision, on which visitors walk; empty
	// while there is none. Start is set together with it.
	CollisionKey string `bun:",nullzero"`
	Start        *Start `bun:"type:jsonb"`
	// OwnStart is the view that the owner chose instead of Start; nil for none. Clients see
	// FirstView.
	OwnStart *Viewpoint `bun:"type:jsonb"`
	// DerivedBytes is the size of the posters, the view and the collision. It counts as used
	// storage, in addition to Size.
	DerivedBytes int64
	// SHA256 is the hash of the bytes in hex; empty until a change set has needed it.
	SHA256    string `bun:"sha256,nullzero"`
	CreatedAt Time
}

// StorageKey returns the key of the file, or of its first object, in the store.
func (f *File) StorageKey() string { return f.UserID + "/" + f.ResourceKey }

// IsExtracted reports whether the file is a folder extracted from the upload, not the upload
// itself.
func (f *File) IsExtracted(upload *Upload) bool { return f.ResourceKey != upload.ResourceKey }

// Cursor returns the file's cursor in lists.
func (f *File) Cursor() string { return Cursor(f.Sequence) }

// Title returns the default title of a space made from the file: its name without the
// extension, and without the ".compressed" that PlayCanvas writes before it.
func (f *File) Title() string {
	name := withoutDisruptive(path.Base(strings.ReplaceAll(f.Name, `\`, "/")))
	stem := strings.TrimSuffix(name, path.Ext(name))
	title := strings.TrimSpace(strings.TrimSuffix(stem, ".compressed"))
	if title == "" || (SpaceTextInput{Title: &title}).validate(nil) != nil {
		return UntitledSpace
	}
	return title
}

// FileConnection is one page of files, newest first.
type FileConnection Connection[*File]

// Edges returns the files with their cursors.
func (c *FileConnection) Edges() []FileEdge { return edgesOf[*File, FileEdge](c.Nodes, c.Order) }

// FileEdge is a file with its cursor.
type FileEdge Edge[*File]

// NewFile returns the file of an upload that is stored unchanged.
func NewFile(upload *Upload) *File {
	return &File{
		ResourceKey: upload.ResourceKey, UserID: upload.UserID, UploadID: upload.ID,
		Name: upload.FileName, ContentType: upload.ContentType, Size: upload.Size,
		Objects: 1, CreatedAt: Now(),
	}
}

// Key implements Sortable.
func (f *File) Key(field OrderField) (int64, string) {
	switch field {
	case OrderByName:
		return f.Sequence, f.Name
	case OrderBySize:
		return f.Sequence, strconv.FormatInt(f.Size, 10)
	}
	return f.Sequence, ""
}

// FileSize is a number of bytes in a client's input. A number beyond 64 bits becomes the largest or
// smallest int64, so that it is refused with the same error as any size over the maximum.
type FileSize int64

// UnmarshalJSON implements json.Unmarshaler for whole numbers.
func (s *FileSize) UnmarshalJSON(b []byte) error {
	size, ok := parseFileSize(string(b))
	if !ok {
		return &json.UnmarshalTypeError{Value: rawKind(b), Type: reflect.TypeFor[FileSize]()}
	}
	*s = size
	return nil
}

// parseFileSize parses a whole number in JSON. It returns the nearest int64 for a number beyond 64
// bits.
func parseFileSize(text string) (size FileSize, ok bool) {
	digits, ok := WholeNumber(text)
	if !ok {
		return 0, false
	}
	n, _ := strconv.ParseInt(digits, 10, 64) // ErrRange comes with the nearest int64
	return FileSize(n), true
}

// MarshalGQL writes scalar Int64.
func (s FileSize) MarshalGQL(w io.Writer) {
	if _, err := io.WriteString(w, strconv.FormatInt(int64(s), 10)); err != nil { // a response buffer, which does not fail
		return
	}
}

// UnmarshalGQL reads scalar Int64: a number of a variable or of a literal.
func (s *FileSize) UnmarshalGQL(v any) error {
	size, ok := FileSize(0), false
	if _, isText := v.(string); !isText { // the digits of a text are no number
		size, ok = parseFileSize(fmt.Sprint(v))
	}
	if !ok {
		return Invalidf("must be a whole number")
	}
	*s = size
	return nil
}

// FileKind is the kind of content of a file, judged by its extension.
type FileKind string

// The kinds of files that spaces show.
const (
	KindCapture FileKind = "capture" // 3D Gaussians, or another point cloud or mesh in a PLY
	KindModel   FileKind = "model"   // a glTF, which may also contain Gaussians
	KindImage   FileKind = "image"
	KindVideo   FileKind = "video"
	KindSound   FileKind = "sound"
	KindPlugin  FileKind = "plugin"
)

// extensionFlags are properties of all files with an extension.
type extensionFlags uint8

const (
	// accepted: files may be uploaded, unless the operator chooses other extensions.
	accepted extensionFlags = 1 << iota
	// inspected: package splat reads the format.
	inspected
	// convertible: one file with a capture, which may be converted before it is inspected.
	convertible
	// gaussians: one file that may contain Gaussians and needs no other file.
	gaussians
	// gaussiansOnly: a file always contains Gaussians, and never levels of detail.
	gaussiansOnly
	// yDown: a file contains Gaussians with the y axis down, as their trainers write them.
	yDown
)

// capture combines the properties of a format that contains nothing but one capture.
const capture = accepted | inspected | convertible | gaussians | gaussiansOnly | yDown

// extension is an entry of extensions.
type extension struct {
	name  string // lower case, with its dot
	kind  FileKind
	flags extensionFlags
}

// extensions is the only list of extensions in the server. What a file is called decides until
// its facts are known. The accepted extensions are in the order in which the API lists them
// (API section 2). Media types are in storage.MediaType: they say how a file is served.
var extensions = []extension{
	{".ply", KindCapture, capture &^ gaussiansOnly}, // or a mesh
	{".glb", KindModel, accepted | inspected | gaussians},
	{".gltf", KindModel, accepted | inspected},
	{".spz", KindCapture, capture},
	{".splat", KindCapture, capture},
	{".ksplat", KindCapture, capture},
	{".sog", KindCapture, capture},
	{".zip", "", accepted},
	{".jpg", KindImage, accepted | inspected},
	{".jpeg", KindImage, accepted | inspected},
	{".png", KindImage, accepted | inspected},
	{".gif", KindImage, accepted | inspected},
	{".webp", KindImage, accepted | inspected},
	{".mjs", KindPlugin, accepted},
	{".path", "", accepted},
	{".json", "", accepted},
	{".bin", "", accepted},
	{".mp3", KindSound, accepted},
	{".ogg", KindSound, accepted},
	{".wav", KindSound, accepted},
	{".mp4", KindVideo, accepted},
	{".webm", KindVideo, accepted},
	{".html", "", accepted | convertible}, // a page with a capture inside
	{".lcc", KindCapture, 0},              // extracted from a zip
	{".lcc2", KindCapture, inspected | yDown},
}

// DefaultFormats are the extensions of files that may be uploaded, without dots.
var DefaultFormats = acceptedFormats()

func acceptedFormats() (formats []string) {
	for _, e := range extensions {
		if e.flags&accepted != 0 {
			formats = append(formats, strings.TrimPrefix(e.name, "."))
		}
	}
	return formats
}

// extensionOf returns the entry for the extension of a file name or a key, in any case. For an
// extension that is not listed, it returns an entry with only the name.
func extensionOf(name string) extension {
	found := strings.ToLower(path.Ext(name))
	for _, e := range extensions {
		if e.name == found {
			return e
		}
	}
	return extension{name: found}
}

// has reports whether the files have a property.
func (e extension) has(flag extensionFlags) bool { return e.flags&flag != 0 }

// KindOf returns the kind of a file with this name; empty for a file that spaces do not show.
func KindOf(name string) FileKind { return extensionOf(name).kind }

// maxPointerSize is the maximum size of a Git LFS pointer in bytes.
const maxPointerSize = 1024

// IsInspectable reports whether to inspect the file, judged by its name. This saves starting a
// child process for each text or sound. A .json file is inspected if it is the index of a folder,
// and whatever spaces show if it is so small that it may be a pointer of Git LFS.
func (f *File) IsInspectable() bool {
	e := extensionOf(f.ResourceKey)
	return e.has(inspected) || e.name == ".json" && f.Objects > 1 || e.kind != "" && f.Size <= maxPointerSize
}

// IsPath reports whether the file is a camera path.
func (f *File) IsPath() bool { return extensionOf(f.ResourceKey).name == ".path" }

// MayHaveView reports whether the file may get a view, judged by its name.
func (f *File) MayHaveView() bool { return f.Objects == 1 && extensionOf(f.ResourceKey).has(gaussians) }

// FailedFile is a file with steps of its preparation that were given up.
type FailedFile struct {
	ResourceKey string
	Name        string
	Size        int64
	UserID      string
	Failures    Failures `bun:"type:jsonb"`
}

// Steps returns the failed steps in the order of the preparation.
func (f *FailedFile) Steps() []*FailedStep {
	steps := []*FailedStep{}
	for _, step := range []PreparationStep{StepFacts, StepPoster, StepView, StepCollision} {
		if reason := f.Failures[step]; reason != "" {
			steps = append(steps, &FailedStep{Step: step, Reason: reason})
		}
	}
	return steps
}

// FailedStep is a step that was given up. Reason is the text of its last error, for operators.
type FailedStep struct {
	Step   PreparationStep
	Reason string
}
