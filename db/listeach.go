package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// eachParent is the SQL for the key of a parent in the condition of a listing. listEach reads one
// list for each parent.
const eachParent = "parent.key"

// rowWithParent is a row of one of many lists.
type rowWithParent[T any] struct {
	counted[T] `bun:"embed:"`

	Parent        string // the key of the list's parent
	ResponseBytes int64  // the size of all rows up to this one
}

// listEach returns the same page of the list of each parent, by the parents' keys, in one
// statement for all parents; a second one counts lists whose page is empty although they have rows.
// The listing refers to the parent by eachParent. The pages together have at most
// model.MaxResponse bytes that clients chose: more would not fit into a response.
//
// LATERAL runs the query of a page once for each parent, each by the index of its list. The parents
// keep the order of keys, so that the same parents are refused when the limit of bytes is reached.
func listEach[T any, P sortable[T]](
	ctx context.Context, db *DB, l listing, keys []string, page model.Page,
) (map[string]*model.Connection[P], error) {
	var found []rowWithParent[T]
	rows := db.idb.NewSelect().TableExpr("unnest(?::text[]) WITH ORDINALITY AS parent(key, at)", pgdialect.Array(keys)).
		Join("CROSS JOIN LATERAL (?) AS rows", l.query(db, page)).
		ColumnExpr("rows.*, parent.key AS parent, parent.at").
		ColumnExpr("sum(rows.row_bytes) OVER (ORDER BY parent.at, rows.place) AS response_bytes")
	// The first row that does not fit is read, to report it.
	err := db.idb.NewSelect().TableExpr("(?) AS rows", rows).ColumnExpr("*").
		Where("response_bytes - row_bytes <= ?", model.MaxResponse).OrderExpr("at, place").Scan(ctx, &found)
	if err != nil {
		return nil, translate(err)
	}
	if last := len(found) - 1; last >= 0 && found[last].ResponseBytes > model.MaxResponse {
		return nil, model.ResponseTooLarge()
	}
	lists := map[string][]counted[T]{}
	for _, row := range found {
		lists[row.Parent] = append(lists[row.Parent], row.counted)
	}
	totals, err := l.totals(ctx, db, keys, page)
	pages := make(map[string]*model.Connection[P], len(keys))
	for _, key := range keys {
		if rows := lists[key]; len(rows) > 0 {
			pages[key] = pageOf[T, P](rows, page)
		} else {
			pages[key] = emptyPage[P](page, totals[key])
		}
	}
	return pages, err
}

// totals returns the number of rows of each list. A list without a row on a page that has no
// cursor is empty, so that nothing needs to be counted.
func (l *listing) totals(ctx context.Context, db *DB, keys []string, page model.Page) (map[string]int, error) {
	if page.After == 0 && page.Before == 0 {
		return nil, nil
	}
	var found []struct {
		Key   string
		Total int
	}
	expression, args := l.countOfEmptyPage(page)
	err := db.idb.NewSelect().Apply(l.withCandidates(db)).TableExpr("unnest(?::text[]) AS parent(key)", pgdialect.Array(keys)).ColumnExpr("key").
		ColumnExpr(expression+" AS total", args...).Scan(ctx, &found)
	totals := make(map[string]int, len(found))
	for _, list := range found {
		totals[list.Key] = list.Total
	}
	return totals, translate(err)
}
