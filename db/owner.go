package db

// The rules of ownership in SQL. Every statement that compares the owner of a space, or the account
// of a row with a parameter, uses them, and TestOwner_is_compared_by_one_rule refuses any other
// comparison. graph/access.go has the rules of spaces in Go, as owns and ownerOf: change both
// together.
//
// There are three forms: ownedBy for a space, ofAccount for any other row, and ownerOf for an id
// of a space. ownedSpace in entity.go builds on ownedBy and adds the key of the caller, to save a
// round trip. lock.go has no rule of ownership: graph/access.go checks the owner before. shown.go
// selects the spaces of one account by ownedBy, and among them those that everybody may read.

// ownedBy is the start of the condition that an account owns a space. The parameter or the column
// that follows it is the id of the account.
const ownedBy = "owner_id = "

// ofAccount is the start of the condition that a row belongs to an account: a file, an upload, a
// job, a webhook, a session, a passkey, a notification, an event of the audit trail. The parameter
// or the expression that follows it is the id of the account. A join of two tables and a read for
// several accounts (ANY) decide nothing about rights, so they do not use ofAccount. A challenge of
// a passkey may belong to no account, so RedeemChallenge compares it by IS NOT DISTINCT FROM.
const ofAccount = "user_id = "

// ownerOf returns the expression that reads the owner from the id of a space. It is for rows whose
// space may have been deleted, and for ids that are no reference to a row.
func ownerOf(spaceID string) string { return "split_part(" + spaceID + ", '_', 1)" }
