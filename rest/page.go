package rest

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"portico/model"
)

// pageQuery holds the parameters of a list; nil means omitted.
type pageQuery struct {
	limit  *int
	cursor *string // nextCursor of the previous page
	search *string // for the lists that can be searched
}

// parsePage reads limit, cursor and search. The resolvers check the values.
func parsePage(r *http.Request) (pageQuery, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return pageQuery{}, errMalformedQuery()
	}
	return pageQuery{limit: parseLimit(query), cursor: optional(query, "cursor"), search: optional(query, "search")}, nil
}

func errMalformedQuery() error { return model.Invalidf("The query of the address is not well-formed") }

// parseLimit reads the size of the page. A number too large for an int is still
// one over the maximum, and means the maximum. A text that is no whole number is 0,
// which the resolver refuses in the same words, after it has looked for the space.
func parseLimit(query url.Values) *int {
	text := optional(query, "limit")
	if text == nil {
		return nil
	}
	limit, err := strconv.Atoi(*text) // out of range: the nearest int
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		limit = 0
	}
	return &limit
}

// optional returns a parameter of the query, or nil when it is not there.
func optional(query url.Values, name string) *string {
	if !query.Has(name) {
		return nil
	}
	value := query.Get(name)
	return &value
}
