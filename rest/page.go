package rest

import (
	"net/http"
	"net/url"

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

// parseNumber returns a parameter of the query that is a number of at least 1, such as the size of
// a page; nil when it is omitted. See model.ParseSize for a text that is not such a number.
func parseNumber(query url.Values, name string) *int {
	text := optional(query, name)
	if text == nil {
		return nil
	}
	return new(model.ParseSize(*text))
}

// optional returns a parameter of the query; nil when it is omitted.
func optional(query url.Values, name string) *string {
	if !query.Has(name) {
		return nil
	}
	value := query.Get(name)
	return &value
}
