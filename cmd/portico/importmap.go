package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// importMap replaces what an import gives anew: addresses and keys of files, and ids of spaces.
type importMap struct {
	userID string            // of the exported account
	keys   map[string]string // resource keys
	urls   map[string]string // the new address of each file, by its exported address
	paths  map[string]string // the same, by the escaped resource key in the exported address
	spaces map[string]string // ids
}

func newImportMap(userID string) *importMap {
	return &importMap{userID, map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
}

// addFile adds a file that was stored.
func (m *importMap) addFile(oldKey, oldURL string, stored *uploaded) {
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

// text returns a text with the new values.
func (m *importMap) text(s string) string {
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
	// The server may have had another public address when the entity was written.
	if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		if _, path, ok := strings.Cut(address, "/"+m.userID+"/"); ok && m.paths[path] != "" {
			return m.paths[path] + rest
		}
	}
	return spaceID.ReplaceAllStringFunc(s, func(id string) string {
		if made, ok := m.spaces[id]; ok {
			return made
		}
		return id
	})
}

// json returns a JSON text with the new values in all its strings. Numbers keep their notation.
func (m *importMap) json(content []byte) ([]byte, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(m.value(value))
	return b.Bytes(), err
}

func (m *importMap) value(value any) any {
	switch v := value.(type) {
	case string:
		return m.text(v)
	case []any:
		for i := range v {
			v[i] = m.value(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = m.value(v[name])
		}
	}
	return value
}
