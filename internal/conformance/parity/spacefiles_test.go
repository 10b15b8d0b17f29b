package parity

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// spaceFileRows returns the rows about spaces as files.
func spaceFileRows() []row {
	const table = `{"id":"table","type":"Thing","data":{"n":12345678901234567890}}`
	return []row{
		{"export space", func(p pair) (any, error) {
			hub := p.hub()
			p.must(p.create(hub, entityInput{ID: "chair", Data: `{"a":[1,"<&>"]}`}))
			return p.alice.exportSpace(hub)
		}},
		{"export space of another user", func(p pair) (any, error) { return p.bob.exportSpace(p.hub()) }},
		{"export space unknown", func(p pair) (any, error) { return p.alice.exportSpace("10000000_x") }},
		{"export space not signed in", func(p pair) (any, error) { return p.anonymous.exportSpace(p.hub()) }},
		{"apply changes", func(p pair) (any, error) {
			hub := p.hub()
			applied, err := p.alice.applyChanges(hub, "space/entities/table.json", table, model.EntityPath(model.StaticGateIDs[6]), false)
			p.must(applied, err)
			files, err := p.alice.exportSpace(hub)
			return []any{applied, files}, err
		}},
		{"apply changes as a dry run", func(p pair) (any, error) {
			hub := p.hub()
			applied, err := p.alice.applyChanges(hub, "space/entities/table.json", table, "", true)
			p.must(applied, err)
			page, err := p.alice.entities(hub, 50, "")
			return []any{applied, page}, err
		}},
		{"apply changes that change nothing", func(p pair) (any, error) {
			return p.alice.applyChanges(p.hub(), "space/room.json", "{}", "space/entities/none.json", false)
		}},
		{"apply changes to a plugin", func(p pair) (any, error) {
			return p.alice.applyChanges(p.hub(), "space/plugins/clock.mjs", "export default 1", "", false)
		}},
		{"apply changes that are wrong", func(p pair) (any, error) {
			return p.alice.applyChanges(p.hub(), "space/entities/table.json", "{", "space/../room.json", false)
		}},
		{"apply changes of another user", func(p pair) (any, error) {
			return p.bob.applyChanges(p.hub(), "space/entities/table.json", table, "", false)
		}},
		{"apply changes unknown", func(p pair) (any, error) {
			return p.alice.applyChanges("10000000_x", "space/entities/table.json", table, "", false)
		}},
	}
}

// exportedFiles are the files as GraphQL and MCP return them.
type exportedFiles struct{ Files []model.ExportedFile }

func (e exportedFiles) form() map[string]string {
	files := map[string]string{}
	for _, file := range e.Files {
		if file.Content != nil {
			files[file.Path] = *file.Content
		}
	}
	return files
}

func (d restDoor) exportSpace(id string) (map[string]string, error) {
	got := d.Call("POST", "/v1/spaces/"+url.PathEscape(id)+"/pull", nil)
	if got.Status >= 400 {
		var refusal struct{ Message string }
		check(d.T, json.Unmarshal(got.Body, &refusal))
		return nil, &api.Refusal{Code: map[int]model.Code{
			401: model.CodeUnauthenticated, 403: model.CodeForbidden, 404: model.CodeNotFound,
		}[got.Status], Message: refusal.Message}
	}
	archive, err := zip.NewReader(bytes.NewReader(got.Body), int64(len(got.Body)))
	check(d.T, err)
	files := map[string]string{}
	for _, entry := range archive.File {
		if entry.Name == ".materialize-manifest.json" {
			continue
		}
		reader, err := entry.Open()
		check(d.T, err)
		content, err := io.ReadAll(reader)
		check(d.T, err)
		files[entry.Name] = string(content)
	}
	return files, nil
}

func (d restDoor) applyChanges(id, path, content, deleted string, dryRun bool) ([]model.AppliedChange, error) {
	query := ""
	if dryRun {
		query = "?dryRun=1"
	}
	var result struct{ Applied []model.AppliedChange }
	_, err := d.REST("POST", "/spaces/"+url.PathEscape(id)+"/changeset"+query, changeSet(path, content, deleted), &result)
	return result.Applied, err
}

// changeSet returns a change set with one put, and one delete unless that is empty.
func changeSet(path, content, deleted string) map[string]any {
	set := map[string]any{"puts": []map[string]string{{"path": path, "content": content}}}
	if deleted != "" {
		set["deletes"] = []string{deleted}
	}
	return set
}

func (d graphDoor) exportSpace(id string) (map[string]string, error) {
	var export exportedFiles
	err := d.GraphQL(`query($id: ID!) { exportSpace(spaceId: $id) { files { path sha256 content url } } }`, map[string]any{"id": id}, &export)
	return export.form(), err
}

func (d graphDoor) applyChanges(id, path, content, deleted string, dryRun bool) ([]model.AppliedChange, error) {
	input := changeSet(path, content, deleted)
	input["spaceId"], input["dryRun"] = id, dryRun
	var result struct{ Applied []model.AppliedChange }
	err := d.GraphQL(`mutation($input: ApplyChangesInput!) { applyChanges(input: $input) { dryRun noChanges applied { op target } } }`,
		map[string]any{"input": input}, &result)
	return result.Applied, err
}

func (d mcpDoor) exportSpace(id string) (map[string]string, error) {
	var export exportedFiles
	err := d.Tool("export_space", map[string]any{"spaceId": id}, &export)
	return export.form(), err
}

func (d mcpDoor) applyChanges(id, path, content, deleted string, dryRun bool) ([]model.AppliedChange, error) {
	arguments := changeSet(path, content, deleted)
	arguments["spaceId"], arguments["dryRun"] = id, dryRun
	var result struct{ Applied []model.AppliedChange }
	err := d.Tool("apply_changes", arguments, &result)
	return result.Applied, err
}

// People correct all files of a folder at once, so each door names all of them.
func TestDoors_name_all_files_that_cannot_be_decoded(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	alice := newPair(t, p, 0, doors[0].open).files
	space := restDoorSpace(t, alice)
	const set = `{"spaceId":"%","puts":[{"path":"a","base64":true,"content":"?"},{"path":"b"}]}`
	const want = "a: The content is not base64; b: The file needs either its content or the key of an uploaded file"
	inSpace := strings.ReplaceAll(set, "%", space)
	for _, row := range []struct{ door, path, body string }{
		{"REST", "/v1/spaces/" + space + "/changeset", strings.ReplaceAll(set, `"base64":true`, `"encoding":"base64"`)},
		{"GraphQL", "/graphql", `{"query":"mutation($in: ApplyChangesInput!) { applyChanges(input: $in) { noChanges } }","variables":{"in":` + inSpace + `}}`},
		{"MCP", "/v1/mcp", rawTool("apply_changes", inSpace)},
	} {
		if got := raw(alice, "POST", row.path, row.body); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %q in it", row.door, got, want)
		}
	}
}
