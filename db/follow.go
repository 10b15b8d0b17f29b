package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// followedByViewer selects whether the viewer follows the account u. Its argument is the viewer.
const followedByViewer = "EXISTS (SELECT FROM follows WHERE user_id = u.id AND follower_id = ?) AS followed"

// Profile returns the account with this id as the viewer sees it.
func (db *DB) Profile(ctx context.Context, userID, viewerID string) (*model.Profile, error) {
	profile := new(model.Profile)
	err := db.idb.NewRaw(`
		SELECT u.id, u.name, `+followedByViewer+`
		FROM users AS u WHERE u.id = ?`, viewerID, userID).Scan(ctx, profile)
	return profile, translateNotFound(err, model.UserNotFound)
}

// Profiles returns the accounts with these ids that exist, as the viewer sees them, by id.
//
// The subquery reads the primary key of follows for each account. An empty viewer follows nobody.
func (db *DB) Profiles(ctx context.Context, ids []string, viewerID string) (map[string]*model.Profile, error) {
	var found []*model.Profile
	err := db.idb.NewRaw(`
		SELECT u.id, u.name, `+followedByViewer+`
		FROM users AS u WHERE u.id = ANY(?::text[])`, viewerID, pgdialect.Array(ids)).Scan(ctx, &found)
	profiles := make(map[string]*model.Profile, len(found))
	for _, profile := range found {
		profiles[profile.ID] = profile
	}
	return profiles, translate(err)
}

// Following returns up to limit accounts that the follower follows, in the order of their ids,
// starting after the id after.
func (db *DB) Following(ctx context.Context, followerID, after string, limit int) ([]*model.Profile, error) {
	var found []*model.Profile
	err := db.idb.NewRaw(`
		SELECT u.id, u.name, true AS followed FROM follows AS f JOIN users AS u ON u.id = f.user_id
		WHERE f.follower_id = ? AND u.id > ? ORDER BY u.id LIMIT ?`, followerID, after, limit).Scan(ctx, &found)
	return found, translate(err)
}

// Follow makes the follower follow the user. It is idempotent.
//
// Who follows whom needs no lock: the primary key lets one of two requests insert the row. The user
// is looked up by the foreign key, so a follow needs one round trip.
func (db *DB) Follow(ctx context.Context, userID, followerID string) error {
	_, err := db.idb.ExecContext(ctx,
		"INSERT INTO follows (user_id, follower_id) VALUES (?, ?) ON CONFLICT DO NOTHING", userID, followerID)
	return translate(err)
}

// Unfollow is the reverse of Follow. It is idempotent.
func (db *DB) Unfollow(ctx context.Context, userID, followerID string) error {
	_, err := db.idb.ExecContext(ctx,
		"DELETE FROM follows WHERE "+belongsTo("?")+" AND follower_id = ?", userID, followerID)
	return translate(err)
}

// FollowerPage returns a page of the accounts that follow the user, in the order of their ids.
//
// Each row also reports whether the user follows the follower back. The sequence of the pages is
// the account's id as a number.
func (db *DB) FollowerPage(ctx context.Context, userID string, page model.Page) (*model.UserConnection, error) {
	return db.profilePage(ctx, listing{
		table: `(SELECT u.id, u.name, u.id::bigint AS sequence, f.user_id AS whose,
			EXISTS (SELECT FROM follows WHERE user_id = u.id AND follower_id = f.user_id) AS followed
			FROM follows AS f JOIN users AS u ON u.id = f.follower_id) AS people`,
		where: "whose = ?", args: []any{userID},
	}, page)
}

// FollowedPage returns a page of the accounts that the user follows, in the order of their ids.
func (db *DB) FollowedPage(ctx context.Context, userID string, page model.Page) (*model.UserConnection, error) {
	return db.profilePage(ctx, listing{
		table: `(SELECT u.id, u.name, u.id::bigint AS sequence, f.follower_id AS whose, true AS followed
			FROM follows AS f JOIN users AS u ON u.id = f.user_id) AS people`,
		where: "whose = ?", args: []any{userID},
	}, page)
}

// profilePage returns a page of the accounts that the listing selects.
func (db *DB) profilePage(ctx context.Context, rows listing, page model.Page) (*model.UserConnection, error) {
	profiles, err := list[model.Profile](ctx, db, rows, page)
	return (*model.UserConnection)(profiles), err
}
