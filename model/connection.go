package model

import "fmt"

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
