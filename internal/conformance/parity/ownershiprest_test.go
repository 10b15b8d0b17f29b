package parity

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/operations"
	"portico/model"
)

// restAccess has a row for each operation of openapi.yaml.
func restAccess(t *testing.T, o owned) map[string]access {
	forbids := func(query string, body any) access {
		return access{stranger: model.CodeForbidden, query: query, body: body}
	}
	return map[string]access{
		"listFiles":           ownList,
		"deleteFile":          {stranger: model.CodeNotFound, query: "resource_key=" + o.file, turn: endTurn},
		"createUpload":        adds,
		"completeUpload":      {stranger: model.CodeNotFound, body: api.Completion(o.upload)},
		"listJobs":            ownList,
		"getJob":              notFound,
		"getMe":               ownAccount,
		"listAvatars":         ownList,
		"createAvatar":        {stranger: model.CodeNotFound, body: o.avatarFiles},
		"deleteAvatar":        {stranger: model.CodeNotFound, turn: endTurn},
		"createSpace":         {stranger: model.CodeNotFound, body: map[string]any{"space_data": map[string]any{"resource_key": o.file}}},
		"listSpaces":          ownList,
		"addSpace":            {stranger: model.CodeNotFound, body: map[string]any{"resource_key": o.file}},
		"updatePrivacy":       forbids("", map[string]any{"spaceId": o.space, "roomPrivacy": model.Private}),
		"getSpace":            forbidden,
		"updateSpace":         forbids("", map[string]any{"title": "New"}),
		"deleteSpace":         {stranger: model.CodeForbidden, turn: spaceTurn},
		"getSpaceScreenshot":  {stranger: model.CodeForbidden, owner: model.CodeNotFound}, // it has none
		"pullSpace":           forbidden,
		"changeSpace":         forbids("", map[string]any{"deletes": []string{"space/entities/none.json"}}),
		"applyArchive":        forbids("dryRun=1", emptyArchive(t)),
		"getSpaceLock":        forbidden,
		"lockSpace":           {stranger: model.CodeForbidden, body: map[string]any{"name": "Editor"}, turn: lockTurn},
		"unlockSpace":         {stranger: model.CodeForbidden, query: "force=1", turn: unlockTurn},
		"listVersions":        forbidden,
		"nameVersion":         forbids("", map[string]any{"name": "First"}),
		"compareVersions":     forbidden,
		"restoreVersion":      forbidden,
		"getSharedSpace":      {public: true, stranger: model.CodeNotFound, owner: model.CodeNotFound}, // it is Private
		"listSharedSpaces":    {public: true, noOwner: "it lists Public spaces"},
		"listOwnSharedSpaces": ownList,
		"listEntities":        forbidden,
		"createEntity":        forbids("", map[string]any{"entity_id": "table"}),
		"getEntity":           forbidden,
		"updateEntity":        forbids("", map[string]any{"entity_data": map[string]any{}}),
		"deleteEntity":        {stranger: model.CodeForbidden, turn: endTurn},
	}
}

func TestOwnership_of_every_operation_of_REST(t *testing.T) {
	t.Parallel()
	o := newOwned(t)
	table := restAccess(t, o)
	var attempts []attempt
	for _, operation := range operations.REST(t) {
		row := table[operation.ID]
		if operation.Keyless != row.public {
			t.Errorf("%s: got an operation without a key in openapi.yaml: %v, want %v", operation.ID, operation.Keyless, row.public)
		}
		path := operation.Path(map[string]string{"spaceId": o.space, "entityId": o.entity, "jobId": o.job, "number": "1", "avatarId": o.avatar})
		if row.query != "" {
			path += "?" + row.query
		}
		attempts = append(attempts, attempt{operation.ID, row, func(c *api.Client) error { return callREST(c, operation.Method, path, row.body) }})
	}
	o.check(t, table, attempts)
}

// callREST calls a path with a body: a text as it is, and anything else as JSON.
func callREST(c *api.Client, method, path string, body any) error {
	c.T.Helper()
	content, isText := body.(string)
	if !isText && body != nil {
		encoded, err := json.Marshal(body)
		check(c.T, err)
		content = string(encoded)
	}
	header := http.Header{}
	if c.Key != "" {
		header.Set("Authorization", "Bearer "+c.Key)
	}
	got := c.Send(method, c.URL+path, header, strings.NewReader(content), int64(len(content)))
	if got.Status < http.StatusBadRequest { // the body may be an archive
		return nil
	}
	var envelope struct{ Message string }
	check(c.T, json.Unmarshal(got.Body, &envelope))
	return &api.Refusal{Code: api.CodeOf(got.Status), Message: envelope.Message}
}
