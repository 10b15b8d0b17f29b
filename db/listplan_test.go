package db

import (
	"context"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// longLists fills the lists of one user, and the list of all Public spaces.
const longLists = `
	INSERT INTO users (id, email, name, plan, quota)
		SELECT 10000000 + n, n || '@example.com', 'Ada', 'free', 1099511627776 FROM generate_series(1, 100) n;
	INSERT INTO spaces (id, owner_id, title, description, type, privacy, visit_count, changed_at)
		SELECT 's' || n, 10000001 + n % 10, md5(n::text), '', 'hub', CASE WHEN n % 10 < 2 THEN 'Public' ELSE 'Private' END, n * 7919 % 5000,
			'2026-11-01'::timestamptz + n * 7919 % 5000 * interval '1 minute' FROM generate_series(1, 2000) n;
	UPDATE spaces SET data = '{"splatjs":{}}' WHERE sequence % 7 = 0;
	INSERT INTO entities (space_id, entity_id, type, data)
		SELECT 's' || 1 + n % 200, 'e' || n, 'Simple', jsonb_build_object('glbUrl', 'https://files.example/' || n % 1500)
		FROM generate_series(1, 8000) n;
	INSERT INTO entities (space_id, entity_id, type, data)
		SELECT 's' || 1 + n % 200, 'g' || n, 'DynamicGate', jsonb_build_object('videoURL', 'https://files.example/1/api_uploads/' || n % 1500)
		FROM generate_series(1, 8000) n;
	INSERT INTO entities (space_id, entity_id, type, data)
		SELECT 's' || 1 + n % 200, 'f' || n, 'Simple', jsonb_build_object('glbUrl', 'https://files.example/1/api_uploads/' || n % 1500 || '_a.ply')
		FROM generate_series(1, 8000) n;
	INSERT INTO uploads (id, user_id, resource_key, file_name, content_type, size, state, expires_at)
		SELECT n, 10000001 + n % 10, 'key' || n, 'a', 'b', 1, 'confirmed', now() FROM generate_series(1, 2000) n;
	INSERT INTO files (resource_key, user_id, upload_id, name, content_type, size, objects)
		SELECT 'key' || n, 10000001 + n % 10, n, md5(n::text), 'b', n * 7919 % 5000, 1 FROM generate_series(1, 2000) n;
	ANALYZE`

// TestLists_use_the_indexes_of_their_orders holds that a page of a long list reads its rows
// in order, or the rows that have changed, and no others.
func TestLists_use_the_indexes_of_their_orders(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	asAdmin(t, db, longLists)
	for index, call := range orderedLists() {
		t.Run(index, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(index, ",")
			for _, plan := range plansOf(t, db, call) {
				if !strings.Contains(plan, name+" ") || strings.Contains(plan, "Seq Scan") {
					t.Errorf("plan: got none with %s, or a scan of a whole table\n%s", name, plan)
				}
			}
		})
	}
}

// orderedLists are reads of lists, each by the index that it must use; after a comma is what
// differs.
func orderedLists() map[string]func(context.Context, *DB) error {
	const user = "10000004"
	by := func(field model.OrderField) model.Page {
		return model.Page{Limit: 20, BothDirections: true, Order: model.Order{Field: field, Direction: model.Descending}}
	}
	public := func(filter model.SpaceFilter, page model.Page) func(context.Context, *DB) error {
		return func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().PublicSpaces(ctx, filter, page)
			return err
		}
	}
	files := func(page model.Page) func(context.Context, *DB) error {
		return func(ctx context.Context, db *DB) error {
			_, err := db.Files().Files(ctx, user, model.FileFilter{}, page)
			return err
		}
	}
	owned := func(page model.Page) func(context.Context, *DB) error {
		return func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().SpacesOf(ctx, user, model.SpaceFilter{}, page)
			return err
		}
	}
	shows := func(addresses ...string) func(context.Context, *DB) error {
		return func(ctx context.Context, db *DB) error {
			_, err := db.Entities().EntitiesThatShow(ctx, user, addresses, by(model.OrderByCreation))
			return err
		}
	}
	since := model.Time{Time: time.Date(2026, 11, 4, 10, 0, 0, 0, time.UTC)}
	after := by(model.OrderByTitle)
	after.After, after.AfterValue = 7, "ff" // near the start: 20 rows precede it
	return map[string]func(context.Context, *DB) error{
		"spaces_public_by_touch":           public(model.SpaceFilter{}, by(model.OrderByTouch)),
		"spaces_public_by_title":           public(model.SpaceFilter{}, by(model.OrderByTitle)),
		"spaces_public_by_title, after":    public(model.SpaceFilter{}, after),
		"spaces_public_by_visits":          public(model.SpaceFilter{}, by(model.OrderByVisits)),
		"spaces_public_by_touch, filtered": public(model.SpaceFilter{ChangedSince: since}, by(model.OrderByTouch)),
		"spaces_by_title":                  owned(by(model.OrderByTitle)),
		"spaces_by_title, after":           owned(after),
		"spaces_by_visits":                 owned(by(model.OrderByVisits)),
		"spaces_by_touch, by change":       owned(by(model.OrderByTouch)),
		"spaces_by_touch": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().SpacesOf(ctx, user, model.SpaceFilter{ChangedSince: since}, by(model.OrderByTouch))
			return err
		},
		"spaces_public_shared":        public(model.SpaceFilter{Shared: true}, model.Page{Limit: 12}),
		"spaces_public_shared, after": public(model.SpaceFilter{Shared: true}, model.Page{Limit: 12, After: 1200}),
		"spaces_shared": func(ctx context.Context, db *DB) error {
			_, err := db.Spaces().SpacesOf(ctx, user, model.SpaceFilter{Shared: true}, model.Page{Limit: 200})
			return err
		},
		"files_by_name":                  files(by(model.OrderByName)),
		"files_by_size":                  files(by(model.OrderBySize)),
		"entities_by_file":               shows("https://files.example/1", "https://files.example/2"),
		"entities_by_upload":             func(ctx context.Context, db *DB) error { return db.Watched().announceFile(ctx, user, "7") },
		"entities_by_other_file, a gate": shows("https://files.example/1/api_uploads/1", "https://files.example/1/api_uploads/2"),
	}
}
