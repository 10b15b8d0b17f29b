package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"portico/model"
)

// mcpDoor goes through /v1/mcp, as an agent does.
type mcpDoor struct{ *client }

// errNoTool is returned for an operation that agents do not have.
var errNoTool = errors.New("no tool does this")

// use calls a tool and reads its structured result, or its refusal.
func (d mcpDoor) use(tool string, arguments map[string]any, v any) error {
	d.t.Helper()
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
	})
	check(d.t, err)
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if d.key != "" {
		header.Set("Authorization", "Bearer "+d.key)
	}
	got := d.send("POST", d.url+"/v1/mcp", header, bytes.NewReader(message), int64(len(message)))
	if got.status == 401 {
		return d.refused(got)
	}
	var response struct {
		Result struct {
			IsError           bool
			Meta              struct{ Code model.Code } `json:"_meta"`
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	check(d.t, json.Unmarshal(got.body, &response))
	result := response.Result
	if len(result.Content) == 0 {
		d.t.Fatalf("%s: got %d %s, want a result", tool, got.status, got.body)
	}
	// A result with a code is a refusal; one without describes something that failed.
	if code := result.Meta.Code; code != "" {
		if !result.IsError || result.StructuredContent != nil {
			d.t.Errorf("%s: got %s, want an error without data", tool, got.body)
		}
		return &refusal{code, strings.TrimPrefix(result.Content[0].Text, string(code)+": ")}
	}
	if v != nil {
		check(d.t, json.Unmarshal(result.StructuredContent, v))
	}
	return nil
}

// refused reads the refusal of a request that the protocol was not reached by.
func (d mcpDoor) refused(got answer) error {
	d.t.Helper()
	var envelope struct{ Message string }
	check(d.t, json.Unmarshal(got.body, &envelope))
	return &refusal{restCode(got.status), envelope.Message}
}

func (d mcpDoor) viewer() (viewerForm, error) {
	var me struct {
		viewerForm
		Storage struct{ Used, Quota int64 }
	}
	err := d.use("get_user_info", nil, &me)
	me.Used, me.Quota = me.Storage.Used, me.Storage.Quota
	return me.viewerForm, err
}

// An agent sends a file with one call, or has the server fetch it.

func (mcpDoor) createUpload(string, int64) (uploadForm, error) { return uploadForm{}, errNoTool }

func (mcpDoor) completeUpload(string, string) (confirmationForm, error) {
	return confirmationForm{}, errNoTool
}

func (mcpDoor) files() ([]fileForm, error) { return nil, errNoTool }

func (d mcpDoor) upload(name, text string) (confirmationForm, error) {
	var upload struct {
		ResourceKey string `json:"resource_key"`
		URL         string
	}
	err := d.use("upload_text_file", map[string]any{"file_name": name, "file_text": text}, &upload)
	return confirmationForm{ResourceKey: upload.ResourceKey, URL: upload.URL}, err
}

func (d mcpDoor) job(id string) (jobForm, error) {
	var j restJob
	err := d.use("get_job", map[string]any{"job_id": id}, &j)
	return j.form(), err
}

func (d mcpDoor) jobs() ([]jobForm, error) {
	var list struct{ Jobs []restJob }
	err := d.use("list_jobs", nil, &list)
	return forms(list.Jobs), err
}

// createSpace reads the space again, as REST must.
func (d mcpDoor) createSpace(in spaceInput) (spaceForm, error) {
	fields := set(map[string]string{
		"title": in.Title, "description": in.Description, "resource_key": in.ResourceKey, "space_type": in.Type,
	})
	var s struct{ SpaceID string }
	if err := d.use("create_space", fields, &s); err != nil {
		return spaceForm{}, err
	}
	return d.space(s.SpaceID)
}

func (d mcpDoor) space(id string) (spaceForm, error) {
	var s restSpace
	err := d.use("get_space", map[string]any{"spaceId": id}, &s)
	return s.form(), err
}

func (d mcpDoor) spaces(search string) ([]spaceForm, error) {
	var page struct{ Spaces []restSpace }
	err := d.use("list_spaces", map[string]any{"search": search}, &page)
	spaces := []spaceForm{}
	for _, s := range page.Spaces {
		spaces = append(spaces, s.form())
	}
	return spaces, err
}

func (d mcpDoor) updateSpace(id, title, description string) (spaceForm, error) {
	var s restSpace
	err := d.use("update_space", map[string]any{"spaceId": id, "title": title, "description": description}, &s)
	return s.form(), err
}

func (d mcpDoor) updatePrivacy(id string, privacy model.Privacy) error {
	return d.use("update_space_privacy", map[string]any{"spaceId": id, "roomPrivacy": privacy}, nil)
}

func (d mcpDoor) deleteSpace(id string) error {
	return d.use("delete_space", map[string]any{"spaceId": id}, nil)
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
	err := d.use("create_entity", fields, &e)
	return e.form(), e.Created, err
}

func (d mcpDoor) entity(space, id string) (entityForm, error) {
	var e restEntity
	err := d.use("get_entity", map[string]any{"spaceId": space, "entity_id": id}, &e)
	return e.form(), err
}

func (d mcpDoor) entities(space string, limit int, after string) (pageForm, error) {
	arguments := map[string]any{"spaceId": space, "limit": limit}
	if after != "" {
		arguments["cursor"] = after
	}
	var page restPage
	err := d.use("list_entities", arguments, &page)
	return page.form(), err
}

func (d mcpDoor) updateEntity(space, id, data string) (entityForm, error) {
	var e restEntity
	err := d.use("update_entity",
		map[string]any{"spaceId": space, "entity_id": id, "entity_data": json.RawMessage(data)}, &e)
	return e.form(), err
}

func (d mcpDoor) deleteEntity(space, id string) error {
	return d.use("delete_entity", map[string]any{"spaceId": space, "entity_id": id}, nil)
}
