package model

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"
)

func TestPageArgs_Page(t *testing.T) {
	t.Parallel()
	const limitText = "limit must be a whole number of at least 1"
	for _, test := range []struct {
		name      string
		in        PageArgs
		want      Page
		wantError string
	}{
		{"has_a_default_size", PageArgs{}, Page{Limit: 50}, ""},
		{"takes_a_size", PageArgs{Limit: ptr(1)}, Page{Limit: 1}, ""},
		{"takes_the_largest_size", PageArgs{Limit: ptr(200)}, Page{Limit: 200}, ""},
		{"cuts_a_larger_one", PageArgs{Limit: ptr(201)}, Page{Limit: 200}, ""},
		{"refuses_0", PageArgs{Limit: ptr(0)}, Page{}, limitText},
		{"refuses_less_than_0", PageArgs{Limit: ptr(-1)}, Page{}, limitText},
		{"trims_the_search", PageArgs{Search: " a b "}, Page{Limit: 50, Search: "a b"}, ""},
		{"refuses_a_long_search", PageArgs{Search: strings.Repeat("a", 201)}, Page{}, "search must have at most 200 characters"},
		{"refuses_NUL_in_a_search", PageArgs{Search: "a\x00b"}, Page{}, "search must not contain a NUL character"},
		{"takes_a_cursor", PageArgs{Cursor: Cursor(7)}, Page{Limit: 50, After: 7}, ""},
		{"takes_the_last_cursor", PageArgs{Cursor: Cursor(math.MaxInt64)}, Page{Limit: 50, After: math.MaxInt64}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := test.in.Page()
			checkInvalid(t, err, test.wantError)
			if got != test.want {
				t.Errorf("page: got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestPageArgs_refuses_cursors_of_others(t *testing.T) {
	t.Parallel()
	encode := base64.RawURLEncoding.EncodeToString
	for _, cursor := range []string{
		"5", " ", "!", "null", Cursor(0), Cursor(-1), Cursor(7) + "=", Cursor(7)[1:], encode([]byte("7")),
		encode([]byte("after:")), encode([]byte("after:x")), encode([]byte("after:99999999999999999999")),
		encode([]byte("after:1 OR 1=1")), encode([]byte("before:7")),
	} {
		_, err := PageArgs{Cursor: cursor}.Page()
		checkInvalid(t, err, "cursor is not a cursor of this server")
	}
}

// Postgres would refuse these values, which then looks like a fault of the server.
func TestConnectionArgs_refuses_values_that_are_not_of_the_field(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		field OrderField
		value string
		valid bool
	}{
		{OrderByTouch, "2026-01-27T10:00:00.123456Z", true},
		{OrderByTouch, "soon", false},
		{OrderByDate, "0000-01-01T00:00:00Z", false},
		{OrderByChange, "", false},
		{OrderByVisits, "12", true},
		{OrderByVisits, "x", false},
		{OrderBySize, "99999999999999999999", false},
		{OrderByTitle, "", true},
	} {
		cursor := orderedCursor(7, test.field, test.value)
		_, err := ConnectionArgs{After: &cursor, Order: Order{Field: test.field}}.Page()
		if test.valid {
			check(t, err)
		} else {
			checkInvalid(t, err, "after is not a cursor of this server")
		}
	}
}

func FuzzCursor(f *testing.F) {
	for _, seed := range []string{Cursor(1), Cursor(math.MaxInt64), "", "YWZ0ZXI6", "====", "a\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		page, err := PageArgs{Cursor: cursor}.Page()
		switch {
		case err != nil && CodeOf(err) != CodeInvalid:
			t.Errorf("error: got %v, want it to be the client's", err)
		case err == nil && cursor != "" && page.After < 1:
			t.Errorf("after: got %d of %q, want a row", page.After, cursor)
		}
	})
}

func TestNewPage(t *testing.T) {
	t.Parallel()
	rows := []*Entity{{Sequence: 3}, {Sequence: 5}, {Sequence: 8}}
	for _, test := range []struct {
		name  string
		rows  []*Entity
		nodes int
		more  bool
		end   string
	}{
		{"shows_that_rows_follow", rows[:2], 2, true, Cursor(5)},
		{"ends_with_the_last_row", rows, 3, false, Cursor(8)},
		{"has_no_cursor_without_rows", nil, 0, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := (*EntityConnection)(NewPage(test.rows, test.more, 9))
			if len(c.Nodes) != test.nodes || c.PageInfo.HasNextPage != test.more || c.TotalCount != 9 {
				t.Errorf("page: got %d nodes, more %v of %d, want %d, %v of 9", len(c.Nodes), c.PageInfo.HasNextPage, c.TotalCount, test.nodes, test.more)
			}
			if (c.PageInfo.EndCursor == nil) != (test.end == "") || (test.end != "" && *c.PageInfo.EndCursor != test.end) {
				t.Errorf("end: got %v, want %q", c.PageInfo.EndCursor, test.end)
			}
			edges := c.Edges()
			if len(edges) != test.nodes {
				t.Fatalf("edges: got %d, want %d", len(edges), test.nodes)
			}
			for i, edge := range edges {
				if edge.Node != test.rows[i] || edge.Cursor != test.rows[i].Cursor() {
					t.Errorf("edge %d: got %+v, want the edge of %+v", i, edge, test.rows[i])
				}
			}
		})
	}
}
