package model

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The sizes of a page (API section 8).
const (
	DefaultPageSize = 50
	MaxPageSize     = 200
	// MaxPageBytes is the maximum size of the JSON and texts that clients chose in a page, in
	// bytes. A page ends before the row that would exceed it, but has at least one row. The
	// limit is low because the page of a client that reads slowly stays in memory, in several
	// copies, until the client is disconnected.
	MaxPageBytes = 1 << 20
)

// MaxCounted is the maximum TotalCount of filtered and searched lists of spaces, entities and
// files, so that counting a million results takes no longer than counting a thousand.
const MaxCounted = 1000

// MaxResponse is the maximum size of a response body, in bytes.
const MaxResponse = 16 << 20

// ResponseTooLarge refuses a request whose response would have more than MaxResponse bytes.
func ResponseTooLarge() *Error {
	return TooLargef("The response has more than %d bytes: ask for fewer things at a time", MaxResponse)
}

// Pager selects the page of a list: PageArgs, or ConnectionArgs for GraphQL.
type Pager interface{ Page() (Page, error) }

// PageArgs are the arguments of a list.
type PageArgs struct {
	// Limit is the page's size: nil is DefaultPageSize, over MaxPageSize is
	// MaxPageSize, below 1 is an error.
	Limit *int
	// Cursor is the end cursor of the previous page; empty for the first page.
	Cursor string
	// Search selects the rows that contain this text, if the list can be searched.
	Search string
}

// ParseSize returns the size that a client asked for, such as PageArgs.Limit. A text that is not an
// integer becomes 0, so that the resolver refuses it in the usual order: after an unknown space. A
// number that is too large for an int becomes the largest int, which the resolver replaces with its
// maximum.
func ParseSize(text string) int {
	size, err := strconv.Atoi(text) // ErrRange comes with the nearest int
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return size
}

// Page selects a page of a list: rows after one row and before another, in the order of
// the list. It may start at the end of the list.
type Page struct {
	Limit    int
	After    int64 // the sequence number of the row; 0: from the start of the list
	Before   int64 // 0: up to the end of the list
	Backward bool  // the last rows of the selection instead of the first
	// BothDirections asks for HasNextPage and HasPreviousPage. Otherwise only the one in the direction
	// of reading is known.
	BothDirections bool
	// WithoutTotal allows TotalCount to be 0 for any number of rows, because the caller does not read
	// it. Counting the results of a search can take much longer than reading a page of them.
	WithoutTotal bool
	Search       string
	// Order replaces the default order of the list. AfterValue and BeforeValue are then the
	// values of Order's field that the rows After and Before had.
	Order       Order
	AfterValue  string
	BeforeValue string
}

// Order sorts a list by a field, and rows with equal values by creation. The zero value is the
// default order of the list.
type Order struct {
	Field     OrderField
	Direction Direction
}

// Direction says which end of a list comes first.
type Direction string

// The values are the constants of GraphQL's enum OrderDirection.
const (
	Ascending  Direction = "ASC"
	Descending Direction = "DESC"
)

// OrderField is a field that a list can be sorted by.
type OrderField string

// The fields that lists can be sorted by. Each list accepts some of them.
const (
	OrderByCreation OrderField = "" // the sequence number
	OrderByDate     OrderField = "created_at"
	OrderByChange   OrderField = "changed_at"
	OrderByTouch    OrderField = "touched_at" // the last change of a space or of its entities
	OrderByTitle    OrderField = "title"
	OrderByVisits   OrderField = "visit_count"
	OrderByName     OrderField = "name"
	OrderBySize     OrderField = "size"
)

// Page returns the page that the arguments select. It refuses a limit below 1, a search text that is
// too long, and an invalid cursor.
func (a PageArgs) Page() (Page, error) {
	page := Page{Limit: DefaultPageSize}
	if a.Limit != nil {
		page.Limit = min(*a.Limit, MaxPageSize)
	}
	if page.Limit < 1 {
		return Page{}, InvalidField("limit", "must be a whole number of at least 1")
	}
	var err error
	if page.Search, err = checkSearch(a.Search); err != nil {
		return Page{}, err
	}
	if a.Cursor == "" {
		return page, nil
	}
	after, ok := parseCursor(a.Cursor)
	if !ok {
		return Page{}, InvalidField("cursor", "is not a cursor of this server")
	}
	page.After = after
	return page, nil
}

// checkSearch returns the trimmed text, and refuses one that is too long.
func checkSearch(search string) (string, error) {
	search = strings.TrimSpace(search)
	return search, checkText("search", search, 200)
}

// cursorPrefix is the prefix of every cursor. It distinguishes cursors from other base64 text.
const cursorPrefix = "after:"

// Cursor returns the opaque cursor of the row with this sequence number. It identifies a
// row, not an offset, so pages stay correct while rows are added and removed.
func Cursor(sequence int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorPrefix + strconv.FormatInt(sequence, 10)))
}

// orderedCursor is Cursor for a list that is sorted by a field. It also contains the value of the
// row, so that pages stay correct when the row changes.
func orderedCursor(sequence int64, field OrderField, value string) string {
	text := cursorPrefix + strconv.FormatInt(sequence, 10) + ":" + string(field) + ":" + value
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

func parseCursor(cursor string) (int64, bool) {
	sequence, _, ok := parseOrderedCursor(cursor, OrderByCreation)
	return sequence, ok
}

// parseOrderedCursor parses a cursor of a list that is sorted by the field.
func parseOrderedCursor(cursor string, field OrderField) (sequence int64, value string, ok bool) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		return 0, "", false
	}
	digits, ok := strings.CutPrefix(string(text), cursorPrefix)
	if field != OrderByCreation {
		var rest string
		digits, rest, _ = strings.Cut(digits, ":")
		value, ok = strings.CutPrefix(rest, string(field)+":")
	}
	sequence, err = strconv.ParseInt(digits, 10, 64)
	return sequence, value, ok && err == nil && sequence > 0 && field.accepts(value)
}

// accepts reports whether Postgres can compare the value of a cursor with the field.
func (f OrderField) accepts(value string) bool {
	switch f {
	case OrderByDate, OrderByChange, OrderByTouch:
		at, err := time.Parse(time.RFC3339, value)
		return err == nil && at.Year() > 0 // there is no year 0 in Postgres
	case OrderByVisits, OrderBySize:
		_, err := strconv.ParseInt(value, 10, 64)
		return err == nil
	default:
		return true
	}
}

// PageInfo is the PageInfo of Relay's connections.
type PageInfo struct {
	HasNextPage     bool
	HasPreviousPage bool
	// StartCursor is the cursor of the page's first row; nil for an empty page.
	StartCursor *string
	// EndCursor is the cursor of the page's last row; nil for an empty page.
	EndCursor *string
}

// Connection is one page of a list, as NewPage makes it.
type Connection[T any] struct {
	Nodes    []T
	PageInfo PageInfo
	// TotalCount is the number of rows in the whole list. See MaxCounted and Page.WithoutTotal.
	TotalCount int
	// Order is the order in which the list was read.
	Order Order
}

// Edge is a row of a page with its cursor.
type Edge[T any] struct {
	Cursor string
	Node   T
}

// NewPage returns a page of rows; more reports whether rows follow.
func NewPage[T interface{ Cursor() string }](rows []T, more bool, total int) *Connection[T] {
	page := &Connection[T]{Nodes: rows, TotalCount: total, PageInfo: PageInfo{HasNextPage: more}}
	page.setCursors(func(row T) string { return row.Cursor() })
	return page
}

// NewOrderedPage returns a page of rows, which are in the page's order. more reports whether rows
// follow in the direction of reading, and other whether there are rows in the opposite direction.
func NewOrderedPage[T Sortable](rows []T, page Page, more, other bool, total int) *Connection[T] {
	c := &Connection[T]{Nodes: rows, TotalCount: total, Order: page.Order}
	c.PageInfo.HasNextPage, c.PageInfo.HasPreviousPage = more, other
	if page.Backward {
		c.PageInfo.HasNextPage, c.PageInfo.HasPreviousPage = other, more
	}
	c.setCursors(func(row T) string { return cursorIn(row, page.Order) })
	return c
}

// setCursors sets the cursors of the page's first and last row.
func (c *Connection[T]) setCursors(cursor func(T) string) {
	if len(c.Nodes) == 0 {
		return
	}
	start, end := cursor(c.Nodes[0]), cursor(c.Nodes[len(c.Nodes)-1])
	c.PageInfo.StartCursor, c.PageInfo.EndCursor = &start, &end
}

// Sortable is a row of a list that can be sorted.
type Sortable interface {
	Cursor() string
	// Key returns the sequence number of the row and its value of a field, as Postgres
	// reads it; an empty value for OrderByCreation.
	Key(field OrderField) (sequence int64, value string)
}

// cursorIn returns the cursor of the row in a list with this order.
func cursorIn(row Sortable, order Order) string {
	if order.Field == OrderByCreation {
		return row.Cursor()
	}
	sequence, value := row.Key(order.Field)
	return orderedCursor(sequence, order.Field, value)
}

// edgesOf returns the rows of a list with their cursors.
func edgesOf[T Sortable, E ~struct {
	Cursor string
	Node   T
}](nodes []T, order Order) []E {
	edges := make([]E, len(nodes))
	for i, node := range nodes {
		edges[i] = E{Cursor: cursorIn(node, order), Node: node}
	}
	return edges
}

// ConnectionArgs are the arguments of a GraphQL connection (Relay's "GraphQL Cursor
// Connections Specification").
type ConnectionArgs struct {
	// First and Last are the size of the page, from the start or from the end of the list.
	// Last takes precedence, because the schema gives First a default.
	First, Last   *int
	After, Before *string
	Search        string
	Order         Order
	// WithoutTotal leaves the list uncounted, see Page.
	WithoutTotal bool
}

// Page checks the arguments. Unlike PageArgs it refuses a size over MaxPageSize: a client
// that pages by counting rows would miss some.
func (a ConnectionArgs) Page() (Page, error) {
	page := Page{Limit: DefaultPageSize, BothDirections: true, WithoutTotal: a.WithoutTotal, Order: a.Order}
	name, size := "first", a.First
	if a.Last != nil {
		name, size, page.Backward = "last", a.Last, true
	}
	if size != nil {
		page.Limit = *size
	}
	if page.Limit < 1 || page.Limit > MaxPageSize {
		return Page{}, InvalidField(name, fmt.Sprintf("must be between 1 and %d", MaxPageSize))
	}
	var err error
	if page.After, page.AfterValue, err = a.cursor("after", a.After); err != nil {
		return Page{}, err
	}
	if page.Before, page.BeforeValue, err = a.cursor("before", a.Before); err != nil {
		return Page{}, err
	}
	page.Search, err = checkSearch(a.Search)
	return page, err
}

// cursor reads the cursor of an argument.
func (a ConnectionArgs) cursor(name string, cursor *string) (int64, string, error) {
	if cursor == nil || *cursor == "" {
		return 0, "", nil
	}
	sequence, value, ok := parseOrderedCursor(*cursor, a.Order.Field)
	if !ok {
		return 0, "", InvalidField(name, "is not a cursor of this server")
	}
	return sequence, value, nil
}

// SpaceFilter selects spaces. An empty field selects all spaces; several values of one field select
// the spaces that have any of them.
type SpaceFilter struct {
	// Text must be in the title or the description.
	Text         string
	Privacy      []Privacy
	ChangedSince Time
	// Shared selects the spaces with a block of ShareField.
	Shared bool
	// Template selects the templates of the owner.
	Template bool
}

// FileFilter selects files. An empty field selects all files.
type FileFilter struct {
	// Text must be in the name.
	Text string
	// Format has the formats of which a file must have one.
	Format []FileFormat
}

// EntityFilter selects entities of any of these types; none selects all entities.
type EntityFilter struct{ Type []string }

// JobFilter selects the jobs that have one of the states; all jobs if Status is empty.
type JobFilter struct{ Status []JobStatus }

// maxFilterValues is the maximum number of values of one field of a filter.
const maxFilterValues = 50

// Validate refuses more than maxFilterValues types, and a type that no entity can have.
func (f EntityFilter) Validate() error {
	if len(f.Type) > maxFilterValues {
		return Invalidf("type must have at most %d values", maxFilterValues).WithField("type")
	}
	for _, kind := range f.Type {
		if err := checkText("type", kind, 128); err != nil {
			return err
		}
	}
	return nil
}
