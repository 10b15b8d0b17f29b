package rest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"portico/model"
)

func archived(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for name, content := range files {
		file, err := out.CreateRaw(&zip.FileHeader{Name: name, UncompressedSize64: uint64(len(content)), CompressedSize64: uint64(len(content))})
		if err == nil {
			_, err = file.Write([]byte(content))
		}
		check(t, err)
	}
	check(t, out.Close())
	return b.String()
}

func TestApply_asks_before_it_deletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	for _, entity := range []string{"a", "b"} {
		w.call(w.alice, "POST", "/v1/spaces/"+id+"/entities", `{"entity_id":"`+entity+`"}`).status2xx()
	}
	archive := archived(t, map[string]string{
		"space/entities/b.json": `{"type":"Simple","data":{}}`, "space/README.md": "x", model.ManifestFile: `{"spaceId":"10000000_other"}`,
	})
	path := "/v1/spaces/" + id + "/apply"
	w.call(w.alice, "POST", path, archive).want(409, `{'status':'error',`+
		`'message':'The archive lacks entities of the space, and would delete them (1): send force=1 to do so','plannedDeletes':['a']}`)
	for _, query := range []string{"?dryRun=1", "?force=1"} {
		got := w.call(w.alice, "POST", path+query, archive)
		var result struct {
			Applied  []model.AppliedChange
			Manifest struct{ SpaceID string }
		}
		check(t, json.Unmarshal([]byte(got.body), &result))
		if got.status != 200 || len(result.Applied) != 1 || result.Applied[0] != (model.AppliedChange{Op: "delete_entity", Target: "a"}) || result.Manifest.SpaceID != id {
			t.Errorf("%s: got %d %s, want a deleted", query, got.status, got.body)
		}
	}
	w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/a", "").refused(404, "Entity not found")
}

// The client sends the hashes back as what it expects, so a hash of bytes that another editor wrote
// would let it overwrite them unseen.
func TestApply_returns_the_hashes_of_what_it_wrote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	chair := func(text string) []byte {
		return (&model.Entity{EntityID: "chair", Type: model.TypeSimple, Data: model.Object(`{"text":"` + text + `"}`)}).EntityFile()
	}
	apply := func(query, text, want string) {
		t.Helper()
		archive := archived(t, map[string]string{"space/entities/chair.json": string(chair(text))})
		got := w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply"+query, archive)
		got.status2xx()
		if hash := fmt.Sprintf("%x", sha256.Sum256(chair(want))); !strings.Contains(got.body, hash) {
			t.Errorf("apply%s: got %s, want the hash %s of %q", query, got.body, hash, want)
		}
	}
	apply("", "before", "before")
	// The trigger runs at the commit. Its change stands for one that another editor makes just after
	// it.
	w.exec(`CREATE FUNCTION change_after() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		UPDATE entities SET data = '{"text":"of another editor"}' WHERE entity_id = 'chair'; RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER change_after AFTER UPDATE ON entities DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW WHEN (NEW.data->>'text' = 'after') EXECUTE FUNCTION change_after()`)
	apply("?dryRun=1", "after", "before") // the space stays as it is
	apply("", "after", "after")
	if pulled := w.pulled(w.alice, id)["space/entities/chair.json"]; pulled != string(chair("of another editor")) {
		t.Errorf("pull: got %s, want the change of the other editor", pulled)
	}
}
