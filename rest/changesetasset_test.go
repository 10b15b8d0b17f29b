package rest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"portico/graph"
	"portico/model"
)

// putAsset returns a change set with an asset of zeros.
func putAsset(size int) string {
	return `{"puts":[{"path":"space/assets/hall.bin","encoding":"base64","content":"` +
		base64.StdEncoding.EncodeToString(make([]byte, size)) + `"}]}`
}

func TestChangeSet_stores_an_asset_of_the_maximum_size(t *testing.T) {
	t.Parallel()
	w := serveCore(t, func(o *graph.Options) {
		o.Settings.MaxFileSize, o.Settings.AsyncThreshold = model.MaxAsset, model.MaxAsset+1
	}, func(*Options) {})
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	tooLarge := w.call(w.alice, "POST", "/v1/spaces/"+id+"/changeset", putAsset(model.MaxAsset+1))
	if tooLarge.status != 422 || !strings.Contains(tooLarge.body, "space/assets/hall.bin: "+model.AssetTooLarge()) {
		t.Errorf("an asset of one byte more: got %d %s, want 422", tooLarge.status, tooLarge.body)
	}
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/changeset", putAsset(model.MaxAsset)).
		want(200, strings.ReplaceAll(applied, "%", `{'op':'put_asset','target':'hall.bin'}`))
	if got := len(w.pulled(w.alice, id)["space/assets/hall.bin"]); got != model.MaxAsset {
		t.Errorf("pulled asset: got %d bytes, want %d", got, model.MaxAsset)
	}
}

// Files that a job would store are refused before anything is stored.
func TestChangeSet_refuses_assets_that_need_a_job(t *testing.T) {
	t.Parallel()
	w := serveCore(t, func(o *graph.Options) { o.Settings.AsyncThreshold = 10 }, func(*Options) {})
	id := w.space(w.alice, `{}`)
	before := w.call(w.alice, "GET", "/v1/files", "").body
	for name, message := range map[string]string{
		"page.html": "Files of this format cannot be stored with a space",
		"scan.zip":  "Files of this format cannot be stored with a space",
		"hall.png":  "The file has more than 10 bytes. Upload it first, and send its resource_key",
	} {
		got := w.change(w.alice, id, "", `{'puts':[{'path':'space/assets/first.png','content':'x'},{'path':'space/assets/`+name+`','content':'12345678901'}]}`)
		if got.status != 422 || !strings.Contains(got.body, "space/assets/"+name+": "+message) {
			t.Errorf("%s: got %d %s, want 422 and %q", name, got.status, got.body, message)
		}
	}
	if after := w.call(w.alice, "GET", "/v1/files", "").body; after != before {
		t.Errorf("files: got %s, want %s as before", after, before)
	}
}

func TestChangeSet_takes_a_file_that_was_uploaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	const neither = "The file needs either its content or the key of an uploaded file"
	key, address := w.upload(w.alice, "hall.png", "\x89PNG")
	foreign, _ := w.upload(w.bob, "foreign.png", "\x89PNG")
	change := func(query, path, key string) response {
		body, err := json.Marshal(map[string]any{"puts": []map[string]string{{"path": path, "resource_key": key}}})
		check(t, err)
		return w.call(w.alice, "POST", "/v1/spaces/"+id+"/changeset"+query, string(body))
	}
	for _, wrong := range []struct{ path, key, message string }{
		{"space/assets/hall.png", foreign, "File not found"},
		{"space/assets/hall.png", "../" + w.bob.id + "/foreign.png", "File not found"},
		{"space/assets/hall.png", "none.png", "File not found"},
		{"space/assets/hall.jpg", key, "The uploaded file has a different extension from the path"},
		{"space/assets/hall.exe", key, "Files of this format cannot be stored with a space"},
		{"space/plugins/hall.mjs", key, "Send the content of a plugin, not an uploaded file"},
		{"space/entities/hall.json", key, "Send the content of an entity's file, not an uploaded file"},
		{"space/assets/hall.png", "", neither},
	} {
		got := change("", wrong.path, wrong.key)
		if got.status != 422 || !strings.Contains(got.body, wrong.message) {
			t.Errorf("%s of %q: got %d %s, want 422 and %q", wrong.path, wrong.key, got.status, got.body, wrong.message)
		}
	}
	w.change(w.alice, id, "", `{'puts':[{'path':'space/assets/hall.png','content':'x','resource_key':'`+key+`'}]}`).
		want(422, `{'status':'error','message':'space/assets/hall.png: `+neither+`','validationErrors':[{'file':'space/assets/hall.png','message':'`+neither+`'}]}`)
	const done = `{'op':'put_asset','target':'hall.png'}`
	if got := change("?dryRun=1", "space/assets/hall.png", key); !strings.Contains(got.body, quotes(done)) {
		t.Errorf("dry run: got %s, want the asset", got.body)
	}
	change("", "space/assets/hall.png", key).want(200, strings.ReplaceAll(applied, "%", done))
	files := w.pulled(w.alice, id)
	if got := files["space/assets/hall.png"]; got != "\x89PNG" || !strings.Contains(files[model.ManifestFile], address) {
		t.Errorf("pulled: got %q and %s, want the bytes and the address %s of the upload", got, files[model.ManifestFile], address)
	}
	change("", "space/assets/hall.png", key).want(200,
		`{'status':'ok','noChanges':true,'applied':[],'failed':[],'data':{'noChanges':true,'applied':[],'failed':[]}}`)
}

// A failed change set keeps the files that the caller had uploaded for it.
func TestChangeSet_that_fails_keeps_uploaded_files(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	key, _ := w.upload(w.alice, "hall.png", "\x89PNG")
	w.change(w.alice, id, "", `{'puts':[{'path':'space/assets/hall.png','resource_key':'`+key+`'},`+
		`{'path':'space/assets/b.png','content':'x'}],'expected':[{'path':'space/assets/hall.png','sha256':'00'}]}`).
		want(409, `{'status':'error','message':'The space has changed since it was read: space/assets/hall.png','conflicts':['space/assets/hall.png']}`)
	w.call(w.alice, "DELETE", "/v1/files?resource_key="+key, "").status2xx()
}

func TestChangeSet_spools_its_body(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]bool{
		"POST /v1/spaces/a/changeset": true, "POST /api/v1/spaces/a/apply": true, "POST /v1/spaces/a/pull": false,
		"GET /v1/spaces/a/changeset": false, "POST /v1/spaces": false, "POST /graphql": false,
	} {
		method, path, _ := strings.Cut(target, " ")
		request, err := http.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(nil))
		check(t, err)
		if got := SpoolsBody(request); got != want {
			t.Errorf("%s: got %t, want %t", target, got, want)
		}
	}
}

// A body on disk is gone when its request has ended, whatever became of it.
func TestChangeSet_leaves_no_body_on_disk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	w.change(w.alice, id, "", put("space/room.json", "{}")).status2xx()
	w.change(w.alice, id, "", `{`).refused(400, "Request body is not valid JSON at byte 1")
	left, err := os.ReadDir(w.tempFolder)
	if check(t, err); len(left) != 0 {
		t.Errorf("folder of bodies: got %v, want it empty", left)
	}
}
