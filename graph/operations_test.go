package graph_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestOperations_run_over_HTTP(t *testing.T) {
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
		address := get(`mutation($in: CreateUploadInput!) { createUpload(input: $in) { upload { url method headers { name value } expiresAt } } }`,
			map[string]any{"in": map[string]any{"fileName": name, "fileSize": 10, "contentType": "application/zip"}}, "createUpload", "upload", "url")
		address, _, _ = strings.Cut(address, "?")
		w.send(address, 10)
		return address
	}
	const complete = `mutation($url: URL!) { completeUpload(input: {fileUrl: $url}) { confirmation { ... on FileStored { file { id resourceKey name contentType size url createdAt } } ... on JobStarted { job { id status } } } } }`
	address := upload("a.glb")
	key := get(complete, map[string]any{"url": address}, "completeUpload", "confirmation", "file", "resourceKey")
	equal(t, "file", get(`query($key: ID!) { file(id: $key) { url } }`, map[string]any{"key": key}, "file", "url"), address)
	equal(t, "files", get(`{ files { nodes { id } edges { cursor node { id } } pageInfo { hasNextPage endCursor } totalCount } }`, nil, "files", "totalCount"), "1")
	jobID := get(complete, map[string]any{"url": upload("a.zip")}, "completeUpload", "confirmation", "job", "id")
	equal(t, "job", get(`query($id: ID!) { job(id: $id) { type progress message resourceKey url error createdAt updatedAt } }`, map[string]any{"id": jobID}, "job", "type"), "ZIP_PROCESSING")
	equal(t, "cancelJob", get(`mutation($id: ID!) { cancelJob(input: {jobId: $id}) { job { status error } } }`, map[string]any{"id": jobID}, "cancelJob", "job", "error"), "Canceled")
	equal(t, "jobs", get(`{ jobs { nodes { status } } }`, nil, "jobs", "nodes"), "[map[status:FAILED]]")

	spaceID := get(`mutation { createSpace(input: {type: HUB, privacy: LINK_ONLY, data: {a: 1}}) { space { id url title description visitCount createdAt changedAt } } }`, nil, "createSpace", "space", "id")
	space := map[string]any{"id": spaceID}
	equal(t, "space", get(`query($id: ID!) { space(id: $id) { privacy entities(first: 1) { totalCount pageInfo { hasNextPage } edges { cursor node { entityId } } } } }`, space, "space", "entities", "totalCount"), "7")
	equal(t, "spaces", get(`{ spaces(filter: {text: "untitled"}) { totalCount nodes { url } edges { node { type } } } }`, nil, "spaces", "totalCount"), "1")
	equal(t, "updateSpace", get(`mutation($id: ID!) { updateSpace(input: {spaceId: $id, title: "Hall", data: {b: 2}}) { space { title data } } }`, space, "updateSpace", "space", "data"), "map[a:1 b:2]")
	equal(t, "updateSpacePrivacy", get(`mutation($id: ID!) { updateSpacePrivacy(input: {spaceId: $id, privacy: PUBLIC}) { space { privacy } } }`, space, "updateSpacePrivacy", "space", "privacy"), "PUBLIC")
	equal(t, "createEntity", get(`mutation($id: ID!) { createEntity(input: {spaceId: $id, entityId: "chair"}) { created entity { id entityId type } } }`, space, "createEntity", "entity", "entityId"), "chair")
	entityID := get(`query($id: ID!) { entity(spaceId: $id, entityId: "chair") { id } }`, space, "entity", "id")
	equal(t, "updateEntity", get(`mutation($id: ID!) { updateEntity(input: {spaceId: $id, entityId: "chair", data: {a: [1, {b: null}]}}) { entity { data state } } }`, space, "updateEntity", "entity", "data"), "map[a:[1 map[b:<nil>]]]")
	equal(t, "entity", get(`query($id: ID!) { entity(spaceId: $id, entityId: "chair") { entityId createdAt changedAt version } }`, space, "entity", "entityId"), "chair")
	equal(t, "deleteEntity", get(`mutation($id: ID!) { deleteEntity(input: {spaceId: $id, entityId: "chair"}) { deletedEntityId } }`, space, "deleteEntity", "deletedEntityId"), entityID)
	equal(t, "deleteSpace", get(`mutation($id: ID!) { deleteSpace(input: {spaceId: $id}) { deletedSpaceId } }`, space, "deleteSpace", "deletedSpaceId"), spaceID)
	equal(t, "viewer", get(`{ viewer { id name plan storage { used promised free quota } } }`, nil, "viewer", "storage"), "map[free:9990 promised:0 quota:10000 used:10]")
}
