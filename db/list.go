package db

import (
	"cmp"
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"portico/model"
)

// listing selects the rows of a table that form a list, and their order.
type listing struct {
	table  string
	newest bool // newest first; otherwise in the order of creation
	where  string
	args   []any
	// size is an expression for the number of bytes of a row that clients chose; a page
	// has at most model.MaxPageBytes of them. Empty for rows that are always small.
	size string
}

// counted is a row with its position in the list.
type counted[T any] struct {
	Row   T `bun:"embed:"`
	Total int
	Next  *int64 // the sequence of the next row; nil for none
}

// list returns a page of the list. One statement selects the rows and counts the list; a
// page without rows needs a second one for the count.
func list[T any, P interface {
	*T
	Cursor() string
}](ctx context.Context, db *DB, l listing, page model.Page) (*model.Connection[P], error) {
	var found []counted[T]
	if err := l.query(db, page).Scan(ctx, &found); err != nil {
		return nil, translate(err)
	}
	rows := make([]P, len(found))
	for i := range found {
		rows[i] = &found[i].Row
	}
	if last := len(found) - 1; last >= 0 {
		return model.NewPage(rows, found[last].Next != nil, found[last].Total), nil
	}
	total, err := db.idb.NewSelect().Table(l.table).Where(l.where, l.args...).Count(ctx)
	return model.NewPage(rows, false, int(total)), translate(err)
}

// query selects the rows of the page. It sums their sizes first, so that Postgres does
// not read rows that the page leaves out.
func (l listing) query(db *DB, page model.Page) *bun.SelectQuery {
	past, order := "sequence > ?", bun.OrderAsc
	if l.newest {
		past, order = "sequence < ?", bun.OrderDesc
	}
	window := fmt.Sprintf(" OVER (ORDER BY sequence %s ROWS UNBOUNDED PRECEDING)", order)
	rows := db.idb.NewSelect().Table(l.table).ColumnExpr("*").
		ColumnExpr("lead(sequence)"+window+" AS next").
		ColumnExpr("row_number()"+window+" AS place").
		ColumnExpr("sum("+cmp.Or(l.size, "0")+")"+window+" AS upto").
		Where(l.where, l.args...).OrderBy("sequence", order).Limit(int64(page.Limit))
	if page.After > 0 {
		rows = rows.Where(past, page.After)
	}
	return db.idb.NewSelect().TableExpr("(?) AS page", rows).ColumnExpr("page.*").
		ColumnExpr(fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s) AS total", l.table, l.where), l.args...).
		Where("upto <= ? OR place = 1", model.MaxPageBytes).OrderBy("sequence", order)
}
