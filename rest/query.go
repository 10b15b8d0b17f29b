package rest

import (
	"net/http"
	"net/url"
	"slices"

	"portico/model"
)

// parseQuery returns the parameters of the query. It refuses a malformed query, of which
// url.URL.Query would leave out parameters.
func parseQuery(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, model.Invalidf("The query of the address is not well-formed")
	}
	return query, nil
}

// querySwitch reports whether a switch of the query is on. It returns byDefault for a switch that
// is not there. endpoint.checkQuery has checked the value.
func querySwitch(r *http.Request, name string, byDefault bool) bool {
	query := r.URL.Query()
	if !query.Has(name) {
		return byDefault
	}
	value := query.Get(name)
	return value != "0" && value != "false"
}

// checkQuery refuses a malformed query, and a switch that is neither on nor off, for the handlers
// that read the query with lockContext and querySwitch. A switch without a value is on.
//
// A dry run that is not recognised would change the space, and a force that is not meant would
// delete entities.
func (e endpoint) checkQuery(r *http.Request) error {
	if !e.takesLock && e.switches == nil || r.URL.RawQuery == "" {
		return nil
	}
	query, err := parseQuery(r)
	if err != nil {
		return err
	}
	for _, name := range e.switches {
		if !slices.Contains([]string{"", "1", "true", "0", "false"}, query.Get(name)) {
			return model.InvalidField(name, "must be 1, true, 0 or false")
		}
	}
	return nil
}
