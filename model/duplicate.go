package model

import (
	"path"
	"slices"
	"strings"
)

// DuplicateSpace is the input of duplicateSpace.
type DuplicateSpace struct {
	SpaceID string
	// Title is the title of the copy; nil or blank for that of the space.
	Title *string
}

// Validate refuses a title that is too long or cannot be stored.
func (in DuplicateSpace) Validate() error { return SpaceTextInput{Title: in.Title}.validate(nil) }

// The limits of a copy of a space. A copy is one transaction, and the copy of another's space is one
// request for as long as its files are copied.
const (
	MaxCopiedEntities = 20_000
	MaxCopiedJSON     = 64 << 20 // bytes of entities
	MaxCopiedFiles    = 200
	MaxCopiedBytes    = 2 << 30 // of files
)

// NewDuplicate returns a Private copy of a space for an account, without its entities. A copy of
// another's space is a remix, whose plugins are left out: they are programs of somebody else, which the
// pages would run for the new owner.
func NewDuplicate(source *Space, ownerID string, in DuplicateSpace) *Space {
	now := Now()
	space := &Space{
		ID: NewSpaceID(ownerID), OwnerID: ownerID, SpaceTexts: source.SpaceTexts, Type: source.Type, Privacy: Private,
		PresenceOff: source.PresenceOff, OriginID: source.OriginID, CreatedAt: now, ChangedAt: now, TouchedAt: now, Version: 1,
	}
	if in.Title != nil && !IsBlank(*in.Title) {
		space.Title = *in.Title
	}
	if source.OwnerID == ownerID {
		space.PluginsForVisitors = source.PluginsForVisitors
	} else {
		space.OriginID = source.ID
	}
	// What a browser splat trainer shares is the original.
	fields := source.Data.Fields()
	delete(fields, ShareField)
	space.Data = NewObject(fields)
	return space
}

// CopiedFile is a file, and the copy of it that belongs to another account.
type CopiedFile struct {
	Source, File *File
	// SourceUpload and Upload are the uploads of the two.
	SourceUpload, Upload *Upload
}

// NewCopiedFile returns a copy of a file for an account. The keys of the copy differ in the id of the
// upload alone, and in the id of the account before them.
func NewCopiedFile(source *File, upload *Upload, userID string) CopiedFile {
	now, id := Now(), Token()
	rename := func(key string) string {
		for _, folder := range []string{"api_uploads/", "derived/"} {
			if rest, ok := strings.CutPrefix(key, folder+upload.ID); ok {
				return folder + id + rest
			}
		}
		return key
	}
	file := *source
	file.UserID, file.UploadID, file.Sequence, file.CreatedAt = userID, id, 0, now
	file.ResourceKey, file.PosterKey = rename(source.ResourceKey), rename(source.PosterKey)
	file.ViewKey, file.CollisionKey = rename(source.ViewKey), rename(source.CollisionKey)
	if source.Posters != nil {
		posters := *source.Posters
		posters.Sizes = slices.Clone(source.Posters.Sizes)
		for i := range posters.Sizes {
			posters.Sizes[i].Key = rename(posters.Sizes[i].Key)
		}
		if source.Posters.Turntable != nil {
			turntable := *source.Posters.Turntable
			turntable.Key = rename(turntable.Key)
			posters.Turntable = &turntable
		}
		file.Posters = &posters
	}
	return CopiedFile{source, &file, upload, &Upload{
		ID: id, UserID: userID, ResourceKey: rename(upload.ResourceKey), FileName: upload.FileName, ContentType: upload.ContentType,
		Size: upload.Size, State: UploadConfirmed, ConvertTo: upload.ConvertTo, CreatedAt: now, ExpiresAt: now,
	}}
}

// Bytes is the size of the copy, as it counts.
func (c CopiedFile) Bytes() int64 { return c.File.Size + c.File.DerivedBytes }

// Roots returns the keys in the store of what is copied, and the keys of the copies. A key that ends in
// a slash is a folder.
func (c CopiedFile) Roots() map[string]string {
	roots := map[string]string{c.Source.DerivedStorageRoot(): c.File.DerivedStorageRoot()}
	if c.Source.IsExtracted(c.SourceUpload) {
		roots[c.SourceUpload.StorageRoot()] = c.Upload.StorageRoot()
	} else {
		roots[c.Source.StorageKey()] = c.File.StorageKey()
	}
	return roots
}

// Rename changes references to the copied files in JSON.
func (s *Space) Rename(files []CopiedFile) {
	text := string(s.Data)
	for _, file := range files {
		for _, pair := range file.Renames() {
			text = strings.ReplaceAll(text, pair[0], pair[1])
		}
	}
	s.Data = Object(text)
}

// Renames returns pairs of texts: in the JSON of the copied entities, each first one becomes the second
// one, one pair after the other. Ids of uploads are random, so nothing else is renamed.
func (c CopiedFile) Renames() [][2]string {
	return [][2]string{
		{c.Source.UploadID, c.File.UploadID},
		{c.Source.UserID + "/api_uploads/" + c.File.UploadID, c.File.UserID + "/api_uploads/" + c.File.UploadID},
		{c.Source.UserID + "/derived/" + c.File.UploadID, c.File.UserID + "/derived/" + c.File.UploadID},
	}
}

// IsPlugin reports whether the file is a program that pages run.
func (f *File) IsPlugin() bool { return strings.EqualFold(path.Ext(f.ResourceKey), ".mjs") }
