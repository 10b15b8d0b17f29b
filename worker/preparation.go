package worker

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"portico/model"
)

// looked are the extensions of files that there is something to know of.
var looked = []string{".ply", ".spz", ".splat", ".ksplat", ".sog", ".lcc2", ".glb", ".gltf", ".jpg", ".jpeg", ".png", ".gif", ".webp"}

// worthLooking reports whether to look into a file, judged by its name: a child for
// each text or sound would find nothing.
func worthLooking(file *model.File) bool {
	extension := strings.ToLower(path.Ext(file.ResourceKey))
	return slices.Contains(looked, extension) || extension == ".json" && file.Objects > 1
}

// hasPoster reports whether a file with these facts gets a poster.
func hasPoster(facts *model.FileFacts) bool {
	switch facts.Format {
	case model.FormatJPEG, model.FormatPNG, model.FormatGIF, model.FormatWebP:
		return true
	case model.FormatInvalid, model.FormatGLB, model.FormatGLTF:
		return false
	}
	return facts.Splats > 0
}

// prepare finds out what is in a file and makes its poster.
func (s *workspace) prepare(ctx context.Context, file *model.File) error {
	if !worthLooking(file) {
		return s.db.SetFacts(ctx, file.ResourceKey, &model.FileFacts{Format: model.FormatOther})
	}
	in, err := s.local(ctx, file.StorageKey(), file.Objects > 1, func(int64, int64) {})
	if err != nil {
		return err
	}
	if file.Facts == nil {
		if file.Facts, err = s.inspect(ctx, in); err != nil {
			return err
		}
		if err := s.db.SetFacts(ctx, file.ResourceKey, file.Facts); err != nil {
			return err
		}
	}
	if file.PosterKey != "" || !hasPoster(file.Facts) {
		return nil
	}
	return s.poster(ctx, file, in)
}

// posterName is what every poster is called, in the folder of what is derived.
const posterName = "poster.jpg"

// poster makes and stores a picture of the file. Where its owner has no storage
// left for it there is none.
func (s *workspace) poster(ctx context.Context, file *model.File, in input) error {
	made, _, err := s.convert(ctx, in, posterName, inspectTimeout, func(float64, string) {})
	if fault, ok := asInput(err); ok {
		s.log.Info("no poster was made", "error", fault)
		return nil
	}
	if err != nil {
		return err
	}
	picture, err := os.Open(filepath.Join(made.folder, made.primary))
	if err != nil {
		return err
	}
	defer picture.Close() //nolint:errcheck // read only
	key := file.DerivedStorageRoot() + posterName
	size, err := s.store.Put(ctx, key, picture)
	if err != nil {
		return err
	}
	added, err := s.db.AddPoster(ctx, file, file.DerivedRoot()+posterName, size)
	if err != nil || added {
		return err
	}
	return s.drop(ctx, file, func(now *model.File) bool { return now.PosterKey != "" }, func() {
		if err := s.store.Delete(ctx, key); err != nil {
			s.log.Warn("remove a poster that is not used", "error", err)
		}
	})
}
