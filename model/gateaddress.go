package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// gateTexts are the names of a gate's fields that contain text for people, at any depth. Such a
// text may start with a word and a colon. Every other string may be a URL.
var gateTexts = []string{"title", "description", "label", "name", "displayName"}

// runnableSchemes are the schemes of URLs that contain a script or a page.
var runnableSchemes = []string{"javascript:", "data:", "vbscript:"}

// validateAddresses refuses entity_data that contains, at any depth, a URL that a browser would run
// as a script of the page that opens it.
func validateAddresses(data Object) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return InvalidField("entity_data", "must be an object")
	}
	if field := runnableField("entity_data", value); field != "" {
		return gateInvalid(field, "must not be a javascript:, data: or vbscript: address")
	}
	return nil
}

// runnableField returns the path of the first field with a runnable URL (see Error.Field), in the
// order of names; empty for none.
func runnableField(path string, value any) string {
	switch value := value.(type) {
	case string:
		if isRunnable(value) {
			return path
		}
	case []any:
		for i, element := range value {
			if field := runnableField(path+"."+strconv.Itoa(i), element); field != "" {
				return field
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if _, isText := value[name].(string); isText && slices.Contains(gateTexts, name) {
				continue
			}
			if field := runnableField(path+"."+name, value[name]); field != "" {
				return field
			}
		}
	}
	return ""
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
