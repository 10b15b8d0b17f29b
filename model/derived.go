package model

import (
	"path"
	"strings"
	"time"
)

// DerivedRoot returns the folder, in the form of a resource key, of what is made
// of the file to be looked at: its poster and its view. No upload can lie there:
// those begin with api_uploads, and the id is the file's own.
func (f *File) DerivedRoot() string { return "derived/" + f.UploadID + "/" }

// DerivedStorageRoot returns where DerivedRoot is in the store: a folder.
func (f *File) DerivedStorageRoot() string { return f.UserID + "/" + f.DerivedRoot() }

// PosterStorageKey returns where the poster is in the store; empty while there
// is none.
func (f *File) PosterStorageKey() string { return f.derivedKey(f.PosterKey) }

// ViewStorageKey returns where the object is that a viewer loads: the first of
// the view, or the file's own where it has none.
func (f *File) ViewStorageKey() string {
	if f.ViewKey == "" {
		return f.StorageKey()
	}
	return f.derivedKey(f.ViewKey)
}

// NeedsView reports whether a viewer is better served by another form of the file,
// which is not there yet: no viewer reads every version of SPZ, and few read .splat or
// .ksplat.
func (f *File) NeedsView() bool {
	if f.ViewKey != "" {
		return false
	}
	if f.Facts != nil {
		switch f.Facts.Format {
		case FormatSPZ, FormatSplat, FormatKSplat:
			return true
		}
		return false
	}
	switch strings.ToLower(path.Ext(f.ResourceKey)) {
	case ".spz", ".splat", ".ksplat":
		return true
	}
	return false
}

// FileOf returns whose and which file an object in the store belongs to: the file
// itself, what was extracted from it, or what was made of it. It is false for any
// other key.
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

// derivedGrace is longer than anything works that makes a poster or a view.
const derivedGrace = 24 * time.Hour

// DerivedUntil returns when nothing more can be made of a file that is deleted
// now: what was at work on it has noticed by then, or was killed.
func DerivedUntil(now time.Time) time.Time { return now.Add(derivedGrace) }
