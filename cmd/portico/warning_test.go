package main

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"portico/model"
)

// TestWarnings makes spaces and entities through every door from files that cannot
// be viewed, and from one that can.
func TestWarnings(t *testing.T) {
	t.Parallel()
	p := runProgram(t)
	alice := newPair(t, p, 0, doors[0].open).files
	space := restDoorSpace(t, alice)
	job := alice.await(alice.startJob("papers.zip", plainZip(t)))
	if want := "Completed. " + model.WarningWholeZip; job.Message != want {
		t.Errorf("message of the job: got %q, want %q", job.Message, want)
	}
	damaged, err := restDoor{alice}.upload("room.ply", "ply\nformat ascii 1.0\nelement vertex 5\n")
	check(t, err)
	alice.file(damaged.ResourceKey, "the file has facts", func(f storedFile) bool { return f.Facts != nil })
	var looked struct{ Facts model.FileFacts }
	check(t, mcpDoor{alice}.use("get_file", map[string]any{"resource_key": damaged.ResourceKey}, &looked))
	if looked.Facts.Fault == "" {
		t.Fatalf("facts of a damaged file: got %+v, want a fault", looked.Facts)
	}
	sound, err := restDoor{alice}.upload("room.json", "{}")
	check(t, err)
	for _, row := range []struct{ name, key, want string }{
		{"zip", job.Result.ResourceKey, model.WarningWholeZip},
		{"damaged", damaged.ResourceKey, "The file is damaged and may not be viewable: " + looked.Facts.Fault},
		{"sound", sound.ResourceKey, ""},
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
	if got := alice.raw("POST", "/v1/spaces", `{"resource_key":"`+sound.ResourceKey+`"}`); strings.Contains(got, "warning") {
		t.Errorf("answer for a sound file: got %s, want no warning in it", got)
	}
}

// warningsOf returns what each way to make a space or an entity says of the file.
func warningsOf(t *testing.T, c *client, space, key string) map[string]*string {
	t.Helper()
	type warned struct{ Warning *string }
	var bare, wrapped, entity, graphSpace, graphEntity, toolSpace, toolEntity warned
	with := map[string]any{"resource_key": key}
	_, err := restDoor{c}.ask("POST", "/spaces", with, &bare)
	check(t, err)
	_, err = restDoor{c}.ask("POST", "/user/create-space", map[string]any{"space_data": with}, &wrapped)
	check(t, err)
	_, err = restDoor{c}.ask("POST", "/spaces/"+space+"/entities", with, &entity)
	check(t, err)
	check(t, graphDoor{c}.ask(`mutation($in: CreateSpace!) { createSpace(input: $in) { warning } }`, input("resourceKey", key), &graphSpace))
	check(t, graphDoor{c}.ask(`mutation($in: CreateEntity!) { createEntity(input: $in) { warning } }`,
		input("spaceId", space, "resourceKey", key), &graphEntity))
	check(t, mcpDoor{c}.use("create_space", with, &toolSpace))
	check(t, mcpDoor{c}.use("create_entity", map[string]any{"spaceId": space, "resource_key": key}, &toolEntity))
	return map[string]*string{
		"POST /spaces": bare.Warning, "POST /user/create-space": wrapped.Warning, "POST entities": entity.Warning,
		"createSpace": graphSpace.Warning, "createEntity": graphEntity.Warning,
		"create_space": toolSpace.Warning, "create_entity": toolEntity.Warning,
	}
}

// plainZip is an archive of something else than a capture.
func plainZip(t *testing.T) content {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	file, err := archive.Create("letter.txt")
	check(t, err)
	_, err = file.Write([]byte("Dear Ada"))
	check(t, err)
	check(t, archive.Close())
	return content{int64(b.Len()), &b}
}
