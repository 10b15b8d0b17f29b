package main

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// The test makes spaces and entities through every door from files that cannot
// be viewed, and from one that can.
func TestWarnings_are_the_same_at_every_door(t *testing.T) {
	t.Parallel()
	p := world.Start(t, "--workers=1")
	alice := newCaller(t, p, "alice@example.com")
	space := alice.newSpace()
	job := alice.Await(alice.StartJob("papers.zip", plainZip(t)))
	if want := "Completed. " + model.WarningWholeZip; job.Message != want {
		t.Errorf("message of the job: got %q, want %q", job.Message, want)
	}
	damaged := alice.upload("room.ply", "ply\nformat ascii 1.0\nelement vertex 5\n")
	alice.file(damaged, "the file has facts", func(f storedFile) bool { return f.Facts != nil })
	var looked struct{ Facts model.FileFacts }
	check(t, alice.Tool("get_file", map[string]any{"resource_key": damaged}, &looked))
	if looked.Facts.Fault == "" {
		t.Fatalf("facts of a damaged file: got %+v, want a fault", looked.Facts)
	}
	sound := alice.upload("room.json", "{}")
	for _, row := range []struct{ name, key, want string }{
		{"zip", job.Result.ResourceKey, model.WarningWholeZip},
		{"damaged", damaged, "The file is damaged and may not be viewable: " + looked.Facts.Fault},
		{"sound", sound, ""},
	} {
		for door, warning := range warningsOf(t, alice, space, row.key) {
			got := ""
			if warning != nil {
				got = *warning
			}
			if got != row.want {
				t.Errorf("%s of a %s file: got the warning %q, want %q", door, row.name, got, row.want)
			}
		}
	}
	if got := string(alice.Call("POST", "/v1/spaces", map[string]any{"resource_key": sound}).Body); strings.Contains(got, "warning") {
		t.Errorf("response for a sound file: got %s, want no warning in it", got)
	}
}

// warningsOf returns what each way to make a space or an entity says of the file.
func warningsOf(t *testing.T, c *user, space, key string) map[string]*string {
	t.Helper()
	type warned struct{ Warning *string }
	var bare, wrapped, entity, graphSpace, graphEntity, toolSpace, toolEntity warned
	with := map[string]any{"resource_key": key}
	_, err := c.REST("POST", "/spaces", with, &bare)
	check(t, err)
	_, err = c.REST("POST", "/user/create-space", map[string]any{"space_data": with}, &wrapped)
	check(t, err)
	_, err = c.REST("POST", "/spaces/"+space+"/entities", with, &entity)
	check(t, err)
	check(t, c.GraphQL(`mutation($in: CreateSpaceInput!) { createSpace(input: $in) { warning } }`, map[string]any{"in": map[string]any{"fileId": key}}, &graphSpace))
	check(t, c.GraphQL(`mutation($in: CreateEntityInput!) { createEntity(input: $in) { warning } }`,
		map[string]any{"in": map[string]any{"spaceId": space, "fileId": key}}, &graphEntity))
	check(t, c.Tool("create_space", with, &toolSpace))
	check(t, c.Tool("create_entity", map[string]any{"spaceId": space, "resource_key": key}, &toolEntity))
	return map[string]*string{
		"POST /spaces": bare.Warning, "POST /user/create-space": wrapped.Warning, "POST entities": entity.Warning,
		"createSpace": graphSpace.Warning, "createEntity": graphEntity.Warning,
		"create_space": toolSpace.Warning, "create_entity": toolEntity.Warning,
	}
}

// plainZip is an archive of something else than a capture.
func plainZip(t *testing.T) api.Content {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	file, err := archive.Create("letter.txt")
	check(t, err)
	_, err = file.Write([]byte("Dear Ada"))
	check(t, err)
	check(t, archive.Close())
	return api.Content{Size: int64(b.Len()), Source: &b}
}

// upload uploads a text as a file and returns its resource key.
func (c *user) upload(name, text string) string {
	c.T.Helper()
	var file struct {
		ResourceKey string `json:"resource_key"`
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(c.Put(name, api.Text(text)))).Want(200, &file)
	return file.ResourceKey
}

func (c *user) newSpace() string {
	c.T.Helper()
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]any{"title": "Room"}).Want(201, &space)
	return space.SpaceID
}
