package model

import (
	"slices"
	"strings"
	"unicode"
)

// gateTexts are the names of a gate's fields that contain text for people, at any depth. Such a
// text may start with a word and a colon. Every other string may be a URL.
var gateTexts = []string{"title", "description", "label", "name", "displayName"}

// runnableSchemes are the schemes of URLs that contain a script or a page.
var runnableSchemes = []string{"javascript:", "data:", "vbscript:"}

// validateAddresses refuses entity_data that contains, at any depth, a URL that a browser would run
// as a script of the page that opens it. The data must be valid JSON.
func validateAddresses(data Object) error {
	path, found := findString(data, func(s jsonString) bool {
		return !s.isName && !slices.Contains(gateTexts, s.field) && isRunnable(s.text)
	})
	if found {
		return gateInvalid("entity_data."+path, "must not be a javascript:, data: or vbscript: address")
	}
	return nil
}

// isRunnable reports whether a URL has one of runnableSchemes. Browsers ignore control characters
// and spaces before a scheme, and tabs and line breaks within it (WHATWG URL, section 4.4).
// Therefore isRunnable ignores spaces and invisible characters everywhere.
func isRunnable(address string) bool {
	address = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, address)
	for _, scheme := range runnableSchemes {
		if len(address) >= len(scheme) && strings.EqualFold(address[:len(scheme)], scheme) {
			return true
		}
	}
	return false
}
