package graph

import (
	"fmt"
	"strings"
	"testing"
)

// TestOperations runs every operation once over HTTP.
func TestOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	get := func(query string, variables map[string]any, path ...string) string {
		t.Helper()
		value := decode(t, w.query(w.alice, query, variables))
		for _, name := range path {
			value = value.(map[string]any)[name]
		}
		return fmt.Sprint(value)
	}
	upload := func(name string) string {
		t.Helper()
		address := get(`mutation($in: CreateUpload!) { createUpload(input: $in) { url method headers { name value } expiresAt } }`,
			map[string]any{"in": map[string]any{"fileName": name, "fileSize": 10, "contentType": "application/zip"}}, "createUpload", "url")
		address, _, _ = strings.Cut(address, "?")
		w.send(address, 10)
		return address
	}
	const complete = `mutation($url: String!) { completeUpload(input: {fileUrl: $url}) { file { id resourceKey name contentType size url createdAt } job { id status } } }`
	address := upload("a.glb")
	key := get(complete, map[string]any{"url": address}, "completeUpload", "file", "resourceKey")
	equal(t, "file", get(`query($key: String!) { file(resourceKey: $key) { url } }`, map[string]any{"key": key}, "file", "url"), address)
	equal(t, "files", get(`{ files { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } totalCount } }`, nil, "files", "totalCount"), "1")
	jobID := get(complete, map[string]any{"url": upload("a.zip")}, "completeUpload", "job", "id")
	equal(t, "job", get(`query($id: ID!) { job(id: $id) { type progress message resourceKey url error createdAt updatedAt } }`, map[string]any{"id": jobID}, "job", "type"), "ZIP_PROCESSING")
	equal(t, "cancelJob", get(`mutation($id: ID!) { cancelJob(id: $id) { status error } }`, map[string]any{"id": jobID}, "cancelJob", "error"), "Canceled")
	equal(t, "jobs", get(`{ jobs { status } }`, nil, "jobs"), "[map[status:FAILED]]")

	spaceID := get(`mutation { createSpace(input: {type: HUB, privacy: LINK_ONLY, data: {a: 1}}) { id url title description visitCount createdAt changedAt } }`, nil, "createSpace", "id")
	space := map[string]any{"id": spaceID}
	equal(t, "space", get(`query($id: ID!) { space(id: $id) { privacy entities(first: 1) { totalCount pageInfo { hasNextPage } edges { cursor node { entityId } } } } }`, space, "space", "entities", "totalCount"), "7")
	equal(t, "spaces", get(`{ spaces(search: "untitled") { totalCount nodes { url } edges { node { type } } } }`, nil, "spaces", "totalCount"), "1")
	equal(t, "updateSpace", get(`mutation($id: ID!) { updateSpace(input: {spaceId: $id, title: "Hall", data: {b: 2}}) { title data } }`, space, "updateSpace", "data"), "map[a:1 b:2]")
	equal(t, "updateSpacePrivacy", get(`mutation($id: ID!) { updateSpacePrivacy(input: {spaceId: $id, privacy: PUBLIC}) { privacy } }`, space, "updateSpacePrivacy", "privacy"), "PUBLIC")
	equal(t, "createEntity", get(`mutation($id: ID!) { createEntity(input: {spaceId: $id, entityId: "chair"}) { created entity { id type } } }`, space, "createEntity", "entity", "id"), spaceID+"/chair")
	equal(t, "updateEntity", get(`mutation($id: ID!) { updateEntity(input: {spaceId: $id, entityId: "chair", data: {a: [1, {b: null}]}}) { data state } }`, space, "updateEntity", "data"), "map[a:[1 map[b:<nil>]]]")
	equal(t, "entity", get(`query($id: ID!) { entity(spaceId: $id, entityId: "chair") { spaceId entityId createdAt changedAt } }`, space, "entity", "entityId"), "chair")
	equal(t, "deleteEntity", get(`mutation($id: ID!) { deleteEntity(spaceId: $id, entityId: "chair") }`, space, "deleteEntity"), "chair")
	equal(t, "deleteSpace", get(`mutation($id: ID!) { deleteSpace(id: $id) }`, space, "deleteSpace"), spaceID)
	equal(t, "viewer", get(`{ viewer { id name plan storage { used promised free quota } } }`, nil, "viewer", "storage"), "map[free:9990 promised:0 quota:10000 used:10]")
}
