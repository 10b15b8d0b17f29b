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
	return pageQuery{limit: parseNumber(query, "limit"), cursor: optional(query, "cursor"), search: optional(query, "search")}, nil
}

func errMalformedQuery() error { return model.Invalidf("The query of the address is not well-formed") }

// parseNumber reads the size of a page. A number too large for an int is still
// one over the maximum, and means the maximum. A text that is no whole number is 0,
// which the resolver refuses in the same words, after it has looked for the space.
func parseNumber(query url.Values, name string) *int {
	text := optional(query, name)
	if text == nil {
		return nil
	}
	number, err := strconv.Atoi(*text) // out of range: the nearest int
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		number = 0
	}
	return &number
}

// optional returns a parameter of the query, or nil when it is not there.
func optional(query url.Values, name string) *string {
	if !query.Has(name) {
		return nil
	}
	value := query.Get(name)
	return &value
}
