package api

import (
	"encoding/json"
	"strings"
)

// unwrap returns the only object of a mutation's payload, or the result itself if it is not such
// a payload.
func unwrap(document string, result json.RawMessage) json.RawMessage {
	var payload map[string]json.RawMessage
	if !strings.HasPrefix(document, "mutation") || json.Unmarshal(result, &payload) != nil || len(payload) != 1 {
		return result
	}
	for _, object := range payload {
		if object[0] == '{' {
			return object
		}
	}
	return result
}

// restNames maps the names of GraphQL's fields to REST's, where they differ. A dot leads into an
// object of REST.
var restNames = map[string]string{
	"fileName": "file_name", "fileSize": "file_size", "contentType": "content_type", "fileUrl": "extra_info.file_url",
	"fileId": "resource_key", "entityId": "entity_id", "type": "space_type", "first": "limit", "after": "cursor", "jobId": "id",
}

// inRESTNames returns a message with REST's name of the wrong field. Except for this name, the
// messages of all doors must be equal.
func inRESTNames(document, message string, field []string) string {
	if len(field) > 0 && field[0] == "input" {
		field = field[1:]
	}
	if len(field) == 0 || !strings.HasPrefix(message, strings.Join(field, ".")) {
		return message
	}
	// REST has no maximum: for a larger limit it returns 200 rows.
	if message == "first must be between 1 and 200" {
		return "limit must be a whole number of at least 1"
	}
	first := field[0]
	name, ok := restNames[first]
	switch {
	case strings.Contains(document, "Entity") && first == "type":
		name = "entity_type"
	case strings.Contains(document, "Entity") && first == "data":
		name = "entity_data"
	case !ok:
		name = first
	}
	return name + strings.TrimPrefix(message, first)
}
