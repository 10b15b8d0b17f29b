package model

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// The sizes of a page (API section 8).
const (
	DefaultPageSize = 50
	MaxPageSize     = 200
	// MaxPageBytes is how many bytes of clients' JSON and texts a page has. It ends
	// before the row that would be more, and its cursor goes on there. A page has
	// one row at least. It is small because clients that read nothing hold their page
	// in memory, several times over, until they are dropped.
	MaxPageBytes = 1 << 20
)

// MaxAnswer is how many bytes the body of an answer has.
const MaxAnswer = 16 << 20

// PageArgs asks for one page of a list.
type PageArgs struct {
	// Limit is the page's size: nil is DefaultPageSize, over MaxPageSize is
	// MaxPageSize, below 1 is an error.
	Limit *int
	// Cursor is the end cursor of the page before; empty for the first page.
	Cursor string
	// Search keeps what contains this text, where the list can be searched.
	Search string
}

// Page says where a page starts: after the row with this sequence number.
type Page struct {
	Limit  int
	After  int64 // 0: from the start
	Search string
}

// Page checks the arguments.
func (a PageArgs) Page() (Page, error) {
	page := Page{Limit: DefaultPageSize, Search: strings.TrimSpace(a.Search)}
	if a.Limit != nil {
		page.Limit = min(*a.Limit, MaxPageSize)
	}
	if page.Limit < 1 {
		return Page{}, Invalidf("limit must be a whole number of at least 1")
	}
	if err := checkText("search", page.Search, 200); err != nil {
		return Page{}, err
	}
	if a.Cursor == "" {
		return page, nil
	}
	after, ok := parseCursor(a.Cursor)
	if !ok {
		return Page{}, Invalidf("cursor is not one that this server gave out")
	}
	page.After = after
	return page, nil
}

// cursorMark begins every cursor, so that other base64 text is not taken for one.
const cursorMark = "after:"

// Cursor returns the opaque cursor of the row with this sequence number. It
// names a row, not a position: pages stay right while rows come and go.
func Cursor(sequence int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(cursorMark + strconv.FormatInt(sequence, 10)))
}

func parseCursor(cursor string) (int64, bool) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, false
	}
	digits, ok := strings.CutPrefix(string(text), cursorMark)
	sequence, err := strconv.ParseInt(digits, 10, 64)
	return sequence, ok && err == nil && sequence > 0
}

// PageInfo says what surrounds a page, in the words of Relay's connections.
type PageInfo struct {
	HasNextPage bool
	// EndCursor is the cursor of the page's last row; nil for an empty page.
	EndCursor *string
}

// Connection is one page of a list.
type Connection[T any] struct {
	Nodes    []T
	PageInfo PageInfo
	// TotalCount counts the whole list.
	TotalCount int
}

// Edge is a row of a page with its own cursor.
type Edge[T any] struct {
	Cursor string
	Node   T
}

// NewConnection makes a page of rows, of which one more than limit was asked
// for in order to see whether rows follow.
func NewConnection[T interface{ Cursor() string }](rows []T, limit, total int) *Connection[T] {
	return NewPage(rows[:min(len(rows), limit)], len(rows) > limit, total)
}

// NewPage makes a page of rows; more reports whether rows follow.
func NewPage[T interface{ Cursor() string }](rows []T, more bool, total int) *Connection[T] {
	page := &Connection[T]{Nodes: rows, TotalCount: total, PageInfo: PageInfo{HasNextPage: more}}
	if last := len(page.Nodes) - 1; last >= 0 {
		end := page.Nodes[last].Cursor()
		page.PageInfo.EndCursor = &end
	}
	return page
}

// edgesOf returns the rows with their cursors.
func edgesOf[T interface{ Cursor() string }, E ~struct {
	Cursor string
	Node   T
}](nodes []T) []E {
	edges := make([]E, len(nodes))
	for i, node := range nodes {
		edges[i] = E{Cursor: node.Cursor(), Node: node}
	}
	return edges
}
