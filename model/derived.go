package model

import (
	"strings"
	"time"
)

// DerivedRoot returns the folder, as a resource key, of the objects derived from the file, such as
// its posters and its view. Keys of uploads begin with api_uploads, and no two files have the same
// upload, so no other key is in this folder.
func (f *File) DerivedRoot() string { return "derived/" + f.UploadID + "/" }

// DerivedStorageRoot returns DerivedRoot as a prefix of storage keys, which start with the account.
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

// NeedsView reports whether the file needs a view and has none yet. Every file of Gaussians needs
// one, and the mesh of a PLY, except a streamed SOG: viewers load streamed SOG level by level, so that all captures of a
// space share one budget of Gaussians. Before the facts are known, the name decides.
func (f *File) NeedsView() bool {
	if f.ViewKey != "" {
		return false
	}
	if f.Facts != nil {
		return f.Facts.hasView()
	}
	return extensionOf(f.ResourceKey).has(gaussiansOnly)
}

// ViewName returns the name of the first object of the file's view. Viewers recognise the format by
// it.
func (f *File) ViewName() string {
	if f.Facts != nil && f.Facts.isMeshPLY() {
		return "mesh.glb"
	}
	return "lod-meta.json"
}

// ViewEdits returns the edits with which the file is converted to its view. They remove Gaussians
// that are far outside, and turn a glTF, which has y up, so that the view has y down like every
// streamed SOG.
func (f *File) ViewEdits() []Edit {
	if f.Facts != nil && f.Facts.isMeshPLY() {
		return nil
	}
	edits := []Edit{{Name: "filter-outliers"}}
	if f.Facts != nil && (f.Facts.Format == FormatGLB || f.Facts.Format == FormatGLTF) {
		edits = append(edits, Edit{Name: "rotate", Value: "0,0,180"})
	}
	return edits
}

// FileOf returns the owner and the upload id of the file that an object in the store belongs to.
// The object is the file itself, or was extracted or derived from it. ok is false for other keys.
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

// derivedGrace is longer than any attempt that makes a poster or a view.
const derivedGrace = 24 * time.Hour

// DerivedUntil returns the time after which an attempt that derives objects from a file now has
// ended. If the file is deleted now, its attempts have noticed that by then, or were killed.
func DerivedUntil(now time.Time) time.Time { return now.Add(derivedGrace) }
