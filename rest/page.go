package rest

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"portico/model"
)

// pageQuery has the parameters of a list. Nil means that a parameter is omitted.
type pageQuery struct {
	limit  *int
	cursor *string // nextCursor of the previous page
	search *string // only some lists can be searched
}

// parsePage reads limit, cursor and search. The resolvers check the values.
//
// A repeated parameter has its first value.
func parsePage(r *http.Request) (pageQuery, error) {
	query, err := parseQuery(r)
	if err != nil {
		return pageQuery{}, err
	}
	return pageQuery{limit: parseNumber(query, "limit"), cursor: optional(query, "cursor"), search: optional(query, "search")}, nil
}

// args returns the page as an argument of a resolver.
func (q pageQuery) args() model.PageArgs {
	args := model.PageArgs{Limit: q.limit}
	if q.cursor != nil {
		args.Cursor = *q.cursor
	}
	return args
}

// parseNumber returns a parameter of the query that is a number, such as the size of a page; nil
// when it is omitted. A number that is too large for an int becomes the largest int, which the
// resolver replaces with its maximum. A text that is not an integer becomes 0, so that the resolver
// refuses it in the usual order: after an unknown space.
func parseNumber(query url.Values, name string) *int {
	text := optional(query, name)
	if text == nil {
		return nil
	}
	number, err := strconv.Atoi(*text) // ErrRange comes with the nearest int
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		number = 0
	}
	return &number
}

// optionalVersion returns a parameter of the query that is the number of a version; nil when it is
// omitted.
func optionalVersion(query url.Values, name string) (*int, error) {
	text := optional(query, name)
	if text == nil {
		return nil, nil //nolint:nilnil // the parameter may be omitted
	}
	number, err := strconv.Atoi(*text)
	if err != nil {
		return nil, model.InvalidField(name, "must be the number of a version")
	}
	return &number, nil
}

// optional returns a parameter of the query; nil when it is omitted.
func optional(query url.Values, name string) *string {
	if !query.Has(name) {
		return nil
	}
	value := query.Get(name)
	return &value
}
