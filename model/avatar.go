package model

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// MaxAvatars is the maximum number of avatars of an account.
const MaxAvatars = 50

// AvatarNotFound is the message for an unknown avatar, and for an avatar of another account.
const AvatarNotFound = "Avatar not found"

// Avatar is a figure with the capture of a person that moves with it. GLB, Splat, Binding, Fit and
// Thumbnail are the resource keys of files of the account.
type Avatar struct {
	ID       string `bun:",pk"`
	UserID   string
	Sequence int64 `bun:",autoincrement"`
	// OriginalName is how the client named the avatar.
	OriginalName string
	// GLB is the figure: its skeleton and its mesh.
	GLB   string
	Splat string
	// Binding says which bones move a Gaussian, and Fit how the capture is placed on the figure. The
	// server does not read them.
	Binding, Fit string
	Thumbnail    string `bun:",nullzero"` // a picture; empty for none
	// Assigned reports whether it is the avatar of the account. An account has at most one.
	Assigned  bool
	CreatedAt Time `bun:",nullzero,default:now()"`
}

// Files returns the resource keys of the avatar's files.
func (a *Avatar) Files() []string {
	keys := []string{a.GLB, a.Splat, a.Binding, a.Fit}
	if a.Thumbnail != "" {
		keys = append(keys, a.Thumbnail)
	}
	return keys
}

// StorageKey returns the key in the store of one of the avatar's files.
func (a *Avatar) StorageKey(resourceKey string) string { return a.UserID + "/" + resourceKey }

// CreateAvatar is the input of createAvatar: the fields of Avatar with the same names.
type CreateAvatar struct {
	GLB, Splat, Binding, Fit string
	Thumbnail                *string // nil or empty for none
	OriginalName             *string // nil or empty for the name of the figure's file
	Assign                   bool
}

// avatarFile is a field of CreateAvatar that names a file.
type avatarFile struct {
	field, key string
	// accepts reports whether a file fits the field, which must be what want says; nil accepts every
	// file.
	accepts func(*File) bool
	want    string
}

// files returns the fields that name files, without an omitted thumbnail.
func (in CreateAvatar) files() []avatarFile {
	files := []avatarFile{
		{"glb", in.GLB, func(f *File) bool { return extensionOf(f.ResourceKey).name == ".glb" }, "a .glb file"},
		{"splat", in.Splat, (*File).IsSplat, "a capture, such as a .spz or a .ply with Gaussians"},
		{"binding", in.Binding, nil, ""},
		{"fit", in.Fit, nil, ""},
	}
	if in.Thumbnail != nil && *in.Thumbnail != "" {
		files = append(files, avatarFile{
			"thumbnail", *in.Thumbnail, func(f *File) bool { return KindOf(f.ResourceKey) == KindImage }, "a picture",
		})
	}
	return files
}

// Validate refuses a missing resource key, and a name that cannot be stored.
func (in CreateAvatar) Validate() error {
	for _, file := range in.files() {
		if file.key == "" {
			return InvalidField(file.field, "is required")
		}
	}
	if in.OriginalName == nil {
		return nil
	}
	return checkName("originalName", *in.OriginalName, maxFileName)
}

// Keys returns the resource keys of the input, each once.
func (in CreateAvatar) Keys() (keys []string) {
	for _, file := range in.files() {
		keys = append(keys, file.key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// CheckFiles refuses a key without a file, and a file of another kind than its field needs. owned
// are the caller's files, by key.
func (in CreateAvatar) CheckFiles(owned map[string]*File) error {
	for _, file := range in.files() {
		found := owned[file.key]
		if found == nil {
			return NotFound(FileNotFound).WithField(file.field)
		}
		if file.accepts != nil && !file.accepts(found) {
			return InvalidField(file.field, fmt.Sprintf("must be the resource key of %s", file.want))
		}
	}
	return nil
}

// NewAvatar returns a new avatar of the account from a valid input. glb is the file of the figure.
func NewAvatar(userID string, in CreateAvatar, glb *File) *Avatar {
	avatar := &Avatar{
		ID: Token(), UserID: userID, GLB: in.GLB, Splat: in.Splat, Binding: in.Binding, Fit: in.Fit, Assigned: in.Assign,
	}
	if in.Thumbnail != nil {
		avatar.Thumbnail = *in.Thumbnail
	}
	if in.OriginalName != nil {
		avatar.OriginalName = strings.TrimSpace(*in.OriginalName)
	}
	if avatar.OriginalName == "" {
		avatar.OriginalName = path.Base(withoutDisruptive(glb.Name))
	}
	return avatar
}
