package model

import (
	"path"
	"strings"
	"time"
)

// DerivedRoot returns the folder, as a resource key, of the objects derived from the file:
// its poster and its view. It cannot collide with uploads, whose keys begin with
// api_uploads, or with other files: the id is the file's own.
func (f *File) DerivedRoot() string { return "derived/" + f.UploadID + "/" }

// DerivedStorageRoot returns the folder of DerivedRoot in the store.
func (f *File) DerivedStorageRoot() string { return f.UserID + "/" + f.DerivedRoot() }

// PosterStorageKey returns the poster's key in the store; empty while there is none.
func (f *File) PosterStorageKey() string { return f.derivedKey(f.PosterKey) }

// CollisionStorageKey returns the key in the store of the collision's first object; empty
// while there is none.
func (f *File) CollisionStorageKey() string { return f.derivedKey(f.CollisionKey) }

// ViewStorageKey returns the key in the store of the object that a viewer loads: the first
// object of the view, or the file's own if it has none.
func (f *File) ViewStorageKey() string {
	if f.ViewKey == "" {
		return f.StorageKey()
	}
	return f.derivedKey(f.ViewKey)
}

// NeedsView reports whether the file needs a view that it does not have yet. Every file
// of Gaussians that is not a streamed SOG does: viewers load streamed SOG level by level,
// and share one budget of Gaussians between all that a space shows. Before the facts are
// known, the name decides.
func (f *File) NeedsView() bool {
	if f.ViewKey != "" {
		return false
	}
	if f.Facts != nil {
		return f.Facts.Splats > 0 && f.Facts.Format != FormatStreamedSOG && f.Facts.Format != FormatInvalid
	}
	switch strings.ToLower(path.Ext(f.ResourceKey)) {
	case ".spz", ".splat", ".ksplat", ".sog":
		return true
	}
	return false
}

// ViewEdits returns the changes of the file that make its view. Entities that show a glTF
// are not rotated, but a streamed SOG has y down.
func (f *File) ViewEdits() []Edit {
	if f.Facts != nil && (f.Facts.Format == FormatGLB || f.Facts.Format == FormatGLTF) {
		return []Edit{{Name: "rotate", Value: "0,0,180"}}
	}
	return nil
}

// FileOf returns the owner and the id of the file that an object in the store belongs to: as
// the file itself, or as extracted or derived from it. It returns false for any other key.
func FileOf(storageKey string) (userID, id string, ok bool) {
	parts := strings.SplitN(storageKey, "/", 4)
	switch {
	case len(parts) >= 3 && parts[1] == "api_uploads":
		id, _, ok = strings.Cut(parts[2], "_")
	case len(parts) == 4 && parts[1] == "derived":
		id, ok = parts[2], true
	}
	return parts[0], id, ok
}

func (f *File) derivedKey(key string) string {
	if key == "" {
		return ""
	}
	return f.UserID + "/" + key
}

// derivedGrace is longer than any job that makes a poster or a view.
const derivedGrace = 24 * time.Hour

// DerivedUntil returns when no more objects can be derived from a file that is deleted now:
// the jobs that worked on it have noticed the deletion by then, or were killed.
func DerivedUntil(now time.Time) time.Time { return now.Add(derivedGrace) }
