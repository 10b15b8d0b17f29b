package graph

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/model"
)

// ExportPath is the path below which accounts are exported.
const ExportPath = "/exports/"

// exportLifetime is how long an address of an export works. It is the time in which the download
// must begin: an export that has started may take longer.
const exportLifetime = 5 * time.Minute

// ExportLinks signs the addresses of exports. An address works without a key, so that a browser
// downloads it as a file.
//
// An address is WebURL, ExportPath and the account's id, with this query:
//
//	access     the access version and the key version of the account
//	expires    the end of the address, in seconds since 1970
//	signature  base64url of HMAC-SHA-256 over account, access and expires, separated by line feeds
type ExportLinks struct{ key []byte }

// NewExportLinks returns links that are signed with the server's secret. HKDF (RFC 5869) derives
// the key, so that a signature of exports can never serve for anything else that the secret signs.
func NewExportLinks(secret []byte) (*ExportLinks, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "portico account exports", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of exports: %w", err)
	}
	return &ExportLinks{key}, nil
}

// accessOf returns the versions of the account: what ends all access to the account, or its key,
// changes them, and so ends the addresses.
func accessOf(user *model.User) string {
	return strconv.FormatInt(user.AccessVersion, 10) + "." + strconv.FormatInt(user.KeyVersion, 10)
}

// query returns the query of an address.
func (l *ExportLinks) query(user *model.User, expires time.Time) string {
	version, until := accessOf(user), strconv.FormatInt(expires.Unix(), 10)
	return url.Values{"access": {version}, "expires": {until}, "signature": {l.sign(user.ID, version, until)}}.Encode()
}

// sign returns the signature of the fields. No field can contain a line feed when it is verified:
// the account's id is looked up, and the others are compared.
func (l *ExportLinks) sign(fields ...string) string {
	mac := hmac.New(sha256.New, l.key)
	_, _ = mac.Write([]byte(strings.Join(fields, "\n"))) // never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// isSigned reports whether this server signed the query for the account. hmac.Equal takes the same
// time for every wrong signature.
func (l *ExportLinks) isSigned(userID string, query url.Values) bool {
	want := l.sign(userID, query.Get("access"), query.Get("expires"))
	return hmac.Equal([]byte(query.Get("signature")), []byte(want))
}

// ExportAccount returns an address where all data of the caller's account can be downloaded.
//
// The event is recorded before the address is returned. Who reads the trail sees each export that
// may have happened, also one that was never downloaded.
func (r Mutations) ExportAccount(ctx context.Context) (*model.ExportLink, error) {
	c, err := access.Caller(ctx)
	if err != nil {
		return nil, err
	}
	user, err := r.db.Accounts().User(ctx, c.UserID)
	if err != nil {
		return nil, err
	}
	if err := recordExport(ctx, r.db, user); err != nil {
		return nil, err
	}
	expires := time.Now().Add(exportLifetime).Truncate(time.Second)
	address := r.settings.WebURL + ExportPath + user.ID + "?" + r.exports.query(user, expires)
	return &model.ExportLink{URL: address, ExpiresAt: model.Time{Time: expires}}, nil
}

// recordExport adds the export to the audit trail of the account.
func recordExport(ctx context.Context, tx *db.DB, user *model.User) error {
	return tx.Audit().AddSecurityEvent(ctx, model.NewSecurityEvent(ctx, model.EventAccountExported, user.ID))
}

// RecordExport adds an export by the operator's command line to the audit trail of the account.
func (r *Resolver) RecordExport(ctx context.Context, user *model.User) error {
	return recordExport(ctx, r.db, user)
}

// LinkedExport returns the account for an address of ExportAccount. It returns CodeForbidden for an
// address without a valid signature, for one that has expired, and for one that is older than the
// last revocation of the account's key or of all access to it.
func (r *Resolver) LinkedExport(ctx context.Context, userID string, query url.Values) (*model.User, error) {
	refused := model.Forbidden("This link has expired. Ask for a new one in the account view of the console")
	if !r.exports.isSigned(userID, query) {
		return nil, refused
	}
	expires, err := strconv.ParseInt(query.Get("expires"), 10, 64)
	if err != nil || time.Now().Unix() >= expires {
		return nil, refused
	}
	user, err := r.db.Accounts().User(ctx, userID)
	if model.CodeOf(err) == model.CodeNotFound || err == nil && query.Get("access") != accessOf(user) {
		return nil, refused
	}
	return user, err
}

// CheckExport returns CodeForbidden if the key of the account, or all access to it, has ended since
// the export started. A long export calls it between its parts.
func (r *Resolver) CheckExport(ctx context.Context, started *model.User) error {
	user, err := r.db.Accounts().User(ctx, started.ID)
	if err == nil && accessOf(user) != accessOf(started) {
		err = model.Forbidden("Access to the account has ended")
	}
	return err
}
