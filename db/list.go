package db

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"portico/model"
)

// listing says which rows of a table are a list, and in which order.
type listing struct {
	table  string
	newest bool // newest first; else in the order of creation
	where  string
	args   []any
}

// counted is a row with the count of the whole list beside it.
type counted[T any] struct {
	Row   T `bun:"embed:"`
	Total int
}

// list returns a page of the list. One statement finds the rows and counts the
// list; only a page without rows asks for the count again.
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
	if len(found) > 0 {
		return model.NewConnection(rows, page.Limit, found[0].Total), nil
	}
	total, err := db.idb.NewSelect().Table(l.table).Where(l.where, l.args...).Count(ctx)
	return model.NewConnection(rows, page.Limit, int(total)), translate(err)
}

// query selects one row more than the page has, which tells whether more follow.
func (l listing) query(db *DB, page model.Page) *bun.SelectQuery {
	past, order := "sequence > ?", bun.OrderAsc
	if l.newest {
		past, order = "sequence < ?", bun.OrderDesc
	}
	query := db.idb.NewSelect().Table(l.table).ColumnExpr("*").
		ColumnExpr(fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s) AS total", l.table, l.where), l.args...).
		Where(l.where, l.args...).OrderBy("sequence", order).Limit(int64(page.Limit) + 1)
	if page.After > 0 {
		query = query.Where(past, page.After)
	}
	return query
}
