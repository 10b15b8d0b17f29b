package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/db"
	"portico/graph/door"
	"portico/model"
)

// The field has its name in the schema.
func TestRefusals_have_a_code_a_field_and_a_reason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.bob, model.SpaceHub)
	taken := "chair"
	_, err := w.Mutation().CreateEntity(w.bob.ctx, model.CreateEntity{SpaceID: space.ID, EntityID: &taken})
	check(t, err)
	job := w.job(w.bob)
	_, err = w.Mutation().CancelJob(w.bob.ctx, job.ID)
	check(t, err)
	upload := func(fields string) string {
		return `mutation { createUpload(input: {contentType: "a/b", ` + fields + `}) { upload { url } } }`
	}
	entity := func(fields string) string {
		return `mutation { createEntity(input: {spaceId: "` + space.ID + `", ` + fields + `}) { created } }`
	}
	for _, test := range []struct{ name, query, code, field, reason, message string }{
		{"a name without a format", upload(`fileName: "a.exe", fileSize: 1`), "INVALID", "input fileName", "UNSUPPORTED_FORMAT", "fileName must end in one of "},
		{"an empty file", upload(`fileName: "a.glb", fileSize: 0`), "INVALID", "input fileSize", "", "fileSize must be"},
		{"a file that is too large", upload(fmt.Sprintf(`fileName: "a.glb", fileSize: %d`, testMaxFile+1)), "TOO_LARGE", "input fileSize", "FILE_TOO_LARGE", "fileSize is over"},
		{"an upload that is not there", `mutation { completeUpload(input: {fileUrl: "https://x/y"}) { confirmation { __typename } } }`, "NOT_FOUND", "", "", "Uploaded file not found"},
		{"an empty address", `mutation { completeUpload(input: {fileUrl: ""}) { confirmation { __typename } } }`, "INVALID", "input fileUrl", "", "fileUrl is required"},
		{"a plan that is free", `mutation { createSpace(input: {privacy: LINK_ONLY}) { space { id } } }`, "INVALID", "input privacy", "PRO_REQUIRED", "You need to be a Pro user"},
		{"a gate without a place", entity(`type: "DynamicGate"`), "INVALID", "input data dynamicGate", "GATE_INVALID", "data.dynamicGate is required"},
		{"a static gate", entity(`type: "Gate"`), "INVALID", "input type", "GATE_INVALID", "type Gate: static gates"},
		{"an invalid id", entity(`entityId: ".."`), "INVALID", "input entityId", "", "entityId must not be"},
		{"an id that is taken", entity(`entityId: "chair", mustBeNew: true`), "CONFLICT", "input entityId", "TAKEN", "The space already has an entity with this id"},
		{"a job that has ended", `mutation { cancelJob(input: {jobId: "` + job.ID + `"}) { job { id } } }`, "INVALID", "input jobId", "ENDED", "The job has already ended"},
		{"oneself", `mutation { followUser(input: {userId: "` + w.bob.id + `"}) { user { id } } }`, "INVALID", "input userId", "", "userId: you cannot follow yourself"},
		{"a long search", `{ spaces(filter: {text: "` + strings.Repeat("x", 201) + `"}) { totalCount } }`, "INVALID", "filter text", "", "filter.text must have"},
		{"a file of another type", `mutation { deleteFile(input: {fileId: "` + space.NodeID() + `"}) { deletedFileId } }`, "INVALID", "input fileId", "", "fileId is the id of a Space"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, response := w.ask(w.bob, request(test.query, nil))
			got := read(t, response)
			if len(got.Errors) != 1 {
				t.Fatalf("response: got %s, want one error", response)
			}
			extensions := got.Errors[0].Extensions
			var field []string
			if path, ok := extensions["field"].([]any); ok {
				for _, name := range path {
					field = append(field, name.(string))
				}
			}
			reason, _ := extensions["reason"].(string)
			equal(t, "code", extensions["code"], any(test.code))
			equal(t, "field", strings.Join(field, " "), test.field)
			equal(t, "reason", reason, test.reason)
			if !strings.HasPrefix(got.Errors[0].Message, test.message) {
				t.Errorf("message: got %q, want it to start with %q", got.Errors[0].Message, test.message)
			}
		})
	}
}

func TestErrorEnums_list_every_code_and_reason(t *testing.T) {
	t.Parallel()
	schema := door.NewExecutableSchema(door.Config{}).Schema()
	for _, code := range model.Codes() {
		if schema.Types["ErrorCode"].EnumValues.ForName(code.GraphQLConstant()) == nil {
			t.Errorf("ErrorCode: got no %s, want one", code.GraphQLConstant())
		}
	}
	for _, reason := range model.Reasons() {
		if schema.Types["ErrorReason"].EnumValues.ForName(reason.GraphQLConstant()) == nil {
			t.Errorf("ErrorReason: got no %s, want one", reason.GraphQLConstant())
		}
	}
	equal(t, "reasons", len(schema.Types["ErrorReason"].EnumValues), len(model.Reasons()))
}

// TestSiblings_survive checks that the other fields have values when one field fails.
func TestSiblings_survive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, response := w.ask(w.alice, request(`{ viewer { email } space(id: "x") { id } }`, nil))
	if !strings.Contains(response, `"data":{"viewer":{"email":"alice@example.com"},"space":null}`) || !strings.Contains(response, "NOT_FOUND") {
		t.Errorf("response: got %s, want the viewer and the error of the space", response)
	}
}

func TestExpectedVersion_refuses_a_change_of_an_old_version(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	gate := model.StaticGateIDs[0]
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
	check(t, err)
	for name, document := range map[string]string{
		"space":         `mutation($v: Int) { change: updateSpace(input: {spaceId: "` + space.ID + `", title: "New", expectedVersion: $v}) { of: space { version } } }`,
		"space private": `mutation($v: Int) { change: updateSpace(input: {spaceId: "` + w.space(w.alice, model.SpaceHub).ID + `", privacy: PUBLIC, expectedVersion: $v}) { of: space { version } } }`,
		"entity":        `mutation($v: Int) { change: updateEntity(input: {spaceId: "` + space.ID + `", entityId: "chair", data: {a: 1}, expectedVersion: $v}) { of: entity { version } } }`,
		"gate":          `mutation($v: Int) { change: updateEntity(input: {spaceId: "` + space.ID + `", entityId: "` + gate + `", data: {title: "New"}, expectedVersion: $v}) { of: entity { version } } }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := func(version any) string {
				_, response := w.ask(w.alice, request(document, map[string]any{"v": version}))
				return response
			}
			equal(t, "the version that is there", change(1), `{"data":{"change":{"of":{"version":2}}}}`)
			equal(t, "any version", change(nil), `{"data":{"change":{"of":{"version":3}}}}`)
			got := read(t, change(2))
			if len(got.Errors) != 1 {
				t.Fatalf("an old version: got %v, want one error", got)
			}
			extensions := got.Errors[0].Extensions
			equal(t, "code", extensions["code"], any("CONFLICT"))
			equal(t, "reason", extensions["reason"], any("STALE"))
			current, _ := extensions["current"].(map[string]any)
			equal(t, "current version", current["version"], any(3.0))
			if current["id"] == nil || current["data"] == nil || current["createdAt"] == nil {
				t.Errorf("current: got %v, want the object", current)
			}
			equal(t, "the current version", change(3), `{"data":{"change":{"of":{"version":4}}}}`)
		})
	}
}

// Editors of a busy space who have lost are refused at once. They do not wait for the lock on the
// space that another change has.
func TestExpectedVersion_is_refused_beside_a_change_of_the_space(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, gate := w.space(w.alice, model.SpaceHub), model.StaticGateIDs[0]
	_, err := w.put(model.CreateEntity{SpaceID: space.ID, EntityID: ptr("chair")})
	check(t, err)
	for _, id := range []string{"chair", gate} {
		_, err := w.merge(space, id, `{"title":"New"}`)
		check(t, err)
	}
	check(t, w.db.InTx(t.Context(), func(tx *db.DB) error {
		if _, err := tx.Spaces().SpaceForUpdate(t.Context(), space.ID); err != nil {
			return err
		}
		for _, id := range []string{"chair", gate} {
			_, err := w.Mutation().UpdateEntity(w.alice.ctx, model.UpdateEntity{
				SpaceID: space.ID, EntityID: id, Data: model.Object(`{"title":"Old"}`), ExpectedVersion: ptr(1),
			})
			if got := model.AsError(err); got == nil || got.Reason != model.ReasonStale {
				t.Errorf("%s: got %v, want the conflict", id, err)
			}
		}
		return nil
	}))
}

// The test checks the difference between null and an omitted field.
func TestUpdateSpace_clears_a_field_that_is_null(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, err := w.Mutation().CreateSpace(w.alice.ctx, model.CreateSpace{SpaceTextInput: model.SpaceTextInput{Title: ptr("Hall"), Description: ptr("Large")}})
	check(t, err)
	const document = `mutation($in: UpdateSpaceInput!) { updateSpace(input: $in) { space { title description } } }`
	for _, step := range []struct {
		fields map[string]any
		want   string
	}{
		{map[string]any{}, `"title":"Hall","description":"Large"`},
		{map[string]any{"description": nil}, `"title":"Hall","description":""`},
		{map[string]any{"title": nil, "description": "Small"}, `"title":"Untitled space","description":"Small"`},
	} {
		step.fields["spaceId"] = space.NodeID()
		got := w.query(w.alice, document, map[string]any{"in": step.fields})
		equal(t, "space", got, `{"updateSpace":{"space":{`+step.want+`}}}`)
	}
}

// The limit is for two fields together, which REST and MCP call entity_data and entity_state.
func TestUpdateEntity_over_the_limit_names_the_fields_of_the_schema(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceInfinite)
	w.makeRoom()
	half := strings.Repeat("x", model.MaxObject*2/3)
	_, err := w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: space.ID, EntityID: ptr("e"), Data: model.Object(`{"a":"` + half + `"}`)})
	check(t, err)
	const update = `mutation($in: UpdateEntityInput!) { updateEntity(input: $in) { entity { id } } }`
	in := map[string]any{"spaceId": space.ID, "entityId": "e", "data": map[string]any{"b": half}}
	_, response := w.ask(w.alice, request(update, map[string]any{"in": in}))
	for _, want := range []string{`"data and state have more than 1048576 bytes together"`, `"code":"TOO_LARGE"`, `"field":["input","data"]`} {
		if !strings.Contains(response, want) {
			t.Errorf("response: got %.300s, want %s", response, want)
		}
	}
}

func TestAbandonUpload_can_be_repeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.upload(w.alice, "a.glb", 10)
	const abandon = `mutation($url: URL!) { abandonUpload(input: {fileUrl: $url}) { abandonedFileUrl } }`
	for range 2 { // a repeated request changes nothing
		equal(t, "response", w.query(w.alice, abandon, map[string]any{"url": address}), `{"abandonUpload":{"abandonedFileUrl":"`+address+`"}}`)
	}
	storage := w.storage(w.alice)
	equal(t, "reserved", storage.Reserved, 0)
	code, _ := w.refused(w.alice, request(`mutation($url: URL!) { completeUpload(input: {fileUrl: $url}) { confirmation { __typename } } }`, map[string]any{"url": address}))
	equal(t, "code of completing it", code, "NOT_FOUND")
}
