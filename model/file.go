package model

import (
	"path"
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
// extension.
func (f *File) Title() string {
	name := withoutDisruptive(path.Base(strings.ReplaceAll(f.Name, `\`, "/")))
	title := strings.TrimSpace(strings.TrimSuffix(name, path.Ext(name)))
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
