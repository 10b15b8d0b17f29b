// Package stored finds the row that an object of the store belongs to, and the rows whose objects are
// missing. Backups and the doctor use it.
package stored

import (
	"slices"
	"strings"

	"portico/db/dump"
	"portico/storage"
)

// Index has the rows that name objects. It is not safe for concurrent use.
type Index struct {
	rows  []*Row
	byKey map[string]*Row // a folder has its slash
}

// Row is a row with those of its objects that were found so far.
type Row struct {
	dump.Holding

	Found      int
	FoundBytes int64
	// Missing are the keys in Required that were not found yet.
	Missing []string
}

// NewIndex returns the index of the rows, none of whose objects was found yet.
func NewIndex(holdings []dump.Holding) *Index {
	x := &Index{byKey: make(map[string]*Row, len(holdings))}
	for _, holding := range holdings {
		row := &Row{Holding: holding, Missing: slices.Clone(holding.Required)}
		x.rows = append(x.rows, row)
		x.byKey[row.Key] = row
	}
	return x
}

// Len returns the number of rows.
func (x *Index) Len() int { return len(x.rows) }

// RowOf returns the row that names the object or a folder that it is in, or nil.
func (x *Index) RowOf(key string) *Row {
	if row := x.byKey[key]; row != nil {
		return row
	}
	for end := strings.LastIndexByte(key, '/'); end > 0; end = strings.LastIndexByte(key[:end], '/') {
		if row := x.byKey[key[:end+1]]; row != nil {
			return row
		}
	}
	return nil
}

// Short returns the rows that lack objects or bytes.
func (x *Index) Short() (short []*Row) {
	for _, row := range x.rows {
		if row.IsShort() {
			short = append(short, row)
		}
	}
	return short
}

// Rows returns all rows, in the order of NewIndex.
func (x *Index) Rows() []*Row { return x.rows }

// Add counts an object of the row.
func (r *Row) Add(object storage.Object) {
	r.Found++
	r.FoundBytes += object.Size
	r.Missing = slices.DeleteFunc(r.Missing, func(key string) bool { return key == object.Key })
}

// IsShort reports whether the row lacks objects or bytes.
func (r *Row) IsShort() bool {
	return r.Found < r.Objects || r.FoundBytes < r.Bytes || len(r.Missing) > 0
}
