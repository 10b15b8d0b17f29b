package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"

	"portico/splat"
	"portico/splat/folder"
)

// checkPublished checks that everything confirmed to clients is there, byte for byte.
func (w *world) checkPublished(ctx context.Context, rows map[string]fileRow, sizes map[string]int64, all []*published) error {
	shown, err := w.entities(ctx)
	if err != nil {
		return err
	}
	for _, p := range all {
		row, there := rows[p.resourceKey]
		switch {
		case !there:
			w.addLost("%s: no file is known by %s", p.name, p.resourceKey)
			continue
		case !shown[p.spaceID]:
			w.addLost("%s: its space or its entity is not there", p.name)
		}
		if err := w.checkContent(ctx, row, sizes, p.material); err != nil {
			w.addLost("%s: %v", p.name, err)
		}
	}
	w.add("files compared", len(all))
	return nil
}

// entities returns the ids of the spaces that have the entity which clients add.
func (w *world) entities(ctx context.Context) (map[string]bool, error) {
	spaces := map[string]bool{}
	err := w.database.withConnection(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT e.space_id FROM entities e JOIN spaces s ON s.id = e.space_id WHERE e.entity_id = $1", entityID)
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		for _, id := range found {
			spaces[id] = true
		}
		return err
	})
	return spaces, err
}

// checkContent checks that a file has exactly the bytes that were sent.
func (w *world) checkContent(ctx context.Context, row fileRow, sizes map[string]int64, m material) error {
	keys, _ := keysOf(row.UserID+"/"+row.ResourceKey, row.root(), sizes)
	found := folder.Memory{}
	for _, key := range keys {
		content, err := w.objects.read(ctx, key)
		if err != nil {
			return err
		}
		name := ""
		if root := row.root(); root != "" {
			name = strings.TrimPrefix(key, root)
		}
		found[name] = content
	}
	if m.parts == nil {
		return checkConverted(ctx, found, strings.TrimPrefix(row.UserID+"/"+row.ResourceKey, row.root()))
	}
	for name, want := range m.parts {
		content, there := found[name]
		if !there {
			return fmt.Errorf("%q is not there", name)
		}
		if sha256.Sum256(content) != want {
			return fmt.Errorf("%q holds other bytes, %d of them", name, len(content))
		}
	}
	if len(found) != len(m.parts) {
		return fmt.Errorf("%d objects are there, want %d", len(found), len(m.parts))
	}
	return nil
}

// checkConverted reads the result of a converted scan, as viewers do.
func checkConverted(ctx context.Context, files folder.Memory, primary string) error {
	facts, err := splat.Inspect(ctx, files, primary)
	if err != nil {
		return fmt.Errorf("read what it was converted to: %w", err)
	}
	if path.Base(primary) != "lod-meta.json" || facts.Splats != scanSplats*3/2 && facts.Splats != scanSplats {
		return fmt.Errorf("it was converted to %s of %d splats, want %d", primary, facts.Splats, scanSplats)
	}
	return nil
}
