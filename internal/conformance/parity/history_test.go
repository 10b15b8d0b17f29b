package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"

	"portico/model"
)

// versionForm is a version without its door and its times.
type versionForm struct {
	Number                    int
	Name                      string
	IsChangeSet               bool
	Restored                  int
	Created, Updated, Deleted int
}

// changeForm is a difference between two versions.
type changeForm struct{ Target, BeforeType, Before, AfterType, After string }

// historyRows returns the rows about the versions of spaces.
func historyRows() []row {
	const table = `{"id":"table","type":"Thing","data":{"n":12345678901234567890}}`
	changed := func(p pair) string {
		hub := p.hub()
		p.must(p.alice.applyChanges(hub, "space/entities/table.json", table, "", false))
		p.must(p.alice.applyChanges(hub, "space/room.json", `{"a":1}`, "space/entities/table.json", false))
		return hub
	}
	return []row{
		{"versions", func(p pair) (any, error) { return p.alice.versions(changed(p)) }},
		{"versions of a new space", func(p pair) (any, error) { return p.alice.versions(p.hub()) }},
		{"versions of another user", func(p pair) (any, error) { return p.bob.versions(p.hub()) }},
		{"versions unknown", func(p pair) (any, error) { return p.alice.versions("10000000_x") }},
		{"version changes", func(p pair) (any, error) { return p.alice.versionChanges(changed(p), 0, 2) }},
		{"version changes by one version", func(p pair) (any, error) { return p.alice.versionChanges(changed(p), 1, 2) }},
		{"version changes backwards", func(p pair) (any, error) { return p.alice.versionChanges(changed(p), 2, 1) }},
		{"version changes from a negative version", func(p pair) (any, error) { return p.alice.versionChanges(changed(p), -1, 2) }},
		{"version changes with no version", func(p pair) (any, error) { return p.alice.versionChanges(changed(p), 0, 9) }},
		{"name version", func(p pair) (any, error) { return p.alice.nameVersion(nameable(p, changed(p)), 2, "Done") }},
		{"name version with no version", func(p pair) (any, error) { return p.alice.nameVersion(p.hub(), 1, "Done") }},
		{"restore version", func(p pair) (any, error) {
			hub := changed(p)
			applied, err := p.alice.restoreVersion(hub, 1)
			p.must(applied, err)
			versions, err := p.alice.versions(hub)
			return []any{applied, versions}, err
		}},
		{"restore version to no version", func(p pair) (any, error) { return p.alice.restoreVersion(p.hub(), 1) }},
		{"restore version by another user", func(p pair) (any, error) { return p.bob.restoreVersion(changed(p), 1) }},
	}
}

// nameable returns the space once its versions are recorded.
func nameable(p pair, space string) string {
	p.must(p.alice.versions(space))
	return space
}

// restVersion is a version as REST and MCP return it.
type restVersion struct {
	Number                    int
	Name                      string
	IsChangeSet               bool `json:"is_change_set"`
	Restored                  int  `json:"restored_number"`
	Created, Updated, Deleted int
}

// restChange is a difference as REST and MCP return it.
type restChange struct {
	Target     string
	BeforeType string `json:"before_type"`
	Before     json.RawMessage
	AfterType  string `json:"after_type"`
	After      json.RawMessage
}

type restVersions struct{ Versions []restVersion }

func (r restVersions) forms() []versionForm {
	forms := []versionForm{}
	for _, v := range r.Versions {
		forms = append(forms, versionForm(v))
	}
	return forms
}

type restChanges struct{ Changes []restChange }

func (r restChanges) forms() []changeForm {
	forms := []changeForm{}
	for _, c := range r.Changes {
		forms = append(forms, changeForm{c.Target, c.BeforeType, plain(c.Before), c.AfterType, plain(c.After)})
	}
	return forms
}

// plain returns JSON without spaces.
func plain(data json.RawMessage) string {
	var b bytes.Buffer
	if len(data) == 0 || json.Compact(&b, data) != nil {
		return "null"
	}
	return b.String()
}

func versionPath(space string, number int) string {
	return fmt.Sprintf("/spaces/%s/versions/%d", url.PathEscape(space), number)
}

func (d restDoor) versions(space string) ([]versionForm, error) {
	var got restVersions
	_, err := d.REST("GET", "/spaces/"+url.PathEscape(space)+"/versions", nil, &got)
	return got.forms(), err
}

func (d restDoor) versionChanges(space string, from, to int) ([]changeForm, error) {
	var got restChanges
	_, err := d.REST("GET", fmt.Sprintf("%s/changes?from=%d", versionPath(space, to), from), nil, &got)
	return got.forms(), err
}

func (d restDoor) nameVersion(space string, number int, name string) (versionForm, error) {
	var got restVersion
	_, err := d.REST("PUT", versionPath(space, number), map[string]any{"name": name}, &got)
	return versionForm(got), err
}

func (d restDoor) restoreVersion(space string, number int) ([]model.AppliedChange, error) {
	var got struct{ Applied []model.AppliedChange }
	_, err := d.REST("POST", versionPath(space, number)+"/restore", nil, &got)
	return got.Applied, err
}

const versionFields = "number name isChangeSet restored: restoredNumber created updated deleted"

func (d graphDoor) versions(space string) ([]versionForm, error) {
	var got struct{ Nodes []versionForm }
	err := d.GraphQL(`query($id: ID!) { spaceVersions(spaceId: $id) { nodes { `+versionFields+` } } }`, map[string]any{"id": space}, &got)
	return got.Nodes, err
}

func (d graphDoor) versionChanges(space string, from, to int) ([]changeForm, error) {
	var got struct{ Changes []restChange }
	err := d.GraphQL(`query($id: ID!, $from: Int, $to: Int!) { spaceChanges(spaceId: $id, from: $from, to: $to) {
		changes: nodes { target before_type: beforeType before after_type: afterType after } totalCount } }`,
		map[string]any{"id": space, "from": from, "to": to}, &got)
	return restChanges{got.Changes}.forms(), err
}

func (d graphDoor) nameVersion(space string, number int, name string) (versionForm, error) {
	var got versionForm
	err := d.GraphQL(`mutation($in: NameVersionInput!) { nameVersion(input: $in) { version { `+versionFields+` } } }`,
		map[string]any{"in": map[string]any{"spaceId": space, "number": number, "name": name}}, &got)
	return got, err
}

func (d graphDoor) restoreVersion(space string, number int) ([]model.AppliedChange, error) {
	var got struct{ Applied []model.AppliedChange }
	err := d.GraphQL(`mutation($in: RestoreVersionInput!) { restoreVersion(input: $in) { noChanges applied { op target } } }`,
		map[string]any{"in": map[string]any{"spaceId": space, "number": number}}, &got)
	return got.Applied, err
}

func (d mcpDoor) versions(space string) ([]versionForm, error) {
	var got restVersions
	err := d.Tool("list_versions", map[string]any{"spaceId": space}, &got)
	return got.forms(), err
}

func (d mcpDoor) versionChanges(space string, from, to int) ([]changeForm, error) {
	var got restChanges
	err := d.Tool("compare_versions", map[string]any{"spaceId": space, "from": from, "number": to}, &got)
	return got.forms(), err
}

func (d mcpDoor) nameVersion(space string, number int, name string) (versionForm, error) {
	var got restVersion
	err := d.Tool("name_version", map[string]any{"spaceId": space, "number": number, "name": name}, &got)
	return versionForm(got), err
}

func (d mcpDoor) restoreVersion(space string, number int) ([]model.AppliedChange, error) {
	var got struct{ Applied []model.AppliedChange }
	err := d.Tool("restore_version", map[string]any{"spaceId": space, "number": number}, &got)
	return got.Applied, err
}
