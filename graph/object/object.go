// Package object deletes the objects of files, uploads and accounts from the store.
package object

import (
	"context"

	"portico/db"
	"portico/storage"
)

// Remover deletes objects for which a removal is recorded, and frees their storage.
type Remover struct {
	db    *db.DB
	store storage.Store
}

// NewRemover returns a remover of the objects of a store, with the removals of a database.
func NewRemover(rows *db.DB, store storage.Store) *Remover {
	return &Remover{db: rows, store: store}
}

// Remove deletes an object.
func (r *Remover) Remove(ctx context.Context, key string) error {
	return r.remove(ctx, key, r.store.Delete)
}

// RemoveFolder deletes all objects whose keys begin with a folder.
func (r *Remover) RemoveFolder(ctx context.Context, folder string) error {
	return r.remove(ctx, folder, r.store.DeletePrefix)
}

func (r *Remover) remove(ctx context.Context, key string, remove func(context.Context, string) error) error {
	if err := remove(ctx, key); err != nil {
		return err
	}
	return r.db.Files().FinishSweep(ctx, key, r.store.AcceptsLateUploads())
}
