package main

import (
	"slices"
	"strings"
)

// fileChange is a difference between two states of the files.
type fileChange struct {
	// Change is put or delete.
	Change string `json:"change"`
	Path   string `json:"path"`
}

// changesBetween returns the changes that lead from one state to another, sorted by path. A state
// is the SHA-256 of each file, by path. The result is never nil, so that it is a list in JSON.
func changesBetween(before, after map[string]string) []fileChange {
	changes := []fileChange{}
	for name, sum := range after {
		if before[name] != sum {
			changes = append(changes, fileChange{"put", name})
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			changes = append(changes, fileChange{"delete", name})
		}
	}
	slices.SortFunc(changes, func(a, b fileChange) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

// conflictError lists the paths of the files that changed both here and on the server.
type conflictError []string

// Error implements error.
func (e conflictError) Error() string {
	return "changed here and on the server: " + strings.Join(e, ", ")
}

// conflicts returns the paths of the files that both sides changed since base, except those with
// the same new content on both sides. A file that is missing has the hash "", so a deletion on one
// side and a change on the other side is a conflict, and two deletions are none.
func conflicts(base, local, remote map[string]string) (paths conflictError) {
	for _, change := range changesBetween(base, local) {
		if remote[change.Path] != base[change.Path] && remote[change.Path] != local[change.Path] {
			paths = append(paths, change.Path)
		}
	}
	return paths
}
