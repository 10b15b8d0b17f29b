package property

import "strings"

// endpoint is one method of a path, with a request that it accepts.
type endpoint struct {
	name, method string
	path         string // {} is the placeholder of an id
	ids          []string
	query        string
	body         string
	judge        judge
}

// endpoints returns the endpoints of REST, of GraphQL, and of the addresses of files.
var endpoints = []endpoint{
	{"FilesGet", "GET", "/v1/files", nil, "limit=2&cursor=", "", judgeREST},
	{"FilesDelete", "DELETE", "/v1/files", nil, "resource_key=@f1@", "", judgeREST},
	{"UploadPost", "POST", "/v1/files/upload", nil, "", `{"file_name":"cat.glb","file_size":10,"content_type":"model/gltf-binary"}`, judgeREST},
	{"UploadCompletePost", "POST", "/v1/files/upload-complete", nil, "", `{"status":"success","extra_info":{"file_url":"@u1@"}}`, judgeREST},
	{"JobsGet", "GET", "/v1/jobs", nil, "limit=2", "", judgeREST},
	{"JobGet", "GET", "/v1/jobs/{}", []string{"@j2@"}, "", "", judgeREST},
	{"MeGet", "GET", "/v1/user/me", nil, "", "", judgeREST},
	{"AvatarsGet", "GET", "/v1/avatars", nil, "", "", judgeREST},
	{"AvatarPost", "POST", "/v1/avatars/splat", nil, "", `{"glb":"@f1@","splat":"@f2@","binding":"@f1@","fit":"@f1@","thumbnail":"@f1@","originalName":"Ada","assign":true}`, judgeREST},
	{"AvatarDelete", "DELETE", "/v1/avatars/{}", []string{"none"}, "", "", judgeREST},
	{"CreateSpacePost", "POST", "/v1/user/create-space", nil, "", `{"space_data":{"title":"Home","description":"of ours","resource_key":"@f1@","space_type":"hub"}}`, judgeREST},
	{"SpacesGet", "GET", "/v1/spaces", nil, "limit=2&cursor=@c2@&search=o", "", judgeREST},
	{"SpacesPost", "POST", "/v1/spaces", nil, "", `{"title":"Home","description":"of ours","resource_key":"@f1@","space_type":"hub","privacy":"Closed","roomPrivacy":"Public"}`, judgeREST},
	{"UpdatePrivacyPost", "POST", "/v1/spaces/update-privacy", nil, "", `{"spaceId":"@s1@","roomPrivacy":"Link Only","informFollowers":true}`, judgeREST},
	{"SpaceGet", "GET", "/v1/spaces/{}", []string{"@s1@"}, "", "", judgeREST},
	{"SpacePut", "PUT", "/v1/spaces/{}", []string{"@s1@"}, "", `{"title":"Home","description":"of ours","privacy":"Open","theme":{"dark":[1,2.5,"x",null]}}`, judgeREST},
	{"SpaceDelete", "DELETE", "/v1/spaces/{}", []string{"@s2@"}, "", "", judgeREST},
	{"EntitiesGet", "GET", "/v1/spaces/{}/entities", []string{"@s1@"}, "limit=2&cursor=@c1@", "", judgeREST},
	{"EntitiesPost", "POST", "/v1/spaces/{}/entities", []string{"@s1@"}, "", `{"resource_key":"@f1@","entity_id":"a","entity_type":"Simple","entity_data":{"label":"x","n":1.5,"a":[{"b":null}]}}`, judgeREST},
	{"EntityGet", "GET", "/v1/spaces/{}/entities/{}", []string{"@s1@", "door"}, "", "", judgeREST},
	{"EntityPut", "PUT", "/v1/spaces/{}/entities/{}", []string{"@s1@", "door"}, "", `{"entity_data":{"title":"Door","link":"@s1@","platform":"arrival.space","screenSelect":1,"openAsTab":true,` + placed + `}}`, judgeREST},
	{"EntityDelete", "DELETE", "/v1/spaces/{}/entities/{}", []string{"@s1@", "@e1@"}, "", "", judgeREST},
	{"GraphQL", "POST", "/graphql", nil, "", "", judgeGraphQL},
	{"PresignedPut", "PUT", "/files/{}", []string{"@k3@"}, "", "xxxxxxxxxx", judgeStore},
	{"PublicFileGet", "GET", "/files/{}", []string{"@k1@"}, "", "", judgeStore},
}

// request returns a request that the endpoint accepts, with other ids and another query.
func (e endpoint) request(ids []string, query string) request {
	target := e.path
	for _, id := range ids {
		target = strings.Replace(target, "{}", id, 1)
	}
	if query != "" {
		target += "?" + query
	}
	q := request{method: e.method, target: target, body: e.body}
	if e.body != "" || e.name == "GraphQL" {
		q.headers = []string{"Content-Type: application/json"}
	}
	if e.name == "PresignedPut" {
		q.headers = []string{"Content-Type: application/octet-stream"}
	}
	return q
}

// moreGraphQL returns documents that the sequences do not have.
var moreGraphQL = []string{
	`{"query":"subscription($id: ID!) { job(id: $id) { id status progress } }","variables":{"id":"@j2@"}}`,
	`{"query":"{ __schema { types { name fields { name args { name } } } } }"}`,
	`{"query":"{ file(id: \"@f1@\") { url size } a: file(id: \"@f4@\") { url name } }"}`,
	`{"query":"query A { viewer { id email } } query B { jobs(last: 2) { nodes { id } } }","operationName":"B"}`,
	`{"query":"fragment F on Space { id data entities(first: 3) { edges { cursor node { id data } } } } { spaces(first: 2) { nodes { ...F } } space(id: \"@s3@\") { ...F } }"}`,
	`{"query":"mutation { createEntity(input: {spaceId: \"@s1@\", data: {n: 12345678901234567890, a: [1.5, null, {b: \"\\u0000\"}]}}) { created } }"}`,
	`{"query":"{ publicSpaces(filter: {text: \"e\"}, first: 5) { nodes { id title data } } notifications(first: 2) { totalCount } }"}`,
	`{"query":"query($s: ID!) { space(id: $s) { id } node: entity(spaceId: $s, entityId: \"RoomInfo\") { data } }","variables":{"s":"@s3@"}}`,
	`{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}`,
	`{"query":"mutation { cancelJob(input: {jobId: \"@j5@\"}) { job { id } } }"}`,
	`{"query":"mutation { deleteFile(input: {fileId: \"@f4@\"}) { deletedFileId } }"}`,
	`{"query":"{ spaces(filter: {privacy: [PUBLIC], changedSince: \"2026-01-27T09:30:00.000Z\"}, orderBy: {field: TITLE, direction: ASC}, last: 3) { nodes { id } pageInfo { hasPreviousPage startCursor } } }"}`,
	`{"query":"query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } node(id: \"U3BhY2U6eA\") { id } }","variables":{"ids":["U3BhY2U6eA"]}}`,
}

// graphQLBodies returns a valid request of each operation.
func graphQLBodies() []string {
	bodies := moreGraphQL
	for _, s := range append(furniture[:13:13], []step{
		{Op: opViewer}, {Op: opSpace, Space: "@s3@"}, {Op: opUpdateSpace, Space: "@s1@", Title: ptr("x"), Data: `{"a":1}`},
		{Op: opUpdatePrivacy, Space: "@s3@", Privacy: "Public"}, {Op: opDeleteSpace, Space: "@s3@"},
		{Op: opEntity, Space: "@s1@", Entity: "door"}, {Op: opUpdateEntity, Space: "@s1@", Entity: "door", Data: wholeGate},
		{Op: opDeleteEntity, Space: "@s3@", Entity: "@e3@"}, {Op: opFiles, Limit: "3"}, {Op: opJob, Entity: "@j5@"}, {Op: opJobs},
		{Op: opComplete, Upload: "@u6@", Status: "success"}, {Op: opEntities, Space: "@s1@", Cursor: "@c3@"},
	}...) {
		if document, ok := documents[s.Op]; ok {
			bodies = append(bodies, text(map[string]any{"query": document, "variables": variables(s)}))
		}
	}
	return bodies
}
