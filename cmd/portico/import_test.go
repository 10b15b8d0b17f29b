package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"portico/cmd/portico/transfer"
	"portico/db"
	"portico/splat/splattest"
)

// An account is exported, deleted and imported again: the same files, the same spaces.
func TestImport_makes_an_exported_account_again(t *testing.T) {
	t.Parallel()
	e := accountToExport(t)
	e.download()
	testImportRefusals(t, e)
	byOperator := filepath.Join(t.TempDir(), "operator.zip")
	if out, errs, code := runCommand(t, e.server.dir, e.server.settings, "export", "--user", "ada@example.com", byOperator); code != 0 {
		t.Fatalf("export: got %q, %q, %d", out, errs, code)
	}
	spaces := map[string]map[string]string{e.space: e.pulledFiles(e.space), e.other: e.pulledFiles(e.other)}
	bytesOf := map[string]string{}
	for _, entity := range []string{"picture", "lamp", "clock", "cup"} {
		bytesOf[entity] = e.shownContent(e.space, entity)
	}

	database, err := db.Open(t.Context(), db.Options{URL: e.address})
	check(t, err)
	t.Cleanup(func() { check(t, database.Close()) })
	check(t, database.Accounts().DeleteUser(t.Context(), e.ID, func() error { return nil }))
	for _, archive := range []string{e.zip, byOperator} {
		again := *e
		again.user = e.server.newUser(t, filepath.Base(archive)+"@example.com", "--pro")
		out, errs, code := runCommand(t, e.server.dir, again.env(), "import", archive, "--json")
		var result struct{ Result transfer.ImportResult }
		if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || json.Unmarshal([]byte(lines[len(lines)-1]), &result) != nil {
			t.Fatalf("import: got %q, %q, %d", out, errs, code)
		}
		if got := result.Result; got.Files != 3 || got.Spaces != 2 || len(got.Notes) != 0 {
			t.Errorf("result: got %+v, want 3 files, 2 spaces and no notes", got)
		}
		for old, want := range spaces {
			compareFiles(t, again.pulledFiles(result.Result.SpaceIDs[old]), want)
		}
		for entity, want := range bytesOf {
			if got := again.shownContent(result.Result.SpaceIDs[e.space], entity); got != want {
				t.Errorf("bytes of %s: got %q, want %q", entity, got, want)
			}
		}
		again.checkSettings(result.Result.SpaceIDs)
	}
}

// compareFiles compares the files of a space before and after.
func compareFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s: got %s, want %s", name, got[name], content)
		}
	}
	if len(got) != len(want) {
		t.Errorf("files: got %d, want %d", len(got), len(want))
	}
}

// checkSettings checks what is not in the files of a space.
func (e *exported) checkSettings(ids map[string]string) {
	e.t.Helper()
	var space struct {
		Title, Privacy, Home, Custom string
	}
	e.Call("GET", "/v1/spaces/"+ids[e.space], nil).Want(200, &space)
	if space.Title != "Hub" || space.Home != ids[e.other] {
		e.t.Errorf("hub: got %+v, want its title and the new id of the other space", space)
	}
	e.Call("GET", "/v1/spaces/"+ids[e.other], nil).Want(200, &space)
	if space.Custom != "kept" || space.Privacy != "Link Only" {
		e.t.Errorf("other space: got %+v, want its field and its privacy", space)
	}
	var door struct {
		Data struct{ Link string } `json:"entity_data"`
	}
	e.Call("GET", "/v1/spaces/"+ids[e.space]+"/entities/door", nil).Want(200, &door)
	if want := "custom.travel.center." + ids[e.other]; door.Data.Link != want {
		e.t.Errorf("door: got the link %q, want %q", door.Data.Link, want)
	}
	var sign struct {
		Data json.RawMessage `json:"entity_data"`
	}
	e.Call("GET", "/v1/spaces/"+ids[e.space]+"/entities/sign", nil).Want(200, &sign)
	if string(sign.Data) != literalTokens {
		e.t.Errorf("sign: got %s, want %s", sign.Data, literalTokens)
	}
	var me struct {
		Name    string
		Avatars []struct {
			OriginalName string
			Assigned     bool
			Splat        struct{ Name string }
		}
	}
	check(e.t, e.GraphQL(`{ viewer { name avatars { originalName assigned splat { name } } } }`, nil, &me))
	if me.Name != "Ada" {
		e.t.Errorf("name: got %q, want Ada", me.Name)
	}
	if len(me.Avatars) != 1 || me.Avatars[0].OriginalName != "Ada in blue" || !me.Avatars[0].Assigned || me.Avatars[0].Splat.Name != "person.spz" {
		e.t.Errorf("avatars: got %+v, want the assigned one with its files", me.Avatars)
	}
}

// changedZip returns the archive with one of its files changed, added or, for nil, removed.
func changedZip(t *testing.T, archive, name string, content []byte) string {
	t.Helper()
	reader, err := zip.OpenReader(archive)
	check(t, err)
	defer reader.Close()
	var b bytes.Buffer
	writer := zip.NewWriter(&b)
	for _, entry := range reader.File {
		if entry.Name != name {
			check(t, writer.Copy(entry))
		}
	}
	if content != nil {
		entry, err := writer.Create(name)
		check(t, err)
		_, err = entry.Write(content)
		check(t, err)
	}
	check(t, writer.Close())
	changed := filepath.Join(t.TempDir(), "changed.zip")
	check(t, os.WriteFile(changed, b.Bytes(), 0o600))
	return changed
}

// testImportRefusals checks that a hostile or damaged archive does nothing, and neither does one
// that the account has no room for.
func testImportRefusals(t *testing.T, e *exported) {
	t.Helper()
	escaping := changedZip(t, e.zip, "../evil", []byte("evil"))
	archives := map[string]string{
		"another file":        changedZip(t, e.zip, "files/extra.txt", []byte("extra")),
		"a changed file":      changedZip(t, e.zip, "account.json", []byte("{}")),
		"a removed file":      changedZip(t, e.zip, "spaces.json", nil),
		"no manifest":         changedZip(t, e.zip, "manifest.json", nil),
		"a newer version":     changedZip(t, e.zip, "manifest.json", []byte(`{"format":"portico-export","version":2}`)),
		"another format":      changedZip(t, e.zip, "manifest.json", []byte(`{"format":"other","version":1}`)),
		"a path that escapes": escaping,
	}
	for _, hostile := range splattest.HostileZips() {
		name := filepath.Join(t.TempDir(), "hostile.zip")
		check(t, os.WriteFile(name, hostile.Zip, 0o600))
		archives[hostile.Name] = name
	}
	var requests atomic.Int64
	unused := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(unused.Close)
	for name, archive := range archives {
		_, errs, code := runCommand(t, e.server.dir, []string{"PORTICO_URL=" + unused.URL, "PORTICO_KEY=k"}, "import", archive)
		if code == 0 || errs == "" || requests.Load() > 0 {
			t.Errorf("%s: got %q, %d and %d requests, want it refused before anything is sent", name, errs, code, requests.Load())
		}
	}
	poor := *e
	poor.user = e.server.newUser(t, "poor@example.com", "--quota", "2KB")
	for archive, want := range map[string]string{escaping: "leads outside the archive", e.zip: "more than the account has free"} {
		if _, errs, code := runCommand(t, e.server.dir, poor.env(), "import", archive); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("import: got %q, %d, want %q", errs, code, want)
		}
	}
	poor.AwaitUsed(0)
}
