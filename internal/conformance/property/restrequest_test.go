package property

import (
	"encoding/json"
	"net/url"
	"strings"
)

// fields returns a JSON object of names and values, without the empty ones.
func fields(pairs ...any) map[string]any {
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		switch value := pairs[i+1].(type) {
		case string:
			if value != "" {
				object[pairs[i].(string)] = value
			}
		case *string:
			if value != nil {
				object[pairs[i].(string)] = *value
			}
		case json.RawMessage:
			if len(value) > 0 {
				object[pairs[i].(string)] = value
			}
		default:
			object[pairs[i].(string)] = value
		}
	}
	return object
}

func text(object any) string {
	b, err := json.Marshal(object)
	if err != nil {
		panic(err) // a step that is no JSON is a mistake of the test
	}
	return string(b)
}

func restRequest(s step) (method, path, body string) {
	space, entities := "/spaces/"+s.Space, "/spaces/"+s.Space+"/entities"
	entity := entities + "/" + s.Entity
	switch s.Op {
	case opViewer:
		return "GET", "/user/me", ""
	case opCreateSpace:
		return restCreateSpace(s)
	case opSpace:
		return "GET", space, ""
	case opSpaces:
		return "GET", "/spaces?" + pageQuery(s), ""
	case opUpdateSpace:
		// The client's own fields are beside the fields of the space.
		own := text(fields("title", s.Title, "description", s.Description, "privacy", s.Privacy))
		if kept := strings.TrimSuffix(strings.TrimPrefix(s.Data, "{"), "}"); kept != "" {
			own = strings.Replace("{"+kept+","+own[1:], ",}", "}", 1)
		}
		return "PUT", space, own
	case opUpdatePrivacy:
		return "POST", "/spaces/update-privacy", text(fields("spaceId", s.Space, "roomPrivacy", s.Privacy))
	case opDeleteSpace:
		return "DELETE", space, ""
	case opCreateEntity:
		return "POST", entities, text(fields("resource_key", s.File, "entity_id", s.Entity, "entity_type", s.Type,
			"entity_data", json.RawMessage(s.Data)))
	case opEntity:
		return "GET", entity, ""
	case opEntities:
		return "GET", entities + "?" + pageQuery(s), ""
	case opUpdateEntity:
		return "PUT", entity, text(fields("entity_data", json.RawMessage(s.Data)))
	case opDeleteEntity:
		return "DELETE", entity, ""
	case opCreateUpload:
		return "POST", "/files/upload", text(fields("file_name", s.Name, "file_size", s.Size,
			"content_type", "application/octet-stream", "convert_to", s.Convert))
	case opComplete:
		return "POST", "/files/upload-complete", text(fields("status", s.Status, "extra_info", fields("file_url", s.Upload)))
	case opFiles:
		return "GET", "/files?" + pageQuery(s), ""
	case opDeleteFile:
		return "DELETE", "/files?resource_key=" + s.File, ""
	case opJob:
		return "GET", "/jobs/" + s.Entity, ""
	case opJobs:
		return "GET", "/jobs", ""
	}
	panic("no request for " + s.Op)
}

func restCreateSpace(s step) (method, path, body string) {
	object := fields("title", s.Title, "description", s.Description, "resource_key", s.File, "space_type", s.Kind)
	switch s.Form {
	case formWrapped:
		return "POST", "/user/create-space", text(fields("space_data", object))
	case formSpaces:
		if s.Privacy != "" {
			object["privacy"] = s.Privacy
		}
		return "POST", "/spaces", text(object)
	}
	return "POST", "/user/create-space", text(object)
}

func pageQuery(s step) string {
	var query []string
	for name, value := range map[string]string{"limit": s.Limit, "cursor": s.Cursor, "search": s.Search} {
		if value == "" {
			continue
		}
		if name != "cursor" { // a placeholder, which is filled in later
			value = url.QueryEscape(value)
		}
		query = append(query, name+"="+value)
	}
	return strings.Join(query, "&")
}
