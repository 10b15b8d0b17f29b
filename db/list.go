package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/db/dial"
	"portico/model"
)

// listing selects the rows of a table that form a list, and their order.
//
// A page is read by keyset, not by offset: the cursor is the sequence of a row, with the value of
// the field that the list is sorted by. So a page stays right while rows are added and removed
// before it, and costs the same at any depth (API section 4, cursor). where, table and columns are
// texts of this package; everything that a client chose is in args.
//
// One statement reads a page, whose rows have these columns:
//
//	next        the sequence of the following row; NULL at the end
//	place       the number of the row in the page, from 1
//	row_bytes   the bytes of the row that clients chose
//	page_bytes  the sum of row_bytes up to the row
//	total       the number of rows of the list, unless the page is read without it
type listing struct {
	table   string // or a query in parentheses, with a name
	columns string // of a row; empty for all columns of the table
	newest  bool   // newest first; otherwise in the order of creation
	where   string
	args    []any
	// total is an expression for the number of rows that the database keeps, and may refer to
	// the parent's key; empty for a list that is counted. addCondition clears it.
	total     string
	totalArgs []any
	// candidates is a query that table refers to by this name; empty for none. The rows and their
	// total both need it, and it runs once.
	candidates     string
	candidatesArgs []any
	// bounded counts up to model.MaxCounted rows.
	bounded bool
	// size is an expression for the number of bytes of a row that clients chose; a page
	// has at most model.MaxPageBytes of them. Empty for rows that are always small.
	size string
}

// addCondition adds a condition. The kept total does not respect it, so it is dropped, and the rows
// are counted.
func (l *listing) addCondition(condition string, args ...any) {
	l.addCountedCondition(condition, args...)
	l.total, l.totalArgs = "", nil
}

// addCountedCondition adds a condition that the kept total of the list respects already.
func (l *listing) addCountedCondition(condition string, args ...any) {
	l.where += " AND " + condition
	l.args = append(slices.Clip(l.args), args...)
}

// countExpression returns the expression for the number of rows of the list, and its arguments. The
// three ways cost a lookup, at most model.MaxCounted rows, and all rows of the list.
func (l *listing) countExpression() (expression string, args []any) {
	switch {
	case l.total != "":
		return l.total, l.totalArgs
	case l.bounded:
		// With this order Postgres reads the index that it reads for a page, and stops at the limit.
		return fmt.Sprintf("(SELECT count(*) FROM (SELECT FROM %s WHERE %s ORDER BY sequence DESC LIMIT %d) AS found)",
			l.table, l.where, model.MaxCounted), l.args
	default:
		return fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s)", l.table, l.where), l.args
	}
}

// countOfEmptyPage returns the expression for the number of rows of a list whose page behind a
// cursor is empty, and its arguments. If the caller does not read the total, the expression is 1
// for any rows: it shows whether a page lies in the other direction, and Postgres stops at the
// first row.
func (l *listing) countOfEmptyPage(page model.Page) (expression string, args []any) {
	if page.WithoutTotal {
		return fmt.Sprintf("EXISTS (SELECT FROM %s WHERE %s)::int", l.table, l.where), l.args
	}
	return l.countExpression()
}

// withCandidates adds the query of the candidates to the query that refers to them.
func (l *listing) withCandidates(db *DB) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if l.candidates != "" {
			q.With("candidates", db.idb.NewRaw(l.candidates, l.candidatesArgs...))
		}
		return q
	}
}

// counted is a row with its position in the list.
type counted[T any] struct {
	Row         T `bun:"embed:"`
	Total       int
	Next        *int64 // the sequence of the next row in the direction of reading; nil for none
	HasPrevious bool   // whether rows lie in the other direction
}

// sortable is a pointer to a row of a list.
type sortable[T any] interface {
	*T
	model.Sortable
}

// list returns a page of the list. One statement selects the rows and counts the list. An empty
// page with a cursor needs a second one for the count, which is rare. Without a cursor the list is
// empty.
func list[T any, P sortable[T]](ctx context.Context, db *DB, l listing, page model.Page) (*model.Connection[P], error) {
	var found []counted[T]
	if err := l.query(db, page).Scan(ctx, &found); err != nil {
		return nil, translate(err)
	}
	if len(found) > 0 {
		return pageOf[T, P](found, page), nil
	}
	if page.After == 0 && page.Before == 0 {
		return emptyPage[P](page, 0), nil
	}
	var total int
	expression, args := l.countOfEmptyPage(page)
	err := db.idb.NewSelect().Apply(l.withCandidates(db)).ColumnExpr(expression, args...).Scan(ctx, &total)
	return emptyPage[P](page, total), translate(err)
}

// pageOf returns the page with the rows, which are in the direction of reading.
func pageOf[T any, P sortable[T]](found []counted[T], page model.Page) *model.Connection[P] {
	rows := make([]P, len(found))
	for i := range found {
		rows[i] = &found[i].Row
	}
	if page.Backward {
		slices.Reverse(rows)
	}
	last := found[len(found)-1]
	return model.NewOrderedPage(rows, page, last.Next != nil, found[0].HasPrevious, last.Total)
}

// emptyPage returns a page without rows. The rows of the list, if any, are on the other side of its
// cursor.
func emptyPage[P model.Sortable](page model.Page, total int) *model.Connection[P] {
	return model.NewOrderedPage([]P{}, page, false, page.BothDirections && total > 0, total)
}

// query selects the rows of the page. It sums their sizes first, so that Postgres does not read
// rows that the page leaves out. The first row is on the page whatever its size, so that a large
// row cannot end the list.
func (l *listing) query(db *DB, page model.Page) *bun.SelectQuery {
	s := l.sorting(page)
	window := fmt.Sprintf(" OVER (ORDER BY %s ROWS UNBOUNDED PRECEDING)", s.orderBy())
	rows := db.idb.NewSelect().TableExpr(l.table).ColumnExpr(cmp.Or(l.columns, "*")).
		ColumnExpr("lead(sequence)"+window+" AS next").
		ColumnExpr("row_number()"+window+" AS place").
		ColumnExpr(cmp.Or(l.size, "0")+" AS row_bytes").
		ColumnExpr("sum("+cmp.Or(l.size, "0")+")"+window+" AS page_bytes").
		Where(l.where, l.args...).OrderExpr(s.orderBy()).Limit(int64(page.Limit))
	inListAfter, inListBefore := s.ahead(), s.behind()
	if page.Backward { // what follows in the list lies behind a reader who comes from its end
		inListAfter, inListBefore = s.behind(), s.ahead()
	}
	if page.After > 0 {
		rows = rows.Where(inListAfter, s.key(page.After, page.AfterValue)...)
	}
	if page.Before > 0 {
		rows = rows.Where(inListBefore, s.key(page.Before, page.BeforeValue)...)
	}
	return db.idb.NewSelect().Apply(l.withCandidates(db)).TableExpr("(?) AS page", rows).ColumnExpr("page.*").
		Apply(func(q *bun.SelectQuery) *bun.SelectQuery { return l.selectTotal(q, page) }).
		Apply(func(q *bun.SelectQuery) *bun.SelectQuery { return l.selectHasPrevious(q, s, page) }).
		Where("page_bytes <= ? OR place = 1", model.MaxPageBytes).OrderExpr(s.orderBy())
}

// selectTotal selects the number of rows of the list, if the caller reads it.
func (l *listing) selectTotal(q *bun.SelectQuery, page model.Page) *bun.SelectQuery {
	if page.WithoutTotal {
		return q
	}
	expression, args := l.countExpression()
	return q.ColumnExpr(expression+" AS total", args...)
}

// selectHasPrevious selects whether rows lie before the start of the page, in the direction of
// reading: none does on a page without a cursor there.
//
// EXISTS stops at the first row that it finds.
func (l *listing) selectHasPrevious(q *bun.SelectQuery, s sorting, page model.Page) *bun.SelectQuery {
	sequence, value := page.After, page.AfterValue
	if page.Backward {
		sequence, value = page.Before, page.BeforeValue
	}
	if !page.BothDirections || sequence == 0 {
		return q
	}
	args := append(slices.Clone(l.args), s.key(sequence, value)...)
	return q.ColumnExpr(fmt.Sprintf("EXISTS (SELECT 1 FROM %s WHERE %s AND %s) AS has_previous",
		l.table, l.where, s.upTo()), args...)
}

// sorting is the order in which a page is read: the order of the list, or the reverse order for a
// page that is read backward.
type sorting struct {
	field      model.OrderField
	descending bool
}

func (l *listing) sorting(page model.Page) sorting {
	s := sorting{page.Order.Field, l.newest}
	if page.Order.Direction != "" {
		s.descending = page.Order.Direction == model.Descending
	}
	s.descending = s.descending != page.Backward
	return s
}

// orderBy returns the columns of ORDER BY. The field is one of model's constants, which
// are the names of columns.
func (s sorting) orderBy() string {
	direction := "ASC"
	if s.descending {
		direction = "DESC"
	}
	if s.field == model.OrderByCreation {
		return "sequence " + direction
	}
	return fmt.Sprintf("%s %s, sequence %s", s.field, direction, direction)
}

// ahead returns the condition for the rows after the row of a cursor, in the direction of reading.
func (s sorting) ahead() string {
	if s.descending {
		return s.compare("<")
	}
	return s.compare(">")
}

// behind returns the condition for the rows before the row of a cursor, in the direction of
// reading.
func (s sorting) behind() string {
	if s.descending {
		return s.compare(">")
	}
	return s.compare("<")
}

// upTo returns the condition for the row of a cursor and the rows before it, in the
// direction of reading.
func (s sorting) upTo() string {
	if s.descending {
		return s.compare(">=")
	}
	return s.compare("<=")
}

// compare returns the row comparison with the cursor. It uses an index over both columns, which two
// conditions with OR would not.
func (s sorting) compare(operator string) string {
	if s.field == model.OrderByCreation {
		return "sequence " + operator + " ?"
	}
	return fmt.Sprintf("(%s, sequence) %s (?, ?)", s.field, operator)
}

// key returns the arguments of the conditions. The value is the text of the cursor, which Postgres
// converts to the type of the column.
func (s sorting) key(sequence int64, value string) []any {
	if s.field == model.OrderByCreation {
		return []any{sequence}
	}
	return []any{value, sequence}
}

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

// Long lists are not counted when they are read: triggers keep their totals (see Totals
// of lists in db/migrations/0001_schema.sql).

// keptTotal returns an expression for the total of the lists whose names are equal to the
// SQL expression.
func keptTotal(names string) string {
	return "(SELECT coalesce(sum(rows), 0)::bigint FROM totals WHERE list = " + names + ")"
}

// spaceLists returns the names of the lists of the owner's spaces with these privacies; no
// privacies mean all.
func spaceLists(ownerID string, privacies []model.Privacy) []string {
	if len(privacies) == 0 {
		privacies = []model.Privacy{model.Public, model.LinkOnly, model.Private}
	}
	lists := make([]string, len(privacies))
	for i, privacy := range privacies {
		lists[i] = ownerID + " " + string(privacy)
	}
	return lists
}

// entityTotal returns an expression for the number of entities of the space, without
// RoomInfo: the kept total, or else a count; totalUnknown for more than model.MaxCounted.
//
// The order makes Postgres count by the index of the space's entities. Without it, a prepared
// statement reads the whole table where few spaces have most of the entities.
func entityTotal(spaceID string) string {
	return fmt.Sprintf(`coalesce((SELECT sum(rows)::bigint FROM totals WHERE list = %[1]s), (
		SELECT CASE WHEN count(*) > %[2]d THEN %[3]d ELSE count(*) END
		FROM (SELECT FROM entities WHERE space_id = %[1]s AND `+listedEntity+` ORDER BY sequence LIMIT %[2]d + 1) AS counted))`,
		spaceID, model.MaxCounted, totalUnknown)
}

// totalUnknown stands for the total of a long list whose total is not stored yet.
const totalUnknown = -1

// completeTotal returns total, or the number of entities of the space for totalUnknown. The
// total is stored from then on.
//
// keep_total locks the row of the space FOR UPDATE, for as long as the count takes, once in the
// life of a space. Afterwards the triggers keep the total.
func (db *DB) completeTotal(ctx context.Context, spaceID string, total int) (int, error) {
	if total != totalUnknown {
		return total, nil
	}
	if db.afterCommit == nil { // not in a transaction, which the lock could end
		err := db.InTx(ctx, func(tx *DB) error {
			// A space whose lock is not free soon is being written: its entities are counted below.
			if _, err := tx.idb.NewRaw("SET LOCAL lock_timeout = '50ms'").Exec(ctx); err != nil {
				return translate(err)
			}
			return translate(tx.idb.NewRaw("SELECT keep_total(?)", spaceID).Scan(ctx, &total))
		})
		if dial.SQLState(err) != lockNotAvailable {
			return total, err
		}
	}
	err := db.idb.NewRaw("SELECT count(*) FROM entities WHERE space_id = ? AND "+listedEntity, spaceID).Scan(ctx, &total)
	return total, translate(err)
}
