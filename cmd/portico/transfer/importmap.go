package transfer

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"portico/client"
)

// importMap maps the exported addresses and resource keys of files, and the exported ids of
// spaces, to the new ones.
type importMap struct {
	userID string            // the id of the exported account
	keys   map[string]string // the new resource key of each file, by its exported key
	urls   map[string]string // the new address of each file, by its exported address
	paths  map[string]string // the new address, by the escaped resource key in the exported address
	spaces map[string]string // the new id of each space, by its exported id
}

// newImportMap returns an empty map for the export of this account.
func newImportMap(userID string) *importMap {
	return &importMap{userID, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
}

// addFile maps the exported key and address of a file to the stored file. The key may be empty.
func (m *importMap) addFile(oldKey, oldURL string, stored *client.StoredFile) {
	if oldKey != "" {
		m.keys[oldKey] = stored.ResourceKey
	}
	m.urls[oldURL] = stored.URL
	if _, path, ok := strings.Cut(oldURL, "/"+m.userID+"/"); ok {
		m.paths[path] = stored.URL
	}
}

// spaceID matches the ids of spaces in texts.
var spaceID = regexp.MustCompile(`[0-9]{8}_[a-z0-9]{1,64}`)

// mapText returns the text with the new values. It replaces a text that is a resource key or the
// address of a file as a whole, and keeps the query and the fragment of an address. In any other
// text it replaces the ids of exported spaces, so that links to them, and texts that mention them,
// follow.
func (m *importMap) mapText(s string) string {
	if key, ok := m.keys[s]; ok {
		return key
	}
	address, rest := s, ""
	if end := strings.IndexAny(s, "?#"); end >= 0 {
		address, rest = s[:end], s[end:]
	}
	if url, ok := m.urls[address]; ok {
		return url + rest
	}
	// The server may have had another public address when the entity was saved.
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		if _, path, ok := strings.Cut(address, "/"+m.userID+"/"); ok && m.paths[path] != "" {
			return m.paths[path] + rest
		}
	}
	return spaceID.ReplaceAllStringFunc(s, func(id string) string {
		if newID, ok := m.spaces[id]; ok {
			return newID
		}
		return id
	})
}

// mapJSON returns a JSON document with the new values in all its strings, and in the names of its
// objects. Numbers keep their notation.
func (m *importMap) mapJSON(content []byte) ([]byte, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return encodePlain(m.mapValue(value))
}

// encodePlain returns a value as JSON without the escapes for HTML, which take six bytes for each
// <, > and &.
func encodePlain(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// mapValue returns a decoded JSON value with the new values. It changes lists in place.
func (m *importMap) mapValue(value any) any {
	switch v := value.(type) {
	case string:
		return m.mapText(v)
	case []any:
		for i := range v {
			v[i] = m.mapValue(v[i])
		}
	case map[string]any:
		mapped := make(map[string]any, len(v))
		for name, value := range v {
			mapped[m.mapText(name)] = m.mapValue(value)
		}
		return mapped
	}
	return value
}
