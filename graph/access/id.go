package access

import (
	"slices"

	"portico/model"
)

// IsPrintableASCII reports whether a text is printable ASCII. All ids except resource keys are.
// Postgres returns an error for some other texts, such as a NUL character.
//
// Resolvers call it before a query with a text of a client. Without it, such an id would be an
// internal error instead of 404.
func IsPrintableASCII(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// PrintableIDs returns the ids that are printable ASCII.
func PrintableIDs(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !IsPrintableASCII(id) })
}

// CheckFindable refuses an id that no entity can have, before the database refuses it with an
// internal error.
func CheckFindable(id string) error {
	if !IsPrintableASCII(id) {
		return model.NotFound(model.EntityNotFound)
	}
	return nil
}
