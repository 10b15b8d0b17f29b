package property

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	graphSpace  = `{ id: spaceId url title description type privacy data createdAt changedAt }`
	graphItem   = `{ id: spaceId url title description type privacy createdAt changedAt }`
	graphEntity = `{ entityId type data state createdAt changedAt }`
	graphPage   = ` totalCount pageInfo { hasNextPage endCursor } }`
)

// abandonDocument is the operation for a confirmation with another status.
const abandonDocument = `mutation($in: AbandonUploadInput!) { abandonUpload(input: $in) { abandonedFileUrl } }`

// documents contains the operations of GraphQL. Each has one field at the top.
var documents = map[string]string{
	opViewer:        `{ viewer { plan storage { used promised free quota } } }`,
	opCreateSpace:   `mutation($in: CreateSpaceInput!) { createSpace(input: $in) { space { id: spaceId url title type } } }`,
	opSpace:         `query($id: ID!) { space(id: $id) ` + graphSpace + ` }`,
	opSpaces:        `query($search: String, $first: Int, $after: String) { spaces(filter: {text: $search}, first: $first, after: $after) { nodes ` + graphItem + graphPage + ` }`,
	opUpdateSpace:   `mutation($in: UpdateSpaceInput!) { updateSpace(input: $in) { space ` + graphSpace + ` } }`,
	opUpdatePrivacy: `mutation($in: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $in) { space { id } } }`,
	opDeleteSpace:   `mutation($id: ID!) { deleteSpace(input: {spaceId: $id}) { deletedSpaceId } }`,
	opCreateEntity:  `mutation($in: CreateEntityInput!) { createEntity(input: $in) { entity ` + graphEntity + ` created } }`,
	opEntity:        `query($id: ID!, $entity: ID!) { entity(spaceId: $id, entityId: $entity) ` + graphEntity + ` }`,
	opEntities:      `query($id: ID!, $first: Int, $after: String) { space(id: $id) { entities(first: $first, after: $after) { nodes ` + graphEntity + graphPage + ` } }`,
	opUpdateEntity:  `mutation($in: UpdateEntityInput!) { updateEntity(input: $in) { entity ` + graphEntity + ` } }`,
	opDeleteEntity:  `mutation($id: ID!, $entity: ID!) { deleteEntity(input: {spaceId: $id, entityId: $entity}) { deletedEntityId } }`,
	opCreateUpload:  `mutation($in: CreateUploadInput!) { createUpload(input: $in) { upload { url method headers { name value } } } }`,
	opComplete:      `mutation($in: CompleteUploadInput!) { completeUpload(input: $in) { confirmation { ... on FileStored { file { resourceKey url } } ... on JobStarted { job { id: jobId } } } } }`,
	opFiles:         `query($first: Int, $after: String) { files(first: $first, after: $after) { nodes { resourceKey name contentType url size createdAt }` + graphPage + ` }`,
	opDeleteFile:    `mutation($file: ID!) { deleteFile(input: {fileId: $file}) { deletedFileId } }`,
	opConvertFile:   `mutation($file: ID!, $to: ConversionTarget!) { convertFile(input: {fileId: $file, to: $to}) { job { id: jobId status progress } } }`,
	opJob:           `query($id: ID!) { job(id: $id) { id: jobId status progress } }`,
	opJobs:          `{ jobs(first: 200) { nodes { id: jobId type status progress } } }`,
}

func variables(s step) map[string]any {
	data := json.RawMessage(s.Data)
	var in map[string]any
	switch s.Op {
	case opCreateSpace:
		in = fields("title", s.Title, "description", s.Description, "fileId", s.File, "type", enum(s.Kind),
			"privacy", enum(optionOf(s.Privacy)))
	case opUpdateSpace:
		in = fields("spaceId", s.Space, "title", s.Title, "description", s.Description, "privacy", enum(optionOf(s.Privacy)), "data", data)
	case opUpdatePrivacy:
		in = fields("spaceId", s.Space, "privacy", enum(s.Privacy))
	case opCreateEntity:
		in = fields("spaceId", s.Space, "fileId", s.File, "entityId", s.Entity, "type", s.Type, "data", data)
	case opUpdateEntity:
		in = fields("spaceId", s.Space, "entityId", s.Entity, "data", data)
	case opCreateUpload:
		in = fields("fileName", s.Name, "fileSize", s.Size, "contentType", "application/octet-stream", "convertTo", enum(s.Convert))
	case opComplete:
		in = map[string]any{"fileUrl": s.Upload} // an empty one is refused
	case opDeleteFile:
		return fields("file", s.File)
	case opConvertFile:
		return fields("file", s.File, "to", enum(s.Convert))
	case opJob:
		return fields("id", s.Entity)
	default:
		v := fields("id", s.Space, "entity", s.Entity, "search", s.Search, "after", s.Cursor, "first", s.Limit)
		if n, err := strconv.Atoi(s.Limit); err == nil {
			v["first"] = n
		}
		return v
	}
	return map[string]any{"in": in}
}

// enum writes a word of the API as GraphQL does.
func enum(word string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(word))
}

// words converts the words of a response back.
var words = map[string]string{
	"INFINITE": "infinite", "HUB": "hub", "PUBLIC": "Public", "PRIVATE": "Private", "LINK_ONLY": "Link Only",
	"PRO": "pro", "FREE": "free", "ZIP_PROCESSING": "zip-processing", "FILE_PROCESSING": "file-processing", "QUEUED": "queued",
}

// graphQL sends the step to GraphQL and reads the response.
func (r *run) graphQL(s step) (reply, error) {
	document := documents[s.Op]
	if s.Op == opComplete && s.Status != "success" {
		document = abandonDocument
	}
	body := text(map[string]any{"query": document, "variables": variables(s)})
	got := r.call(r.users[s.User], "POST", "/graphql", r.names.fill(body))
	var response struct {
		Data   map[string]json.RawMessage
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(got.body), &response); err != nil {
		return reply{}, fmt.Errorf("read %d %s: %w", got.status, got.body, err)
	}
	if len(response.Errors) > 0 {
		first := response.Errors[0]
		code := strings.ToLower(first.Extensions.Code)
		if code == "graphql_validation_failed" { // a variable that its type does not take
			code = invalid
		}
		return reply{Code: code, Message: first.Message}, nil
	}
	for _, field := range response.Data {
		field = unwrap(s.Op, field)
		data, err := r.readGraphQL(s, field)
		if err != nil {
			err = fmt.Errorf("%w in %s", err, got.body)
		}
		response := reply{Data: data}
		if s.Op == opCreateEntity && strings.Contains(string(field), `"created":true`) {
			response.Status = 201
		}
		return response, err
	}
	return reply{}, fmt.Errorf("unexpected response: %d %s", got.status, got.body)
}

// unwrap returns the object of a payload instead of the payload.
func unwrap(op string, field json.RawMessage) json.RawMessage {
	var payload struct{ Space, Entity, Upload, Job, Confirmation json.RawMessage }
	if op == opCreateEntity || op == opEntities || json.Unmarshal(field, &payload) != nil {
		return field
	}
	for _, object := range []json.RawMessage{payload.Space, payload.Entity, payload.Upload, payload.Job, payload.Confirmation} {
		if object != nil {
			return object
		}
	}
	return field
}

// graphResponse has the fields of all documents.
type graphResponse struct {
	ID, EntityID, URL, Title, Description, Type, Privacy, Plan, Status, Method string
	ResourceKey, Name, ContentType, CreatedAt, ChangedAt                       string
	Data, State                                                                json.RawMessage
	Size                                                                       int64
	Progress                                                                   float64
	Created                                                                    bool
	Storage                                                                    struct{ Used, Promised, Free, Quota int64 }
	Headers                                                                    []struct{ Name, Value string }
	File, Job, Entity, Entities                                                *graphResponse
	Nodes                                                                      []graphResponse
	TotalCount                                                                 int
	PageInfo                                                                   struct {
		HasNextPage bool
		EndCursor   *string
	}
}

func (r *run) readGraphQL(s step, field json.RawMessage) (any, error) {
	switch s.Op {
	case opUpdatePrivacy, opDeleteSpace, opDeleteEntity, opDeleteFile:
		return doneForm{}, nil
	case opJobs:
		return readGraphJobs(r.names.hide(string(field)))
	}
	var raw, got graphResponse
	if err := json.Unmarshal(field, &raw); err != nil {
		return nil, err
	}
	if err := r.learnGraphQL(s, raw); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(r.names.hide(string(field))), &got); err != nil {
		return nil, err
	}
	switch s.Op {
	case opEntities:
		return r.graphPage(s, *got.Entities)
	case opSpaces, opFiles:
		return r.graphPage(s, got)
	}
	return got.form(s.Op)
}

// learnGraphQL binds the names that the response gives to new things.
func (r *run) learnGraphQL(s step, got graphResponse) error {
	switch {
	case s.Op == opCreateSpace:
		return r.learnSpace(s, got.ID)
	case s.Op == opCreateEntity && s.Entity == "":
		return r.names.bind(s.As, got.Entity.EntityID)
	case s.Op == opCreateUpload:
		return r.learnUpload(s, got.URL)
	case s.Op == opConvertFile:
		return r.names.bindNew(s.As, got.ID)
	case s.Op == opComplete && got.Job != nil:
		return r.learnJob(s, got.Job.ID)
	}
	return nil
}

func readGraphJobs(data string) (any, error) {
	var list struct{ Nodes []graphResponse }
	err := json.Unmarshal([]byte(data), &list)
	jobs := []jobForm{}
	for _, j := range list.Nodes {
		jobs = append(jobs, j.job())
	}
	return jobs, err
}

func (g graphResponse) job() jobForm {
	return jobForm{g.ID, words[g.Type], words[g.Status], g.Progress}
}

func (r *run) graphPage(s step, got graphResponse) (any, error) {
	form := pageForm{Total: got.TotalCount, More: got.PageInfo.HasNextPage}
	for _, node := range got.Nodes {
		read, err := node.form(s.Op)
		if err != nil {
			return nil, err
		}
		form.Items = append(form.Items, read)
	}
	if (len(got.Nodes) > 0) != (got.PageInfo.EndCursor != nil) {
		return nil, fmt.Errorf("page of %d items: got endCursor %v", len(got.Nodes), got.PageInfo.EndCursor)
	}
	if form.More {
		return form, r.names.bind(s.As, *got.PageInfo.EndCursor)
	}
	return form, nil
}

func (g graphResponse) form(op string) (any, error) {
	switch op {
	case opViewer:
		if want := max(0, g.Storage.Quota-g.Storage.Used-g.Storage.Promised); g.Storage.Free != want {
			return nil, fmt.Errorf("free: got %d, want %d", g.Storage.Free, want)
		}
		return viewerForm{words[g.Plan], g.Storage.Used, g.Storage.Promised, g.Storage.Quota}, nil
	case opCreateSpace:
		return madeSpaceForm{g.URL, g.Title, words[g.Type]}, nil
	case opSpace, opUpdateSpace, opSpaces:
		return g.space()
	case opCreateEntity:
		return g.Entity.entity()
	case opEntity, opEntities, opUpdateEntity:
		return g.entity()
	case opCreateUpload:
		address, _, _ := strings.Cut(g.URL, "?")
		if len(g.Headers) != 1 || g.Headers[0].Name != "Content-Type" {
			return nil, fmt.Errorf("headers: got %v, want a Content-Type", g.Headers)
		}
		return uploadForm{address, g.Method, g.Headers[0].Value}, nil
	case opComplete:
		var form confirmationForm
		if g.File != nil {
			form.File, form.URL = g.File.ResourceKey, g.File.URL
		}
		if g.Job != nil {
			form.Job = g.Job.ID
		}
		return form, nil
	case opFiles:
		return fileForm{g.ResourceKey, g.Name, g.ContentType, g.URL, g.Size}, nil
	case opJob, opConvertFile:
		return g.job(), nil
	}
	panic("no form for " + op)
}

func (g graphResponse) space() (any, error) {
	form := spaceForm{g.ID, g.URL, g.Title, g.Description, words[g.Type], words[g.Privacy], nil}
	err := g.checkTimes()
	if len(g.Data) > 0 {
		var wrong error
		form.Data, wrong = parse(string(g.Data))
		err = errors.Join(err, wrong)
	}
	return form, err
}

func (g graphResponse) entity() (any, error) {
	if string(g.State) != "{}" {
		return nil, fmt.Errorf("state: got %s, want an object without fields", g.State)
	}
	return entityForm{g.EntityID, g.Type, shownData(g.Type, object(string(g.Data)))}, g.checkTimes()
}

func (g graphResponse) checkTimes() error {
	if !moment.MatchString(g.CreatedAt) || !moment.MatchString(g.ChangedAt) || g.ChangedAt < g.CreatedAt {
		return fmt.Errorf("moments: got %q and %q", g.CreatedAt, g.ChangedAt)
	}
	return nil
}
