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

// inspectedExtensions are the extensions of the formats that package splat reads.
var inspectedExtensions = []string{".ply", ".spz", ".splat", ".ksplat", ".sog", ".lcc2", ".glb", ".gltf", ".jpg", ".jpeg", ".png", ".gif", ".webp"}

// inspectable reports whether to inspect a file, judged by its name. It saves starting a
// child for each text or sound.
func inspectable(file *model.File) bool {
	extension := strings.ToLower(path.Ext(file.ResourceKey))
	return slices.Contains(inspectedExtensions, extension) || extension == ".json" && file.Objects > 1
}

// hasPoster reports whether a file with these facts gets a poster.
func hasPoster(facts *model.FileFacts) bool {
	switch facts.Format {
	case model.FormatJPEG, model.FormatPNG, model.FormatGIF, model.FormatWebP:
		return true
	case model.FormatInvalid:
		return false
	}
	// Of a glTF file only Gaussians can be drawn, so a model has no poster.
	return facts.Splats > 0
}

// prepare stores the facts of a file, queues its view and its collision, and makes its
// poster.
func (s *workspace) prepare(ctx context.Context, file *model.File) error {
	if !inspectable(file) {
		return s.db.SetFacts(ctx, file.ResourceKey, &model.FileFacts{Format: model.FormatOther})
	}
	in, err := s.openLocally(ctx, file.StorageKey(), file.Objects > 1, func(int64, int64) {})
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
	if file.NeedsView() && s.converts() {
		if err := s.db.EnqueueView(ctx, file.ResourceKey); err != nil {
			return err
		}
	}
	if file.CollisionKey == "" && hasCollision(file.Facts) {
		if err := s.db.EnqueueCollision(ctx, file.ResourceKey); err != nil {
			return err
		}
	}
	if file.PosterKey != "" || !hasPoster(file.Facts) {
		return nil
	}
	return s.addPoster(ctx, file, in)
}

// posterName is the name of every poster, in the folder of a file's derived objects.
const posterName = "poster.jpg"

// addPoster makes and stores a picture of the file. The file gets none if its owner has
// no storage left, or if the picture cannot be made.
func (s *workspace) addPoster(ctx context.Context, file *model.File, in input) error {
	made, _, err := s.convert(ctx, conversion{in: in, name: posterName, timeout: inspectTimeout})
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
	return s.removeUnusedPoster(ctx, file)
}

// removeUnusedPoster removes the object of a poster that was not added to its file.
func (s *workspace) removeUnusedPoster(ctx context.Context, file *model.File) error {
	return s.removeUnused(ctx, file, func(now *model.File) bool { return now.PosterKey != "" }, func() {
		if err := s.store.Delete(ctx, file.DerivedStorageRoot()+posterName); err != nil {
			s.log.Warn("remove an unused poster", "error", err)
		}
	})
}
