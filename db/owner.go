package db

// The rules of access in SQL. Every statement that compares the owner or the privacy of a space, or
// the account of a row with a parameter, uses them, and TestAccess_is_decided_by_one_rule refuses any
// other comparison. graph/access.go has the rules of spaces in Go, as owns, ownerOf and mayRead:
// change both together.
//
// The rules of ownership are ownedBy for a space, ofAccount for any other row, and ownerOf for an id
// of a space. readable and public are about spaces of any owner. ownedSpace in entity.go builds on
// ownedBy and adds the key of the caller, to save a round trip. lock.go has no rule of ownership:
// graph/access.go checks the owner before.

// ownedBy is the start of the condition that an account owns a space. The parameter or the column
// that follows it is the id of the account.
const ownedBy = "owner_id = "

// ofAccount is the start of the condition that a row belongs to an account: a file, an upload, a
// job, a webhook, a session, a passkey, a notification, an event of the audit trail. The parameter
// or the expression that follows it is the id of the account. A join of two tables and a read for
// several accounts (ANY) decide nothing about rights, so they do not use ofAccount. A challenge of
// a passkey may belong to no account, so RedeemChallenge compares it by IS NOT DISTINCT FROM.
const ofAccount = "user_id = "

// readable is the condition that everybody may read a space: graph.mayRead without a caller.
const readable = "privacy <> 'Private'"

// public is the condition that everybody may find a space, in lists, searches and sitemaps.
const public = "privacy = 'Public'"

// ownerOf returns the expression that reads the owner from the id of a space. It is for rows whose
// space may have been deleted, and for ids that are no reference to a row.
func ownerOf(spaceID string) string { return "split_part(" + spaceID + ", '_', 1)" }
