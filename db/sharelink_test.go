package db

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/model"
)

func addShareLink(t *testing.T, db *DB, spaceID string, change func(*model.ShareLink)) *model.ShareLink {
	t.Helper()
	link := &model.ShareLink{ID: model.Token(), SpaceID: spaceID, Name: "Client", SecretHash: []byte(model.Token()), Version: 1}
	if change != nil {
		change(link)
	}
	check(t, db.ShareLinks().AddShareLink(t.Context(), link))
	return link
}

func TestEnter_lets_in_exactly_as_many_as_the_link_allows(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "Hall")
	const allowed, visitors = 3, 20
	link := addShareLink(t, db, space.ID, func(l *model.ShareLink) { l.MaxVisits = new(allowed) })
	var entered atomic.Int64
	var all sync.WaitGroup
	for range visitors {
		all.Go(func() {
			ok, err := db.ShareLinks().Enter(t.Context(), model.LinkAccess{LinkID: link.ID, Version: 1})
			if err != nil {
				t.Error(err)
			}
			if ok {
				entered.Add(1)
			}
		})
	}
	all.Wait()
	after, err := db.ShareLinks().ShareLink(t.Context(), link.ID)
	check(t, err)
	if entered.Load() != allowed || after.Visits != allowed || after.State() != model.ShareLinkUsedUp {
		t.Errorf("entered: got %d, and %d visits, %s, want %d and used up", entered.Load(), after.Visits, after.State(), allowed)
	}
}

func TestLinkVisits_end_with_their_link(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	space := addSpace(t, db, owner, "Hall")
	end := func(statement string) func(*model.ShareLink) {
		return func(l *model.ShareLink) {
			_, err := db.idb.ExecContext(t.Context(), statement, l.ID)
			check(t, err)
		}
	}
	revoke := func(l *model.ShareLink) {
		_, err := db.ShareLinks().RevokeShareLink(t.Context(), owner.ID, l.ID)
		check(t, err)
	}
	change := func(in model.UpdateShareLink) func(*model.ShareLink) {
		return func(l *model.ShareLink) {
			in.LinkID = l.ID
			_, err := db.ShareLinks().UpdateShareLink(t.Context(), owner.ID, in, "hash")
			check(t, err)
		}
	}
	for name, c := range map[string]struct {
		act    func(*model.ShareLink)
		isOpen bool
	}{
		"unchanged":           {func(*model.ShareLink) {}, true},
		"renamed":             {change(model.UpdateShareLink{Name: new("Agency")}), true},
		"used up":             {end("UPDATE share_links SET max_visits = 1, visits = 1 WHERE id = ?"), true},
		"with a later end":    {change(model.UpdateShareLink{SetEndsAt: true, EndsAt: &model.Time{Time: time.Now().Add(time.Hour)}}), true},
		"revoked":             {revoke, false},
		"after its end":       {end("UPDATE share_links SET ends_at = now() WHERE id = ?"), false},
		"with a new password": {change(model.UpdateShareLink{SetPassword: true}), false},
		"of a hidden space":   {end("INSERT INTO hidden_spaces (space_id, privacy) SELECT space_id, 'Private' FROM share_links WHERE id = ?"), false},
		"deleted":             {end("DELETE FROM share_links WHERE id = ?"), false},
	} {
		t.Run(name, func(t *testing.T) { // in turn: one hides the space
			link := addShareLink(t, db, space.ID, nil)
			visit := []model.LinkAccess{{LinkID: link.ID, Version: 1}}
			c.act(link)
			found, err := db.ShareLinks().LinkVisits(t.Context(), visit)
			check(t, err)
			ended, err := db.ShareLinks().EndedVisits(t.Context(), visit)
			check(t, err)
			opened, err := db.ShareLinks().SpacesOfOpenLinks(t.Context(), visit)
			check(t, err)
			if isOpen := len(found) == 1 && found[0].SpaceID == space.ID; isOpen != c.isOpen {
				t.Errorf("LinkVisits: got %v, want %v", isOpen, c.isOpen)
			}
			if hasEnded := slices.Equal(ended, visit); hasEnded == c.isOpen {
				t.Errorf("EndedVisits: got %v, want %v", hasEnded, !c.isOpen)
			}
			if isOpen := len(opened) == 1; isOpen != c.isOpen {
				t.Errorf("SpacesOfOpenLinks: got %v, want %v", isOpen, c.isOpen)
			}
			_, err = db.idb.ExecContext(t.Context(), "DELETE FROM hidden_spaces")
			check(t, err)
		})
	}
}

func TestAddShareLink_limits_the_links_of_a_space(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner := addUser(t, db)
	space := addSpace(t, db, owner, "Hall")
	_, err := db.idb.ExecContext(t.Context(), `
		INSERT INTO share_links (id, space_id, name, secret_hash, revoked_at)
		SELECT 'old' || n, ?, 'Old', ('secret' || n)::bytea, CASE WHEN n > 99 THEN now() END FROM generate_series(1, 210) AS n`, space.ID)
	check(t, err)
	last := addShareLink(t, db, space.ID, nil)
	links, err := db.ShareLinks().ShareLinksOf(t.Context(), []string{space.ID})
	check(t, err)
	if got, want := len(links[space.ID]), model.MaxShareLinks+model.MaxRevokedLinks; got != want {
		t.Errorf("links: got %d, want %d", got, want)
	}
	over := &model.ShareLink{ID: model.Token(), SpaceID: space.ID, Name: "One more", SecretHash: []byte("more"), Version: 1}
	if err := db.ShareLinks().AddShareLink(t.Context(), over); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("one more: got %v, want a refusal", err)
	}
	for range 2 { // a repeated request changes nothing
		revoked, err := db.ShareLinks().RevokeShareLink(t.Context(), owner.ID, last.ID)
		check(t, err)
		if revoked.State() != model.ShareLinkRevoked {
			t.Errorf("state: got %s, want revoked", revoked.State())
		}
	}
	check(t, db.ShareLinks().AddShareLink(t.Context(), over))
}
