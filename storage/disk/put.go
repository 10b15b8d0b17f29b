package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"portico/storage"
)

// Put implements storage.Store.
func (d *Store) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := storage.CheckKey(key); err != nil {
		return 0, err
	}
	size, err := d.put(ctx, r, func(in *incoming) error { return d.moveToKey(d.root.Rename, in, key) })
	if err != nil {
		return 0, fmt.Errorf("put %s: %w", key, err)
	}
	return size, nil
}

// put writes and syncs a file, and calls publish to give it its name.
func (d *Store) put(ctx context.Context, r io.Reader, publish func(*incoming) error) (int64, error) {
	in, err := d.newIncoming()
	if err != nil {
		return 0, err
	}
	defer in.discard()
	size, err := in.fill(ctx, r)
	if err != nil {
		return 0, err
	}
	if err := in.seal(); err != nil {
		return 0, err
	}
	// The last check of ctx: from here on the object exists.
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return size, publish(in)
}

// Ping implements storage.Store. It does all steps of an upload, so that it fails on a full
// disk, without permissions and on a file system without hard links.
func (d *Store) Ping(ctx context.Context) error {
	in, err := d.newIncoming()
	if err != nil {
		return fmt.Errorf("ping storage: %w", err)
	}
	defer in.discard()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ping storage: %w", err)
	}
	if _, err := in.file.WriteString("ping"); err != nil { // may use the reserve of the disk
		return fmt.Errorf("ping storage: %w", storage.WrapFull(err))
	}
	link := in.name + ".link"
	if err := d.root.Link(in.name, link); err != nil {
		return fmt.Errorf("ping storage: %w", storage.WrapFull(err))
	}
	if err := d.root.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ping storage: %w", err)
	}
	return nil
}
