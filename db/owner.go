package db

// The rules of access in SQL. Every condition on the owner of a space, on who may read or find a
// space, or on the account of a row uses them, and TestAccess_is_decided_by_one_rule refuses any
// other. graph/access has the rules of spaces in Go, as Owns, OwnerOf and MayRead. Change both together:
// tests compare them with one table, internal/testkit/access.
//
// The rules of ownership are ownedBy for a space, belongsTo for any other row, and ownerOf for an
// id of a space. readable and public are about spaces of any owner. notLockedByAnother is about the
// editors of one account. ownedSpace and editableSpace are what OwnedSpace and EditableSpace in
// graph/access decide, for the statements of the most frequent requests.
//
// Each rule is a whole condition, which needs no brackets between AND and OR.

// ownedBy returns the condition that an account owns a space. account is the parameter, the column
// or the expression for the id of the account. The name of a table may precede it:
// "s."+ownedBy("?").
func ownedBy(account string) string { return "owner_id = " + account }

// belongsTo returns the condition that a row belongs to an account: a file, an upload, a job, a
// webhook, a session, a passkey, a notification, an event of the audit trail. account is as in
// ownedBy. A join of two tables and a read for several accounts (ANY) decide nothing about rights,
// so they do not use belongsTo. A challenge of a passkey may belong to no account, so
// RedeemChallenge compares it by IS NOT DISTINCT FROM.
func belongsTo(account string) string { return "user_id = " + account }

// readable is the condition that everybody may read a space: access.MayRead without a caller.
const readable = "privacy <> 'Private'"

// public is the condition that everybody may find a space, in lists, searches and sitemaps.
const public = "privacy = 'Public'"

// ownerOf returns the expression that reads the owner from the id of a space. It is for rows whose
// space may have been deleted, and for ids that do not reference a row.
func ownerOf(spaceID string) string { return "split_part(" + spaceID + ", '_', 1)" }

// notLockedByAnother returns the condition that no other editor has locked the space s. token is
// the parameter for the token of the caller's lock.
//
// A lock is advisory between the editors of one account. It ends by itself at locked_until, so an
// editor that has crashed blocks the others for a limited time only. The clock of the database sets
// locked_until and is compared with it: a lock lasts as long whichever server grants it.
//
// A released lock has no token. In a transaction that began before the release, now() is before
// locked_until, so the time alone would refuse the editor.
func notLockedByAnother(token string) string {
	return "(s.lock_token IS NULL OR s.locked_until <= now() OR s.lock_token = " + token + ")"
}

var (
	// ownedSpace selects the space $1 if the user $3 owns it. The statements of the most frequent
	// requests, all in entity.go, use it to save a round trip. access.TryAsOwner passes the caller as
	// $3. If a statement finds nothing, graph decides by access.Owns why, and refuses the request.
	// TestOwnedStatements in package graph compares the two for every kind of caller.
	ownedSpace = "s.id = $1 AND s." + ownedBy("$3")

	// editableSpace is ownedSpace for a space s that no other editor has locked. $4 is the token of
	// the request's lock. model.Space.LockRefusal is the rule of the lock in Go, and explains a
	// refusal.
	editableSpace = ownedSpace + " AND " + notLockedByAnother("$4")
)
