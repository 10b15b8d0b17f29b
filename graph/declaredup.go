package graph

import (
	"context"
	"errors"
	"fmt"
	"io"

	"portico/model"
	"portico/splat"
	"portico/storage"
)

// readDeclaredUp reads the start of a file that is not inspected yet. Clients show a file right after
// its upload, and its entity then needs the rotation that stands it upright.
func (r *Resolver) readDeclaredUp(ctx context.Context, file *model.File) error {
	if !file.MayDeclareUp() {
		return nil
	}
	object, err := r.store.Open(ctx, file.StorageKey())
	if errors.Is(err, storage.ErrNotFound) {
		return nil // deleted since; the entity shows nothing
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", file.ResourceKey, err)
	}
	defer object.Close() //nolint:errcheck // read only
	start, err := io.ReadAll(io.LimitReader(object, splat.HeaderSize))
	if err != nil {
		return fmt.Errorf("read the start of %s: %w", file.ResourceKey, err)
	}
	file.DeclaredUp = splat.DeclaredUp(start)
	return nil
}
