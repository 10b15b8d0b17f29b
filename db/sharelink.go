package db

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// openLink is the condition that a share link l has not ended. What an operator hides from everybody
// has no open link. A link that has had all of its visits is still open for those who have entered.
const openLink = "l.revoked_at IS NULL AND (l.ends_at IS NULL OR l.ends_at > now())" +
	" AND NOT EXISTS (SELECT FROM hidden_spaces AS h WHERE h.space_id = l.space_id)"

// AddShareLink stores a new link. It refuses more than model.MaxShareLinks of a space that are not
// revoked, and removes the oldest revoked ones.
//
// The lock on the space makes the count exact.
func (db ShareLinks) AddShareLink(ctx context.Context, link *model.ShareLink) error {
	return db.InTx(ctx, func(tx *DB) error {
		space, err := tx.Spaces().SpaceForUpdate(ctx, link.SpaceID)
		if err != nil {
			return err
		}
		var count int
		err = tx.idb.NewRaw("SELECT count(*) FROM share_links WHERE space_id = ? AND revoked_at IS NULL", link.SpaceID).Scan(ctx, &count)
		if err != nil {
			return translate(err)
		}
		if count >= model.MaxShareLinks {
			return model.Invalidf("A space can have at most %d share links. Revoke one first", model.MaxShareLinks)
		}
		_, err = tx.idb.ExecContext(ctx, `
			DELETE FROM share_links WHERE id IN (
				SELECT id FROM share_links WHERE space_id = ? AND revoked_at IS NOT NULL ORDER BY sequence DESC OFFSET ?)`,
			link.SpaceID, model.MaxRevokedLinks)
		if err != nil {
			return translate(err)
		}
		if _, err := tx.idb.NewInsert().Model(link).Returning("*").Exec(ctx); err != nil {
			return translate(err)
		}
		return tx.ShareLinks().recordLink(ctx, model.EventLinkCreated, space.OwnerID, link)
	})
}

// recordLink adds an event about the link to the audit trail.
func (db ShareLinks) recordLink(ctx context.Context, kind model.SecurityEventType, ownerID string, link *model.ShareLink) error {
	db.Announce(SpaceTopic(link.SpaceID))
	return db.Audit().record(ctx, kind, ownerID, link.SpaceID, link.Name)
}

// ShareLink returns the link with this id, or model.ShareLinkNotFound.
func (db ShareLinks) ShareLink(ctx context.Context, id string) (*model.ShareLink, error) {
	link := new(model.ShareLink)
	err := db.idb.NewSelect().Model(link).Where("id = ?", id).Scan(ctx)
	return link, translateNotFound(err, model.ShareLinkNotFound)
}

// ShareLinkBySecret returns the link with this hash of its secret, or model.ShareLinkNotFound. The
// link may have ended.
func (db ShareLinks) ShareLinkBySecret(ctx context.Context, hash []byte) (*model.ShareLink, error) {
	link := new(model.ShareLink)
	err := db.idb.NewSelect().Model(link).Where("secret_hash = ?", hash).Scan(ctx)
	return link, translateNotFound(err, model.ShareLinkNotFound)
}

// ShareLinksOf returns the links of each of the spaces, newest first, by the id of the space.
func (db ShareLinks) ShareLinksOf(ctx context.Context, spaceIDs []string) (map[string][]*model.ShareLink, error) {
	var found []*model.ShareLink
	err := db.idb.NewSelect().Model(&found).Where("space_id = ANY(?::text[])", pgdialect.Array(spaceIDs)).Order("sequence DESC").Scan(ctx)
	links := map[string][]*model.ShareLink{}
	for _, link := range found {
		links[link.SpaceID] = append(links[link.SpaceID], link)
	}
	return links, translate(err)
}

// UpdateShareLink changes what the input sets, with the hash of the new password. A new password
// makes everybody enter again. It refuses a link that was revoked.
func (db ShareLinks) UpdateShareLink(ctx context.Context, ownerID string, in model.UpdateShareLink, passwordHash string) (*model.ShareLink, error) {
	link := new(model.ShareLink)
	err := db.InTx(ctx, func(tx *DB) error {
		query := tx.idb.NewUpdate().Model(link).Where("id = ? AND revoked_at IS NULL", in.LinkID).Set("space_id = space_id").Returning("*")
		setIf(query, "name", in.Name)
		setIf(query, "allows_download", in.AllowsDownload)
		setIf(query, "allows_measuring", in.AllowsMeasuring)
		if in.SetPassword {
			query.Set("password_hash = ?, version = version + 1", passwordHash)
		}
		if in.SetEndsAt {
			query.Set("ends_at = ?", in.EndsAt)
		}
		if in.SetMaxVisits {
			query.Set("max_visits = ?", in.MaxVisits)
		}
		if err := query.Scan(ctx); err != nil {
			return translateNotFound(err, model.ShareLinkNotFound)
		}
		tx.Announce(TopicRevoked)
		return tx.ShareLinks().recordLink(ctx, model.EventLinkChanged, ownerID, link)
	})
	return link, err
}

// RevokeShareLink ends a link for everybody, at once. It changes nothing about a link that was
// revoked before.
func (db ShareLinks) RevokeShareLink(ctx context.Context, ownerID, id string) (*model.ShareLink, error) {
	link := new(model.ShareLink)
	err := db.InTx(ctx, func(tx *DB) error {
		err := tx.idb.NewUpdate().Model(link).Where("id = ? AND revoked_at IS NULL", id).Set("revoked_at = now()").Returning("*").Scan(ctx)
		if errors.Is(err, sql.ErrNoRows) {
			link, err = tx.ShareLinks().ShareLink(ctx, id)
			return err
		}
		if err != nil {
			return translate(err)
		}
		tx.Announce(TopicRevoked)
		return tx.ShareLinks().recordLink(ctx, model.EventLinkRevoked, ownerID, link)
	})
	return link, err
}

// Enter counts a visit by the link and reports whether the link accepts it: whether it is open, of this
// version, and has a visit left. Of visitors who come at the same time, only as many enter as the link
// has visits left.
func (db ShareLinks) Enter(ctx context.Context, link model.LinkAccess) (entered bool, err error) {
	result, err := db.idb.ExecContext(ctx, `
		UPDATE share_links AS l SET visits = visits + 1, visited_at = now()
		WHERE l.id = ? AND l.version = ? AND (l.max_visits IS NULL OR l.visits < l.max_visits) AND `+openLink, link.LinkID, link.Version)
	if err != nil {
		return false, translate(err)
	}
	rows, err := result.RowsAffected()
	return rows > 0, err
}

// LinkVisits returns the visits whose links are open, and still have the version of the visit.
func (db ShareLinks) LinkVisits(ctx context.Context, visits []model.LinkAccess) ([]*model.LinkVisit, error) {
	ids, versions := splitVisits(visits)
	var found []*model.LinkVisit
	err := db.idb.NewRaw(`
		SELECT l.id AS link_id, l.version, l.space_id, l.allows_download, l.allows_measuring FROM share_links AS l
		JOIN unnest(?::text[], ?::integer[]) AS visit (id, version) USING (id, version)
		WHERE `+openLink+` ORDER BY l.sequence`, pgdialect.Array(ids), pgdialect.Array(versions)).Scan(ctx, &found)
	return found, translate(err)
}

// EndedVisits returns the elements of the list whose links have ended.
func (db ShareLinks) EndedVisits(ctx context.Context, visits []model.LinkAccess) ([]model.LinkAccess, error) {
	ids, versions := splitVisits(visits)
	var ended []model.LinkAccess
	err := db.idb.NewRaw(`
		SELECT visit.id AS link_id, visit.version FROM unnest(?::text[], ?::integer[]) AS visit (id, version)
		WHERE NOT EXISTS (SELECT FROM share_links AS l WHERE l.id = visit.id AND l.version = visit.version AND `+openLink+`)`,
		pgdialect.Array(ids), pgdialect.Array(versions)).Scan(ctx, &ended)
	return ended, translate(err)
}

func splitVisits(visits []model.LinkAccess) (ids []string, versions []int) {
	for _, visit := range visits {
		ids, versions = append(ids, visit.LinkID), append(versions, visit.Version)
	}
	return ids, versions
}

// SpacesOfOpenLinks returns the ids of the spaces that these links open.
func (db ShareLinks) SpacesOfOpenLinks(ctx context.Context, links []model.LinkAccess) ([]string, error) {
	visits, err := db.LinkVisits(ctx, links)
	ids := make([]string, len(visits))
	for i, visit := range visits {
		ids[i] = visit.SpaceID
	}
	return ids, err
}
