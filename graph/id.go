package graph

import (
	"slices"

	"portico/model"
)

// isPrintableASCII reports whether a text is printable ASCII, as all our ids except resource keys
// are. Postgres cannot even read some of the others, such as a NUL character.
func isPrintableASCII(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// printable returns the ids that Postgres can read.
func printable(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !isPrintableASCII(id) })
}

// checkEntityID refuses an id that no entity can have, before it reaches the database.
func checkEntityID(id string) error {
	if !isPrintableASCII(id) {
		return model.NotFound(model.EntityNotFound)
	}
	return nil
}
