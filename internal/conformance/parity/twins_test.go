package parity

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"portico/docs"
)

// twins are the fields of GraphQL that do what an operation of REST does, by the operation's
// id in openapi.yaml, with the name that the rows of TestParity about it start with.
var twins = map[string]struct{ field, rows string }{
	"listFiles":      {"Query.files", "files"},
	"deleteFile":     {"Mutation.deleteFile", "delete file"},
	"createUpload":   {"Mutation.createUpload", "create upload"},
	"completeUpload": {"Mutation.completeUpload", "complete upload"},
	"listJobs":       {"Query.jobs", "jobs"},
	"getJob":         {"Query.job", "job"},
	"getMe":          {"Query.viewer", "viewer"},
	"createAvatar":   {"Mutation.createAvatar", "create avatar"},
	"listAvatars":    {"User.avatars", "avatars"},
	"deleteAvatar":   {"Mutation.deleteAvatar", "delete avatar"},
	"createSpace":    {"Mutation.createSpace", "create space"},
	"addSpace":       {"Mutation.createSpace", "create space"},
	"listSpaces":     {"Query.spaces", "spaces"},
	"updatePrivacy":  {"Mutation.updateSpacePrivacy", "privacy"},
	"getSpace":       {"Query.space", "space"},
	"updateSpace":    {"Mutation.updateSpace", "update space"},
	"deleteSpace":    {"Mutation.deleteSpace", "delete space"},
	"listEntities":   {"Space.entities", "entities"},
	"createEntity":   {"Mutation.createEntity", "create entity"},
	"getEntity":      {"Query.entity", "entity"},
	"updateEntity":   {"Mutation.updateEntity", "update entity"},
	"deleteEntity":   {"Mutation.deleteEntity", "delete entity"},

	"getSpaceScreenshot":  {"Query.spaceScreenshot", "screenshot"},
	"pullSpace":           {"Query.exportSpace", "export space"},
	"changeSpace":         {"Mutation.applyChanges", "apply changes"},
	"applyArchive":        {"Mutation.applyChanges", "apply changes"},
	"getSpaceLock":        {"Space.lock", "lock space"},
	"lockSpace":           {"Mutation.lockSpace", "lock space"},
	"unlockSpace":         {"Mutation.unlockSpace", "unlock space"},
	"listVersions":        {"Query.spaceVersions", "versions"},
	"nameVersion":         {"Mutation.nameVersion", "name version"},
	"compareVersions":     {"Query.spaceChanges", "version changes"},
	"restoreVersion":      {"Mutation.restoreVersion", "restore version"},
	"getSharedSpace":      {"Query.space", "space"},
	"listSharedSpaces":    {"Query.publicSpaces", "spaces"}, // with the filter shared
	"listOwnSharedSpaces": {"Query.spaces", "spaces"},
}

// twinTypes are the types of GraphQL that have the properties of a schema in openapi.yaml: a
// property is a field of one of them, with the same name but for the case.
var twinTypes = map[string][]string{
	"CreateUpload":    {"CreateUploadInput"},
	"CompleteUpload":  {"CompleteUploadInput"},
	"Upload":          {"UploadParams"},
	"Resource":        {"File"},
	"StartedJob":      {"Job"},
	"File":            {"File"},
	"FileList":        {"FileConnection"},
	"Start":           {"Start"},
	"FileFacts":       {"GaussianFacts", "MeshFacts", "ImageFacts", "DamagedFacts", "OtherFacts"},
	"Bounds":          {"Bounds"},
	"Job":             {"Job"},
	"JobItem":         {"Job"},
	"User":            {"User"},
	"CreateAvatar":    {"CreateAvatarInput"},
	"CreatedAvatar":   {"Avatar"},
	"Avatar":          {"Avatar"},
	"CreateSpace":     {"CreateSpaceInput"},
	"CreatedSpace":    {"Space", "CreateSpacePayload"},
	"CreateUserSpace": {"CreateSpaceInput"},
	"PrivacyFields":   {"CreateSpaceInput", "UpdateSpaceInput"},
	"UpdatePrivacy":   {"UpdateSpacePrivacyInput"},
	"Space":           {"Space"},
	"SpaceList":       {"SpaceConnection"},
	"CreateEntity":    {"CreateEntityInput"},
	"Entity":          {"Entity"},
	"EntityList":      {"EntityConnection"},
	"KeptSpace":       {"Space"},
	"SharedSpace":     {"Space"},
	"ChangeSet":       {"ApplyChangesInput"},
	"FilePut":         {"PutFileInput"},
	"AppliedChange":   {"AppliedChange"},
	"ExpectedFile":    {"ExpectedFileInput"},
	"SpaceLock":       {"SpaceLock"},
	"LockSpace":       {"LockSpaceInput"},
	"Version":         {"SpaceVersion"},
	"VersionList":     {"SpaceVersionConnection"},
	"NameVersion":     {"NameVersionInput"},
	"SpaceChange":     {"SpaceChange"},
	"SpaceChangeList": {"SpaceChangeConnection"},
}

// twinNames are the names of properties in GraphQL where they are others.
var twinNames = map[string]string{
	"CompleteUpload.status":        "Mutation.abandonUpload", // a mutation for each status
	"CompleteUpload.extra_info":    "CompleteUploadInput.fileUrl",
	"Upload.upload_type":           "UploadParams.method", // the only type is one PUT
	"Upload.params":                "CreateUploadPayload.upload",
	"StartedJob.poll_url":          "Subscription.job",
	"User.avatarUrl":               "Avatar.url",
	"CreatedAvatar.id":             "Avatar.id", // there is no other id
	"Avatar.id":                    "Avatar.id",
	"User.profileImageUrl":         "User.picture",
	"File.file_name":               "File.name",
	"File.file_size":               "File.size",
	"FileFacts.attribution":        "File.attribution",
	"Job.job_status":               "Job.status",
	"Job.result":                   "Job.file",
	"JobItem.job_status":           "Job.status",
	"CreateSpace.resource_key":     "CreateSpaceInput.fileId",
	"CreateSpace.space_type":       "CreateSpaceInput.type",
	"CreatedSpace.space_url":       "Space.url",
	"CreatedSpace.space_type":      "Space.type",
	"CreateUserSpace.resource_key": "CreateSpaceInput.fileId",
	"CreateUserSpace.space_type":   "CreateSpaceInput.type",
	"CreateUserSpace.space_data":   "Mutation.createSpace", // the same fields
	"PrivacyFields.roomPrivacy":    "CreateSpaceInput.privacy",
	"UpdatePrivacy.roomPrivacy":    "UpdateSpacePrivacyInput.privacy",
	"Space.space_type":             "Space.type",
	"Space.space_url":              "Space.url",
	"Space.createdDate":            "Space.createdAt",
	"SharedSpace.id":               "Space.spaceId",
	"SharedSpace.createdDate":      "Space.createdAt",
	"SharedSpace.splatjs":          "Space.data",
	"FilePut.encoding":             "PutFileInput.base64",
	"FilePut.resource_key":         "PutFileInput.fileId",
	"Space.changeDate":             "Space.changedAt",
	"CreateEntity.resource_key":    "CreateEntityInput.fileId",
	"CreateEntity.entity_type":     "CreateEntityInput.type",
	"CreateEntity.entity_data":     "CreateEntityInput.data",
	"Entity.entity_type":           "Entity.type",
	"Entity.entity_data":           "Entity.data",
	"Entity.entity_state":          "Entity.state",
	"Entity.created_date":          "Entity.createdAt",
	"Entity.change_date":           "Entity.changedAt",
}

// listNames are the names of a list's properties.
var listNames = map[string]string{
	"files": "nodes", "spaces": "nodes", "entities": "nodes", "versions": "nodes", "changes": "nodes", "count": "nodes", "total": "totalCount",
	"nextCursor": "pageInfo", "hasMore": "pageInfo",
}

// withoutTwin are the schemas that are not objects of ours: envelopes, and the JSON that clients
// store, which is a scalar in GraphQL.
var withoutTwin = []string{
	"Error", "RateLimitError", "Done", "ChangesDone", "Changes", "Manifest", "ManifestFile", "LockState", "InvalidFiles", "PlannedDeletes", "FileConflicts", "ChangedEntity", "EntityData",
}

// openAPI is the part of openapi.yaml that is compared.
type openAPI struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas map[string]struct{ Properties map[string]json.RawMessage }
	}
}

func readOpenAPI(t *testing.T) (document openAPI) {
	t.Helper()
	check(t, json.Unmarshal(docs.OpenAPI(), &document))
	return document
}

// schemaFields reports which fields the schema has, written Type.field.
func schemaFields(t *testing.T) func(field string) bool {
	t.Helper()
	text, err := os.ReadFile("../../../schema.graphqls")
	check(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})
	check(t, err)
	return func(field string) bool {
		typeName, name, _ := strings.Cut(field, ".")
		definition := schema.Types[typeName]
		return definition != nil && definition.Fields.ForName(name) != nil
	}
}

// TestEvery_operation_has_a_twin checks that every REST operation has an equivalent in GraphQL, and
// that TestParity compares the two.
func TestEvery_operation_has_a_twin(t *testing.T) {
	t.Parallel()
	has, seen := schemaFields(t), map[string]bool{}
	for path, methods := range readOpenAPI(t).Paths {
		for method, text := range methods {
			var operation struct{ OperationID string }
			if method == "parameters" {
				continue
			}
			check(t, json.Unmarshal(text, &operation))
			twin, ok := twins[operation.OperationID]
			seen[operation.OperationID] = true
			switch {
			case !ok || !has(twin.field):
				t.Errorf("%s %s (%s): got no field of GraphQL (%q), want one", method, path, operation.OperationID, twin.field)
			case !slices.ContainsFunc(rows(), func(r row) bool { return isAbout(r.name, twin.rows) }):
				t.Errorf("%s %s: got no row %q in TestParity, want one", method, path, twin.rows)
			}
		}
	}
	for id := range twins {
		if !seen[id] {
			t.Errorf("%s: got no such operation of REST, want one for each twin", id)
		}
	}
}

// TestEvery_property_has_a_twin checks that GraphQL shows and accepts every property of REST.
func TestEvery_property_has_a_twin(t *testing.T) {
	t.Parallel()
	has := schemaFields(t)
	compared := 0
	for name, schema := range readOpenAPI(t).Components.Schemas {
		if len(schema.Properties) == 0 || slices.Contains(withoutTwin, name) {
			continue
		}
		for property := range schema.Properties {
			compared++
			if !hasTwin(has, name, property) {
				t.Errorf("%s.%s: got no field of %v, want one, or a row in twinNames", name, property, twinTypes[name])
			}
		}
	}
	if compared < 100 {
		t.Errorf("properties: got %d, want all of openapi.yaml", compared)
	}
}

// hasTwin reports whether GraphQL has a property of a schema of REST.
func hasTwin(has func(string) bool, schema, property string) bool {
	if renamed := twinNames[schema+"."+property]; renamed != "" {
		return has(renamed)
	}
	name := camel(property)
	if strings.HasSuffix(schema, "List") {
		name = listNames[property]
	}
	if name == "id" { // the id of REST beside the global one
		return has(twinTypes[schema][0] + "." + strings.ToLower(schema) + "Id")
	}
	return slices.ContainsFunc(twinTypes[schema], func(typeName string) bool { return has(typeName + "." + name) })
}

// camel returns a name of REST as GraphQL writes it.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
