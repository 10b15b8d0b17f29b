package parity

import (
	"encoding/json"
	"errors"
	"strings"

	"portico/internal/testkit/api"
	"portico/model"
)

// mcpDoor uses /v1/mcp, as an agent does.
type mcpDoor struct{ *api.Client }

// errNoOperation is returned for the operations that doors lists as missing.
var errNoOperation = errors.New("the door does not have the operation")

func (d mcpDoor) viewer() (viewerForm, error) {
	var me struct {
		viewerForm
		Storage struct{ Used, Quota int64 }
	}
	err := d.Tool("get_user_info", nil, &me)
	me.Used, me.Quota = me.Storage.Used, me.Storage.Quota
	return me.viewerForm, err
}

func (mcpDoor) createUpload(string, int64) (uploadForm, error) { return uploadForm{}, errNoOperation }

func (mcpDoor) completeUpload(string, string) (confirmationForm, error) {
	return confirmationForm{}, errNoOperation
}

func (mcpDoor) files() ([]fileForm, error) { return nil, errNoOperation }

func (d mcpDoor) upload(name, text string) (confirmationForm, error) {
	var upload struct {
		ResourceKey string `json:"resource_key"`
		URL         string
	}
	err := d.Tool("upload_text_file", map[string]any{"file_name": name, "file_text": text}, &upload)
	if refused, ok := errors.AsType[*api.Refusal](err); ok { // the tool has a text, and no size
		refused.Message = strings.Replace(refused.Message, "file_text is over", "file_size is over", 1)
	}
	return confirmationForm{ResourceKey: upload.ResourceKey, URL: upload.URL}, err
}

func (d mcpDoor) deleteFile(string) error { return errNoOperation }

func (mcpDoor) createAvatar(avatarInput) (avatarForm, error) { return avatarForm{}, errNoOperation }

func (mcpDoor) avatars() ([]avatarForm, error) { return nil, errNoOperation }

func (mcpDoor) deleteAvatar(string) error { return errNoOperation }

func (d mcpDoor) convertFile(resourceKey, to string) (string, error) {
	var started struct {
		JobID string `json:"job_id"`
	}
	err := d.Tool("convert_file", map[string]any{"resource_key": resourceKey, "to": to}, &started)
	return started.JobID, err
}

func (d mcpDoor) job(id string) (jobForm, error) {
	var j restJob
	err := d.Tool("get_job", map[string]any{"job_id": id}, &j)
	return j.form(), err
}

func (d mcpDoor) jobs() ([]jobForm, error) {
	var list struct{ Jobs []restJob }
	err := d.Tool("list_jobs", nil, &list)
	return forms(list.Jobs), err
}

// createSpace reads the space again, as the door of REST does.
func (d mcpDoor) createSpace(in spaceInput) (spaceForm, error) {
	fields := set(map[string]string{
		"title": in.Title, "description": in.Description, "resource_key": in.ResourceKey, "space_type": in.Type,
	})
	var s struct{ SpaceID string }
	if err := d.Tool("create_space", fields, &s); err != nil {
		return spaceForm{}, err
	}
	return d.space(s.SpaceID)
}

func (d mcpDoor) space(id string) (spaceForm, error) {
	var s restSpace
	err := d.Tool("get_space", map[string]any{"spaceId": id}, &s)
	return s.form(), err
}

func (d mcpDoor) spaces(search string) ([]spaceForm, error) {
	var page struct{ Spaces []restSpace }
	err := d.Tool("list_spaces", map[string]any{"search": search}, &page)
	spaces := []spaceForm{}
	for _, s := range page.Spaces {
		spaces = append(spaces, s.form())
	}
	return spaces, err
}

func (d mcpDoor) updateSpace(id, title, description string) (spaceForm, error) {
	var s restSpace
	err := d.Tool("update_space", map[string]any{"spaceId": id, "title": title, "description": description}, &s)
	return s.form(), err
}

func (d mcpDoor) updatePrivacy(id string, privacy model.Privacy) error {
	return d.Tool("update_space_privacy", map[string]any{"spaceId": id, "roomPrivacy": privacy}, nil)
}

func (d mcpDoor) deleteSpace(id string) error {
	return d.Tool("delete_space", map[string]any{"spaceId": id}, nil)
}

func (d mcpDoor) createEntity(space string, in entityInput) (entityForm, bool, error) {
	fields := set(map[string]string{
		"spaceId": space, "resource_key": in.ResourceKey, "entity_id": in.ID, "entity_type": in.Type,
	})
	if in.Data != "" {
		fields["entity_data"] = json.RawMessage(in.Data)
	}
	var e struct {
		restEntity
		Created bool
	}
	err := d.Tool("create_entity", fields, &e)
	return e.form(), e.Created, err
}

func (d mcpDoor) entity(space, id string) (entityForm, error) {
	var e restEntity
	err := d.Tool("get_entity", map[string]any{"spaceId": space, "entity_id": id}, &e)
	return e.form(), err
}

func (d mcpDoor) entities(space string, limit int, after string) (pageForm, error) {
	arguments := map[string]any{"spaceId": space, "limit": limit}
	if after != "" {
		arguments["cursor"] = after
	}
	var page restPage
	err := d.Tool("list_entities", arguments, &page)
	return page.form(), err
}

func (d mcpDoor) updateEntity(space, id, data string) (entityForm, error) {
	var e restEntity
	err := d.Tool("update_entity",
		map[string]any{"spaceId": space, "entity_id": id, "entity_data": json.RawMessage(data)}, &e)
	return e.form(), err
}

func (d mcpDoor) deleteEntity(space, id string) error {
	return d.Tool("delete_entity", map[string]any{"spaceId": space, "entity_id": id}, nil)
}
