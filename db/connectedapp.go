package db

import (
	"context"
	"net/url"
	"slices"

	"github.com/uptrace/bun"

	"portico/model"
)

// ConnectedApps returns the programs that the user has agreed to give the API key, newest
// first, at most 100.
//
// All apps of an account share its one API key (API section 5), so the row says to whom the key was
// given, and not which key an app has.
func (db *DB) ConnectedApps(ctx context.Context, userID string) ([]*model.ConnectedApp, error) {
	var rows []struct {
		bun.BaseModel `bun:"table:oauth_clients"`

		ID           string
		Name         string
		RedirectURIs []string `bun:"redirect_uris,array"`
		ConnectedAt  model.Time
	}
	err := db.idb.NewRaw(`
		SELECT oauth_clients.id, name, redirect_uris, oauth_consents.created_at AS connected_at
		FROM oauth_consents JOIN oauth_clients ON oauth_clients.id = client_id
		WHERE `+belongsTo("?")+` ORDER BY oauth_consents.created_at DESC, client_id LIMIT 100`, userID).Scan(ctx, &rows)
	apps := make([]*model.ConnectedApp, len(rows))
	for i, row := range rows {
		apps[i] = &model.ConnectedApp{ID: row.ID, Name: row.Name, Hosts: hostsOf(row.RedirectURIs), ConnectedAt: row.ConnectedAt}
	}
	return apps, translate(err)
}

// hostsOf returns the hosts of redirect addresses, each once. Package oauth registers only
// addresses that have a host.
func hostsOf(addresses []string) []string {
	hosts := []string{}
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil && !slices.Contains(hosts, u.Host) {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// RemoveConsent withdraws the user's consent to a program and revokes the user's API key,
// which the program has.
//
// The other apps of the account lose their access too, because they have the same key. They get the
// next key when the user consents again.
func (db *DB) RemoveConsent(ctx context.Context, userID, clientID string) error {
	return db.InTx(ctx, func(tx *DB) error {
		if _, err := tx.LockUser(ctx, userID); err != nil {
			return err
		}
		var name string
		err := tx.idb.NewRaw(`
			DELETE FROM oauth_consents USING oauth_clients
			WHERE `+belongsTo("?")+` AND client_id = ? AND oauth_clients.id = client_id RETURNING name`, userID, clientID).Scan(ctx, &name)
		if err != nil {
			return translateNotFound(err, model.AppNotFound)
		}
		if err := tx.record(ctx, model.EventConsentRevoked, userID, clientID, name); err != nil {
			return err
		}
		return tx.RevokeKeyOf(ctx, userID)
	})
}
