package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// gateTexts are the names of a gate's fields that are text for people, at any depth. Such
// text may begin with any word and a colon; every other string may be a URL.
var gateTexts = []string{"title", "description", "label", "name", "displayName"}

// runnableSchemes are the schemes of URLs that contain a script or a page.
var runnableSchemes = []string{"javascript:", "data:", "vbscript:"}

// validateAddresses refuses entity_data of a gate with a URL that a browser would run in
// the page that opens it, in any field or list.
func validateAddresses(data Object) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return InvalidField("entity_data", "must be an object")
	}
	if field := runnableField("entity_data", value); field != "" {
		return InvalidField(field, "must not be a javascript: or data: address")
	}
	return nil
}

// runnableField returns the path of the first field, in the order of names, with a runnable
// URL; empty for none.
func runnableField(path string, value any) string {
	switch value := value.(type) {
	case string:
		if isRunnable(value) {
			return path
		}
	case []any:
		for i, element := range value {
			if field := runnableField(path+"["+strconv.Itoa(i)+"]", element); field != "" {
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

// isRunnable reports whether a URL has one of runnableSchemes. Browsers ignore controls and
// spaces before a scheme, and tabs and line breaks within it (WHATWG URL, section 4.4), so
// blank and invisible characters are ignored everywhere.
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
