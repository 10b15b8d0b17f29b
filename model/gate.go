package model

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// StaticGateIDs are the ids of the seven gates of every hub space, in index
// order (API section 2, Static gates).
var StaticGateIDs = [7]string{
	"9769e4b4-e5d9-4286-9353-c2c66b158347",
	"1aef8fd4-6447-4e04-969a-4669c11dd52e",
	"75f16b87-5314-4cdf-a8d5-bb2a8292b687",
	"608f2483-802b-4fa7-95bb-920bed1431ad",
	"fcc35518-309c-47e1-8d93-d939d6bca475",
	"404c7fe3-26f1-4fb6-bac7-a50bf1f3cb1a",
	"b9a67fa0-00ce-401d-94c2-4045c4aaec35",
}

// IsStaticGateID reports whether id belongs to a static gate.
func IsStaticGateID(id string) bool { return slices.Contains(StaticGateIDs[:], id) }

// GateNotCreatable is the refusal of a new static gate: only a new space creates them.
const GateNotCreatable = "entity_type Gate: static gates cannot be added or restored"

// GateTypeFixed is the refusal of a change from or to the type of a gate.
const GateTypeFixed = "entity_type of a gate cannot be changed, and no other entity can become a gate"

// The two words of a gate's platform (API section 2, Gate content fields).
const (
	PlatformInternal = "arrival.space" // the link is a space id
	PlatformExternal = "<auto-detect>" // the link is a URL
)

const (
	fieldLink        = "link"
	fieldPlatform    = "platform"
	fieldDynamicGate = "dynamicGate"
)

// gateFields are the content fields of a gate by JSON kind, in the order in which they are
// validated. The error names the first invalid field, followed by refusal.
var gateFields = []struct {
	kind    string
	refusal string
	names   []string
}{
	{"string", "must be a string", []string{"title", fieldLink, fieldPlatform, "description", "videoURL", "logoURL", "logoLinkURL"}},
	{"bool", "must be true or false", []string{
		"content360Enabled", "contentSynchronized", "openAsTab",
		"enableWebStream", "enableWebProxy", "embeddedEnabled",
	}},
	{"number", "must be a number", []string{"screenSelect"}},
}

// gateDefaults is the content of an unconfigured gate.
const gateDefaults = `{"title":"","link":"","platform":"arrival.space","description":"",` +
	`"videoURL":"","logoURL":"","logoLinkURL":"","content360Enabled":false,` +
	`"contentSynchronized":false,"openAsTab":false,"enableWebStream":false,` +
	`"enableWebProxy":false,"embeddedEnabled":false,"screenSelect":0}`

// dynamicGateDefaults are the values of fields of dynamicGate that may be omitted.
const dynamicGateDefaults = `{"scale":{"w":1,"h":1},"frameless":false,"hidden":false}`

// NewGateData returns the entity_data of a static gate that its owner has not configured: every
// field with its default.
func NewGateData() Object { return Object(gateDefaults) }

// CompleteGate returns the entity_data of a new dynamic gate: the sent data, with the defaults of
// omitted fields.
func CompleteGate(data Object) Object {
	sent := data.Fields()
	complete := NewGateData().With(FillPlatform(data))
	if rawKind(sent[fieldDynamicGate]) != "object" {
		return complete
	}
	placed := Object(dynamicGateDefaults).With(Object(sent[fieldDynamicGate]))
	return complete.With(NewObject(map[string]Object{fieldDynamicGate: placed}))
}

// FillPlatform adds the platform of the link if data has a link and no platform.
func FillPlatform(data Object) Object {
	fields := data.Fields()
	var link string
	if _, ok := fields[fieldPlatform]; ok || json.Unmarshal(fields[fieldLink], &link) != nil || link == "" {
		return data
	}
	platform := PlatformInternal
	if isURL(link) {
		platform = PlatformExternal
	}
	return data.With(NewObject(map[string]string{fieldPlatform: platform}))
}

// ValidateGate validates the entity_data of a gate in the form in which it would be stored.
func ValidateGate(entityType string, data Object) error {
	fields := data.Fields()
	if err := validateContent(fields); err != nil {
		return err
	}
	if err := validatePlatform(fields); err != nil {
		return err
	}
	if err := validateAddresses(data); err != nil {
		return err
	}
	if entityType == TypeDynamicGate {
		return validateDynamicGate(fields[fieldDynamicGate])
	}
	return nil
}

// validateContent validates the kinds of the content fields. Each of them may be null, which
// means no content.
func validateContent(fields map[string]json.RawMessage) error {
	for _, group := range gateFields {
		for _, name := range group.names {
			if kind := rawKind(fields[name]); kind != group.kind && kind != "null" {
				return gateInvalid("entity_data."+name, group.refusal)
			}
		}
	}
	return nil
}

// validatePlatform validates that the platform matches the link.
func validatePlatform(fields map[string]json.RawMessage) error {
	link, platform := text(fields[fieldLink]), text(fields[fieldPlatform])
	switch {
	case link == "":
		return nil
	case isURL(link):
		if platform != PlatformExternal {
			return gateInvalid("entity_data.platform", "must be "+PlatformExternal+" for a link to a URL")
		}
	case !spaceLink.MatchString(link):
		return gateInvalid("entity_data.link", "must be empty, a space id, or an http or https URL")
	case platform != PlatformInternal:
		return gateInvalid("entity_data.platform", "must be "+PlatformInternal+" for a link to a space")
	}
	return nil
}

// oldSpacePrefix stands before the id of a space in the links of some clients.
const oldSpacePrefix = "custom.travel.center."

// spaceLink matches the ids of spaces, which are opaque to clients, with or without oldSpacePrefix.
var spaceLink = regexp.MustCompile(`^(` + regexp.QuoteMeta(oldSpacePrefix) + `)?[A-Za-z0-9_-]{1,128}$`)

// isURL reports whether browsers open the link as an http or https URL. They accept more
// than net/url does: 50%off is a valid path to them.
func isURL(link string) bool {
	scheme, rest, ok := strings.Cut(link, "://")
	web := strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
	if !ok || !web || strings.ContainsFunc(link, unicode.IsControl) {
		return false
	}
	if end := strings.IndexAny(rest, `/\?#`); end >= 0 {
		rest = rest[:end]
	}
	host := rest[strings.LastIndexByte(rest, '@')+1:]
	u, err := url.Parse("http://" + host)
	return err == nil && u.Hostname() != ""
}

// validateDynamicGate validates the placement of a dynamic gate.
func validateDynamicGate(raw json.RawMessage) error {
	if rawKind(raw) != "object" {
		return gateInvalid("entity_data.dynamicGate", "is required for a DynamicGate and must be an object")
	}
	fields := Object(raw).Fields()
	for _, rule := range []struct {
		field string
		axes  []string
	}{{"position", []string{"x", "y", "z"}}, {"rotation", []string{"x", "y", "z"}}, {"scale", []string{"w", "h"}}} {
		if err := validateNumbers("entity_data.dynamicGate."+rule.field, fields[rule.field], rule.axes); err != nil {
			return err
		}
	}
	for _, name := range []string{"frameless", "hidden"} {
		if rawKind(fields[name]) != "bool" {
			return gateInvalid("entity_data.dynamicGate."+name, "must be true or false")
		}
	}
	return nil
}

// validateNumbers validates an object that must have a number for each axis.
func validateNumbers(name string, raw json.RawMessage, axes []string) error {
	if rawKind(raw) != "object" {
		return gateInvalid(name, "is required and must be an object")
	}
	fields := Object(raw).Fields()
	for _, axis := range axes {
		if rawKind(fields[axis]) != "number" {
			return gateInvalid(name+"."+axis, "must be a number")
		}
	}
	return nil
}

// text returns the string that raw encodes, or "" if raw is not a string.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// gateInvalid returns the refusal of a field that breaks a rule of gates.
func gateInvalid(field, text string) error {
	return InvalidField(field, text).WithReason(ReasonGateInvalid)
}

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
