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
	// MaxPageBytes limits the clients' JSON and texts of a page, in bytes. A page ends
	// before the row that would exceed it, unless that is its first, and the next page
	// starts there. It is small because the page of a client that does not read stays in
	// memory, in several copies, until the client is dropped.
	MaxPageBytes = 1 << 20
)

// MaxAnswer limits the bytes of a response body.
const MaxAnswer = 16 << 20

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

// Page selects the rows of a page: up to Limit rows after a sequence number.
type Page struct {
	Limit  int
	After  int64 // 0 for the first page
	Search string
}

// Page validates the arguments.
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

// cursorMark is the prefix of every cursor, so that other base64 text is refused.
const cursorMark = "after:"

// Cursor returns the opaque cursor of the row with this sequence number. It identifies a
// row, not an offset, so pages stay correct while rows are added and removed.
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

// PageInfo is the PageInfo of Relay's connections.
type PageInfo struct {
	HasNextPage bool
	// EndCursor is the cursor of the page's last row; nil for an empty page.
	EndCursor *string
}

// Connection is one page of a list.
type Connection[T any] struct {
	Nodes    []T
	PageInfo PageInfo
	// TotalCount is the number of rows in the whole list.
	TotalCount int
}

// Edge is a row of a page with its cursor.
type Edge[T any] struct {
	Cursor string
	Node   T
}

// NewConnection returns a page of up to limit rows. The caller has read one row more than
// limit, if there is one: it shows that rows follow.
func NewConnection[T interface{ Cursor() string }](rows []T, limit, total int) *Connection[T] {
	return NewPage(rows[:min(len(rows), limit)], len(rows) > limit, total)
}

// NewPage returns a page of rows; more reports whether rows follow.
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
