package rest

import (
	"net/http"
	"net/url"
	"slices"

	"portico/model"
)

// isSet reports whether a switch of the query is there and on. endpoint.checkQuery has checked its
// value.
func isSet(r *http.Request, name string) bool {
	return r.URL.Query().Has(name) && !isOff(r, name)
}

// isOff reports whether a switch of the query is there and off.
func isOff(r *http.Request, name string) bool {
	value := r.URL.Query().Get(name)
	return value == "0" || value == "false"
}

// checkQuery refuses a malformed query, and a switch that is neither on nor off, for the handlers
// that read the query with lockContext, isSet and isOff. A switch without a value is on.
//
// A dry run that is not recognised would change the space, and a force that is not meant would
// delete entities.
func (e endpoint) checkQuery(r *http.Request) error {
	if !e.takesLock && e.switches == nil || r.URL.RawQuery == "" {
		return nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return errMalformedQuery()
	}
	for _, name := range e.switches {
		if !slices.Contains([]string{"", "1", "true", "0", "false"}, query.Get(name)) {
			return model.InvalidField(name, "must be 1, true, 0 or false")
		}
	}
	return nil
}
