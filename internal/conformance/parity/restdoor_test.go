package parity

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"portico/internal/testkit/api"
	"portico/model"
)

// restDoor uses /v1.
type restDoor struct{ *api.Client }

func (d restDoor) viewer() (viewerForm, error) {
	var me struct {
		ID, Name, Email, Plan string
		Storage               struct{ Used, Quota int64 }
	}
	_, err := d.REST("GET", "/user/me", nil, &me)
	return viewerForm{me.ID, me.Name, me.Email, me.Plan, me.Storage.Used, me.Storage.Quota}, err
}

func (d restDoor) createUpload(name string, size int64) (uploadForm, error) {
	var upload struct{ Params uploadForm }
	_, err := d.REST("POST", "/files/upload", map[string]any{
		"file_name": name, "file_size": size, "content_type": "application/octet-stream",
	}, &upload)
	return upload.Params, err
}

func (d restDoor) completeUpload(status, address string) (confirmationForm, error) {
	var c struct {
		JobID       string `json:"job_id"`
		ResourceKey string `json:"resource_key"`
		URL         string
	}
	body := api.Completion(address)
	body["status"] = status
	got := d.Call("POST", "/v1/files/upload-complete", body)
	if got.Status == 200 && !strings.Contains(string(got.Body), `"data"`) {
		return confirmationForm{}, nil // the upload was discarded
	}
	_, err := d.REST("POST", "/files/upload-complete", body, &c) // again, with the same response
	return confirmationForm{c.JobID, c.ResourceKey, c.URL}, err
}

func (d restDoor) upload(name, text string) (confirmationForm, error) {
	return uploadOf(d, d.Client, name, text)
}

func (d restDoor) files() ([]fileForm, error) {
	var page struct {
		Files []struct {
			ResourceKey string `json:"resource_key"`
			FileName    string `json:"file_name"`
			FileSize    int64  `json:"file_size"`
			ContentType string `json:"content_type"`
			URL         string
		}
	}
	_, err := d.REST("GET", "/files", nil, &page)
	files := []fileForm{}
	for _, f := range page.Files {
		files = append(files, fileForm{f.ResourceKey, f.FileName, f.ContentType, f.URL, f.FileSize})
	}
	return files, err
}

// restJob is a job as these routes return it, alone or in a list.
type restJob struct {
	api.Job
	JobID string `json:"job_id"`
	Type  string
}

func (j restJob) form() jobForm {
	form := jobForm{ID: j.JobID, Type: j.Type, Status: j.Status, Progress: j.Progress}
	if j.Result != nil {
		form.ResourceKey, form.URL = j.Result.ResourceKey, j.Result.URL
	}
	if j.Error != nil {
		form.Error = *j.Error
	}
	return form
}

func forms(list []restJob) []jobForm {
	jobs := []jobForm{}
	for _, j := range list {
		jobs = append(jobs, j.form())
	}
	return jobs
}

func (d restDoor) deleteFile(resourceKey string) error {
	_, err := d.REST("DELETE", "/files?resource_key="+url.QueryEscape(resourceKey), nil, nil)
	return err
}

func (d restDoor) createAvatar(in avatarInput) (avatar avatarForm, err error) {
	_, err = d.REST("POST", "/avatars/splat", in, &avatar)
	return avatar, err
}

func (d restDoor) avatars() ([]avatarForm, error) {
	var list struct{ Avatars []avatarForm }
	_, err := d.REST("GET", "/avatars", nil, &list)
	return list.Avatars, err
}

func (d restDoor) deleteAvatar(id string) error {
	_, err := d.REST("DELETE", "/avatars/"+url.PathEscape(id), nil, nil)
	return err
}

func (restDoor) convertFile(string, string) (string, error) { return "", errNoOperation }

func (d restDoor) job(id string) (jobForm, error) {
	var j restJob
	_, err := d.REST("GET", "/jobs/"+url.PathEscape(id), nil, &j)
	return j.form(), err
}

func (d restDoor) jobs() ([]jobForm, error) {
	var list struct{ Jobs []restJob }
	_, err := d.REST("GET", "/jobs", nil, &list)
	return forms(list.Jobs), err
}

// restSpace is a space as these routes return it.
type restSpace struct {
	ID, SpaceID, Title, Description, Privacy string
	SpaceType                                string `json:"space_type"`
	SpaceURL                                 string `json:"space_url"`
}

func (s restSpace) form() spaceForm {
	return spaceForm{s.ID, s.SpaceURL, s.Title, s.Description, s.SpaceType, string(model.ParsePrivacy(s.Privacy))}
}

// createSpace reads the space again: the response to its creation has less.
func (d restDoor) createSpace(in spaceInput) (spaceForm, error) {
	var s restSpace
	_, err := d.REST("POST", "/user/create-space", map[string]any{"space_data": set(map[string]string{
		"title": in.Title, "description": in.Description, "resource_key": in.ResourceKey, "space_type": in.Type,
	})}, &s)
	if err != nil {
		return spaceForm{}, err
	}
	return d.space(s.SpaceURL[strings.LastIndex(s.SpaceURL, "/")+1:])
}

func (d restDoor) space(id string) (spaceForm, error) {
	var s restSpace
	_, err := d.REST("GET", "/spaces/"+url.PathEscape(id), nil, &s)
	return s.form(), err
}

func (d restDoor) spaces(search string) ([]spaceForm, error) {
	var page struct{ Spaces []restSpace }
	_, err := d.REST("GET", "/spaces?search="+url.QueryEscape(search), nil, &page)
	spaces := []spaceForm{}
	for _, s := range page.Spaces {
		spaces = append(spaces, s.form())
	}
	return spaces, err
}

func (d restDoor) updateSpace(id, title, description string) (spaceForm, error) {
	var s restSpace
	_, err := d.REST("PUT", "/spaces/"+url.PathEscape(id), map[string]string{"title": title, "description": description}, &s)
	return s.form(), err
}

func (d restDoor) updatePrivacy(id string, privacy model.Privacy) error {
	_, err := d.REST("POST", "/spaces/update-privacy", map[string]string{"spaceId": id, "roomPrivacy": string(privacy)}, nil)
	return err
}

func (d restDoor) deleteSpace(id string) error {
	_, err := d.REST("DELETE", "/spaces/"+url.PathEscape(id), nil, nil)
	return err
}

// restEntity is an entity as these routes return it.
type restEntity struct {
	EntityID   string          `json:"entity_id"`
	EntityType string          `json:"entity_type"`
	EntityData json.RawMessage `json:"entity_data"`
}

func (e restEntity) form() entityForm { return entityForm{e.EntityID, e.EntityType, e.EntityData} }

type restPage struct {
	Entities   []restEntity
	Total      int
	HasMore    bool
	NextCursor string
}

func (p restPage) form() pageForm {
	form := pageForm{Total: p.Total, More: p.HasMore, Next: p.NextCursor}
	for _, e := range p.Entities {
		form.Entities = append(form.Entities, e.form())
	}
	return form
}

func (d restDoor) createEntity(space string, in entityInput) (entityForm, bool, error) {
	body := set(map[string]string{"resource_key": in.ResourceKey, "entity_id": in.ID, "entity_type": in.Type})
	if in.Data != "" {
		body["entity_data"] = json.RawMessage(in.Data)
	}
	var e restEntity
	status, err := d.REST("POST", "/spaces/"+url.PathEscape(space)+"/entities", body, &e)
	return e.form(), status == 201, err
}

func (d restDoor) entity(space, id string) (entityForm, error) {
	var e restEntity
	_, err := d.REST("GET", "/spaces/"+url.PathEscape(space)+"/entities/"+url.PathEscape(id), nil, &e)
	return e.form(), err
}

func (d restDoor) entities(space string, limit int, after string) (pageForm, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if after != "" {
		query.Set("cursor", after)
	}
	var page restPage
	_, err := d.REST("GET", "/spaces/"+url.PathEscape(space)+"/entities?"+query.Encode(), nil, &page)
	return page.form(), err
}

func (d restDoor) updateEntity(space, id, data string) (entityForm, error) {
	var e restEntity
	_, err := d.REST("PUT", "/spaces/"+url.PathEscape(space)+"/entities/"+url.PathEscape(id),
		map[string]any{"entity_data": json.RawMessage(data)}, &e)
	return e.form(), err
}

func (d restDoor) deleteEntity(space, id string) error {
	_, err := d.REST("DELETE", "/spaces/"+url.PathEscape(space)+"/entities/"+url.PathEscape(id), nil, nil)
	return err
}
