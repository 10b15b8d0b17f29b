package db

// The rules of ownership in SQL. Every statement that compares the owner of a space uses them, and
// TestOwner_is_compared_by_one_rule refuses any other comparison. graph/access.go has the same
// rules in Go, as owns and ownerOf: change both together.

// ownedBy is the start of the condition that an account owns a space. The parameter or the column
// that follows it is the id of the account.
const ownedBy = "owner_id = "

// ownerOf returns the expression that reads the owner from the id of a space. It is for rows whose
// space may have been deleted, and for ids that are no reference to a row.
func ownerOf(spaceID string) string { return "split_part(" + spaceID + ", '_', 1)" }
