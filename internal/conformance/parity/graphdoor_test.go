package parity

import (
	"encoding/json"
	"strings"

	"portico/internal/testkit/api"
	"portico/model"
)

// graphDoor uses /graphql.
type graphDoor struct{ *api.Client }

// word returns an enum's value as the API writes it: they differ in case only,
// and in the space of Link Only.
func word(value string) string { return strings.ReplaceAll(strings.ToLower(value), "_", "-") }

func enum(word string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(word))
}

func (d graphDoor) viewer() (viewerForm, error) {
	var me struct {
		viewerForm
		Storage struct{ Used, Quota int64 }
	}
	err := d.GraphQL(`{ viewer { id: userId name email plan storage { used quota } } }`, nil, &me)
	me.Plan, me.Used, me.Quota = word(me.Plan), me.Storage.Used, me.Storage.Quota
	return me.viewerForm, err
}

func (d graphDoor) createUpload(name string, size int64) (uploadForm, error) {
	var params struct {
		URL, Method string
		Headers     []struct{ Name, Value string }
	}
	err := d.GraphQL(`mutation($in: CreateUploadInput!) { createUpload(input: $in) { upload { url method headers { name value } } } }`,
		input("fileName", name, "fileSize", size, "contentType", "application/octet-stream"), &params)
	form := uploadForm{URL: params.URL, Method: params.Method}
	for _, header := range params.Headers {
		if form.Headers == nil {
			form.Headers = map[string]string{}
		}
		form.Headers[header.Name] = header.Value
	}
	return form, err
}

// input returns the variables of a document that takes one input.
func input(fields ...any) map[string]any {
	in := map[string]any{}
	for i := 0; i < len(fields); i += 2 {
		in[fields[i].(string)] = fields[i+1]
	}
	return map[string]any{"in": in}
}

func (d graphDoor) completeUpload(status, address string) (confirmationForm, error) {
	if status != model.StatusSuccess {
		return confirmationForm{}, d.GraphQL(`mutation($in: AbandonUploadInput!) { abandonUpload(input: $in) { abandonedFileUrl } }`,
			input("fileUrl", address), nil)
	}
	var c struct {
		File *struct{ ResourceKey, URL string }
		Job  *struct{ ID string }
	}
	err := d.GraphQL(`mutation($in: CompleteUploadInput!) { completeUpload(input: $in) { confirmation { ... on FileStored { file { resourceKey url } } ... on JobStarted { job { id: jobId } } } } }`,
		input("fileUrl", address), &c)
	var form confirmationForm
	if c.File != nil {
		form.ResourceKey, form.URL = c.File.ResourceKey, c.File.URL
	}
	if c.Job != nil {
		form.JobID = c.Job.ID
	}
	return form, err
}

func (d graphDoor) upload(name, text string) (confirmationForm, error) {
	return uploadOf(d, d.Client, name, text)
}

func (d graphDoor) files() ([]fileForm, error) {
	var page struct{ Nodes []fileForm }
	err := d.GraphQL(`{ files { nodes { resourceKey name contentType url size } } }`, nil, &page)
	return append([]fileForm{}, page.Nodes...), err
}

func (d graphDoor) deleteFile(resourceKey string) error {
	return d.GraphQL(`mutation($id: ID!) { deleteFile(input: {fileId: $id}) { deletedFileId } }`, map[string]any{"id": resourceKey}, nil)
}

func (d graphDoor) createAvatar(in avatarInput) (avatar avatarForm, err error) {
	err = d.GraphQL(`mutation($in: CreateAvatarInput!) { createAvatar(input: $in) { avatar { id url assigned } } }`,
		map[string]any{"in": in}, &avatar)
	return avatar, err
}

func (d graphDoor) avatars() ([]avatarForm, error) {
	var viewer struct{ Avatars []avatarForm }
	err := d.GraphQL(`{ viewer { avatars { id url originalName assigned } } }`, nil, &viewer)
	return viewer.Avatars, err
}

func (d graphDoor) deleteAvatar(id string) error {
	return d.GraphQL(`mutation($id: ID!) { deleteAvatar(input: {avatarId: $id}) { deletedAvatarId } }`, map[string]any{"id": id}, nil)
}

func (d graphDoor) convertFile(resourceKey, to string) (string, error) {
	var job struct{ ID string }
	err := d.GraphQL(`mutation($in: ConvertFileInput!) { convertFile(input: $in) { job { id: jobId } } }`,
		input("fileId", resourceKey, "to", enum(to)), &job)
	return job.ID, err
}

type graphJob struct {
	ID, Type, Status        string
	Progress                float64
	ResourceKey, URL, Error *string
}

func (j graphJob) form() jobForm {
	form := jobForm{ID: j.ID, Type: word(j.Type), Status: word(j.Status), Progress: j.Progress}
	for to, from := range map[*string]*string{&form.ResourceKey: j.ResourceKey, &form.URL: j.URL, &form.Error: j.Error} {
		if from != nil {
			*to = *from
		}
	}
	return form
}

func (d graphDoor) job(id string) (jobForm, error) {
	var j graphJob
	err := d.GraphQL(`query($id: ID!) { job(id: $id) { id: jobId status progress resourceKey url error } }`, map[string]any{"id": id}, &j)
	return j.form(), err
}

func (d graphDoor) jobs() ([]jobForm, error) {
	var list struct{ Nodes []graphJob }
	err := d.GraphQL(`{ jobs { nodes { id: jobId type status progress } } }`, nil, &list)
	jobs := []jobForm{}
	for _, j := range list.Nodes {
		jobs = append(jobs, j.form())
	}
	return jobs, err
}

const spaceFields = `{ id: spaceId url title description type privacy }`

func (s spaceForm) inWords() spaceForm {
	s.Type = word(s.Type)
	for _, privacy := range []model.Privacy{model.Public, model.Private, model.LinkOnly} {
		if s.Privacy == enum(string(privacy)) {
			s.Privacy = string(privacy)
		}
	}
	return s
}

func (d graphDoor) createSpace(in spaceInput) (spaceForm, error) {
	fields := set(map[string]string{
		"title": in.Title, "description": in.Description, "fileId": in.ResourceKey, "type": enum(in.Type),
	})
	var s spaceForm
	err := d.GraphQL(`mutation($in: CreateSpaceInput!) { createSpace(input: $in) { space `+spaceFields+` } }`, map[string]any{"in": fields}, &s)
	return s.inWords(), err
}

func (d graphDoor) space(id string) (spaceForm, error) {
	var s spaceForm
	err := d.GraphQL(`query($id: ID!) { space(id: $id) `+spaceFields+` }`, map[string]any{"id": id}, &s)
	return s.inWords(), err
}

func (d graphDoor) spaces(search string) ([]spaceForm, error) {
	var page struct{ Nodes []spaceForm }
	err := d.GraphQL(`query($search: String) { spaces(filter: {text: $search}) { nodes `+spaceFields+` } }`, map[string]any{"search": search}, &page)
	spaces := []spaceForm{}
	for _, s := range page.Nodes {
		spaces = append(spaces, s.inWords())
	}
	return spaces, err
}

func (d graphDoor) updateSpace(id, title, description string) (spaceForm, error) {
	var s spaceForm
	err := d.GraphQL(`mutation($in: UpdateSpaceInput!) { updateSpace(input: $in) { space `+spaceFields+` } }`,
		input("spaceId", id, "title", title, "description", description), &s)
	return s.inWords(), err
}

func (d graphDoor) updatePrivacy(id string, privacy model.Privacy) error {
	return d.GraphQL(`mutation($in: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $in) { space { id } } }`,
		input("spaceId", id, "privacy", enum(string(privacy))), nil)
}

func (d graphDoor) deleteSpace(id string) error {
	return d.GraphQL(`mutation($id: ID!) { deleteSpace(input: {spaceId: $id}) { deletedSpaceId } }`, map[string]any{"id": id}, nil)
}

type graphEntity struct {
	EntityID, Type string
	Data           json.RawMessage
}

func (e graphEntity) form() entityForm { return entityForm{e.EntityID, e.Type, e.Data} }

func (d graphDoor) createEntity(space string, in entityInput) (entityForm, bool, error) {
	fields := set(map[string]string{"spaceId": space, "fileId": in.ResourceKey, "entityId": in.ID, "type": in.Type})
	if in.Data != "" {
		fields["data"] = json.RawMessage(in.Data)
	}
	var c struct {
		Entity  graphEntity
		Created bool
	}
	err := d.GraphQL(`mutation($in: CreateEntityInput!) { createEntity(input: $in) { entity { entityId type data } created } }`,
		map[string]any{"in": fields}, &c)
	return c.Entity.form(), c.Created, err
}

func (d graphDoor) entity(space, id string) (entityForm, error) {
	var e graphEntity
	err := d.GraphQL(`query($space: ID!, $id: ID!) { entity(spaceId: $space, entityId: $id) { entityId type data } }`,
		map[string]any{"space": space, "id": id}, &e)
	return e.form(), err
}

func (d graphDoor) entities(space string, limit int, after string) (pageForm, error) {
	variables := map[string]any{"space": space, "first": limit}
	if after != "" {
		variables["after"] = after
	}
	var s struct {
		Entities struct {
			Nodes      []graphEntity
			TotalCount int
			PageInfo   struct {
				HasNextPage bool
				EndCursor   string
			}
		}
	}
	err := d.GraphQL(`query($space: ID!, $first: Int, $after: String) { space(id: $space) {
		entities(first: $first, after: $after) { nodes { entityId type data } totalCount pageInfo { hasNextPage endCursor } } } }`,
		variables, &s)
	form := pageForm{Total: s.Entities.TotalCount, More: s.Entities.PageInfo.HasNextPage}
	if form.More { // REST has a cursor only where a page follows
		form.Next = s.Entities.PageInfo.EndCursor
	}
	for _, e := range s.Entities.Nodes {
		form.Entities = append(form.Entities, e.form())
	}
	return form, err
}

func (d graphDoor) updateEntity(space, id, data string) (entityForm, error) {
	var e graphEntity
	err := d.GraphQL(`mutation($in: UpdateEntityInput!) { updateEntity(input: $in) { entity { entityId type data } } }`,
		input("spaceId", space, "entityId", id, "data", json.RawMessage(data)), &e)
	return e.form(), err
}

func (d graphDoor) deleteEntity(space, id string) error {
	return d.GraphQL(`mutation($space: ID!, $id: ID!) { deleteEntity(input: {spaceId: $space, entityId: $id}) { deletedEntityId } }`,
		map[string]any{"space": space, "id": id}, nil)
}
