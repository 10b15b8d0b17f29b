package page_test

import (
	"archive/zip"
	"bytes"
	"image/color"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/model"
	"portico/storage/disk"
)

// licensed sets the licence of a space.
func (p pageServer) licensed(owner *api.Client, spaceID, licence string) {
	p.t.Helper()
	_, err := owner.REST("PUT", "/spaces/"+spaceID, map[string]any{"licence": licence}, nil)
	check(p.t, err)
}

// put adds an entity with an id that shows the owner's file.
func (p pageServer) put(owner *api.Client, spaceID, id, resourceKey string, data map[string]any) {
	p.t.Helper()
	_, err := owner.REST("POST", "/spaces/"+spaceID+"/entities", map[string]any{"entity_id": id, "resource_key": resourceKey, "entity_data": data}, nil)
	check(p.t, err)
}

// viewed gives a capture a view that is a folder with these objects.
func (p pageServer) viewed(owner *api.Client, resourceKey string, objects map[string]string) {
	p.t.Helper()
	file, err := p.DB.Files().FileOf(p.t.Context(), owner.ID, resourceKey)
	check(p.t, err)
	store, err := disk.Open(disk.Options{
		Folder: filepath.Join(p.Config.DataDir, "files"), BaseURL: p.BaseURL(), FilesURL: p.FilesURL(),
		Secret: []byte("any secret will do here"), UploadLifetime: time.Minute,
	})
	check(p.t, err)
	var size int64
	for name, content := range objects {
		_, err := store.Put(p.t.Context(), file.DerivedStorageRoot()+"view/"+name, strings.NewReader(content))
		check(p.t, err)
		size += int64(len(content))
	}
	_, err = p.DB.Files().AddView(p.t.Context(), file, file.DerivedRoot()+"view/lod-meta.json", size)
	check(p.t, err)
	check(p.t, store.Close())
}

// Who may download follows the owner, the privacy and the licence, in the page and at the address.
func TestDownload_is_offered_to_who_may_download(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	p.account("Bob")
	for _, test := range []struct {
		name           string
		privacy        model.Privacy
		licence        string
		owner, visitor int
	}{
		{"without a licence", model.Public, "", http.StatusFound, http.StatusForbidden},
		{"with a licence", model.Public, "CC-BY-4.0", http.StatusFound, http.StatusFound},
		{"with a licence and by link", model.LinkOnly, "CC0-1.0", http.StatusFound, http.StatusFound},
		{"with a licence, but private", model.Private, "CC-BY-NC-ND-4.0", http.StatusFound, http.StatusForbidden},
	} {
		id := p.space(ada, "Mill", "", test.privacy)
		key := p.capture(ada, "mill.sog", model.FileFacts{Format: model.FormatSOG, Splats: 5}, nil)
		p.put(ada, id, "mill", key, map[string]any{})
		p.licensed(ada, id, test.licence)
		for who, b := range map[string]visitor{"owner": p.signedIn("Ada"), "other": p.signedIn("Bob"), "stranger": p.stranger()} {
			want := test.visitor
			if who == "owner" {
				want = test.owner
			}
			got := b.get("/download/" + id + "/mill")
			if got.status != want || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s, %s: got %d (%s), want %d, not cached", test.name, who, got.status, got.header.Get("Cache-Control"), want)
			}
			if location := got.header.Get("Location"); (want == http.StatusFound) != strings.HasSuffix(location, "mill.sog") {
				t.Errorf("%s, %s: got the address %q", test.name, who, location)
			}
			offered := strings.Contains(b.get("/"+id).body, `href="/download/`+id+`/mill" download`)
			if offered != (want == http.StatusFound) {
				t.Errorf("%s, %s: the page offers it: %v", test.name, who, offered)
			}
		}
	}
}

func TestDownload_has_a_licence_that_programs_find(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Mill", "", model.Public)
	address := "https://creativecommons.org/licenses/by-sa/4.0/"
	if got := p.stranger().get("/" + id).body; strings.Contains(got, "license") {
		t.Errorf("page without a licence: got one in\n%s", got)
	}
	p.licensed(ada, id, "CC-BY-SA-4.0")
	wantText(t, p.stranger().get("/"+id), `<link rel="license" href="`+address+`">`,
		`<a rel="license noopener" href="`+address+`" target="_blank">CC BY-SA 4.0</a>`)
	wantText(t, p.stranger().get("/embed/"+id), `<link rel="license" href="`+address+`">`)
	wantText(t, p.stranger().get("/oembed?url="+p.BaseURL()+"/"+id), `"license":"CC BY-SA 4.0","license_url":"`+address+`"`)
	for _, unknown := range []string{"MIT", "cc-by-4.0", `CC-BY-4.0" onload="x`} {
		if _, err := ada.REST("PUT", "/spaces/"+id, map[string]any{"licence": unknown}, nil); err == nil {
			t.Errorf("licence %s: got no refusal", unknown)
		}
	}
}

// A visitor asks for another format by a form, waits at a page, and gets the file. Who may do so follows
// the licence, as for the file itself.
func TestDownload_in_another_format(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Mill", "", model.Public)
	key := p.capture(ada, "The mill.sog", model.FileFacts{Format: model.FormatPLY, Splats: 5}, nil)
	p.put(ada, id, "mill", key, map[string]any{})
	path := "/download/" + id + "/mill"
	ask := func(b visitor, format string) response { return b.post(path, url.Values{"format": {format}}) }
	wait := path + "?format=spz"
	for name, b := range map[string]visitor{"stranger": p.stranger(), "owner": p.signedIn("Ada")} {
		want := map[string]int{"stranger": http.StatusForbidden, "owner": http.StatusNotFound}[name]
		if got := b.get(wait); got.status != want {
			t.Errorf("%s, before the licence: got %d, want %d", name, got.status, want)
		}
	}
	p.stranger().wantStatus(ask(p.stranger(), "spz"), http.StatusForbidden)
	p.licensed(ada, id, "CC-BY-4.0")
	wantText(t, p.stranger().get("/"+id), `<form method="post" action="`+path+`"`, `<option value="compressed-ply">`, `<option value="spz">SPZ</option>`)
	for _, wrong := range []string{"ply", "turntable", "streamed-sog", "../../x", ""} { // it is PLY
		p.stranger().wantStatus(ask(p.stranger(), wrong), http.StatusBadRequest)
	}
	p.stranger().wantStatus(p.stranger().get(wait), http.StatusNotFound) // a GET starts nothing
	asking := p.stranger().wantStatus(ask(p.stranger(), "spz"), http.StatusOK)
	if got := asking.header.Get("Refresh"); got != "3; url="+wait {
		t.Errorf("being made: got Refresh %q", got)
	}
	wantText(t, asking, "Your file is being made", "The mill")
	wantText(t, p.stranger().get(wait), "Your file is being made")
	file, err := p.DB.Files().FileOf(t.Context(), ada.ID, key)
	check(t, err)
	check(t, p.DB.Files().SetFormatFailure(t.Context(), file, model.ConvertToSPZ, "It is too odd"))
	failed := p.stranger().get(wait)
	wantText(t, failed, "This format cannot be made", "It is too odd")
	if got := failed.header.Get("Refresh"); got != "" {
		t.Errorf("failed: got Refresh %q, want none", got)
	}
	p.stranger().wantStatus(ask(p.stranger(), "csv"), http.StatusOK)
	_, err = p.DB.Files().AddFormat(t.Context(), &model.FormatDownload{
		ResourceKey: key, Format: model.ConvertToCSV, UserID: ada.ID, Key: file.DerivedRoot() + "format/1/The_mill.csv", Bytes: 1_500_000,
	})
	check(t, err)
	made := ask(p.stranger(), "csv")
	wantText(t, made, "Your download starts", `href="`+path+`?format=csv"`, "2 MB")
	if got := made.header.Get("Refresh"); got != "0; url="+path+"?format=csv" {
		t.Errorf("made: got Refresh %q", got)
	}
	sent := p.stranger().wantStatus(p.stranger().get(path+"?format=csv"), http.StatusFound)
	if got := sent.header.Get("Location"); !strings.HasSuffix(got, "/format/1/The_mill.csv") || sent.header.Get("Cache-Control") != "no-store" {
		t.Errorf("made: got %q (%s)", got, sent.header.Get("Cache-Control"))
	}
	p.licensed(ada, id, "")
	p.stranger().wantStatus(p.stranger().get(path+"?format=csv"), http.StatusForbidden)
}

// The owner takes a space away as the folder that a web server shows; nobody else does, not even where
// visitors may download. What is not the owner's stays.
func TestDownload_of_a_whole_space(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada, eve := p.account("Ada"), p.account("Eve")
	id := p.space(ada, "The mill", "", model.Private)
	key := p.capture(ada, "mill.sog", model.FileFacts{Format: model.FormatPLY, Splats: 5}, nil)
	p.put(ada, id, "mill", key, map[string]any{"glbUrl": p.FilesURL() + "/" + ada.ID + "/" + key})
	p.viewed(ada, key, map[string]string{"lod-meta.json": `{"filenames":["0_0/meta.json"]}`, "0_0/meta.json": "{}"})
	secret := p.capture(eve, "secret.png", model.FileFacts{Format: model.FormatPNG}, nil)
	p.entity(ada, id, "AnnotationEntity", map[string]any{"title": "Note", "position": []int{0, 1, 2}, "imageURL": p.FilesURL() + "/" + eve.ID + "/" + secret})
	path := "/download/" + id
	p.stranger().wantStatus(p.stranger().get(path), http.StatusForbidden)
	got := p.signedIn("Ada").get(path)
	p.stranger().wantStatus(got, http.StatusOK)
	archive, err := zip.NewReader(strings.NewReader(got.body), int64(len(got.body)))
	check(t, err)
	files := map[string]string{}
	for _, entry := range archive.File {
		content, err := fs.ReadFile(archive, entry.Name)
		check(t, err)
		files[entry.Name] = string(content)
	}
	page := files["index.html"]
	if files["files/1/0_0/meta.json"] != "{}" || !strings.Contains(page, "files/1/lod-meta.json") || !strings.Contains(page, "Note") {
		t.Errorf("zip: got %d files, and the page %s", len(files), page)
	}
	if strings.Contains(page, secret) || !strings.Contains(files["left-out.txt"], "secret.png") {
		t.Errorf("file of somebody else: got %q", files["left-out.txt"])
	}
	_, err = ada.REST("PUT", "/spaces/"+id, map[string]any{"privacy": "Public", "licence": "CC0-1.0"}, nil)
	check(t, err)
	for name, b := range map[string]visitor{"stranger": p.stranger(), "other": p.signedIn("Eve")} {
		if got := b.get(path); got.status != http.StatusForbidden || strings.Contains(b.get("/"+id).body, "Take it away") {
			t.Errorf("%s: got %d, want 403 and no button", name, got.status)
		}
	}
	wantText(t, p.signedIn("Ada").get("/"+id), `href="`+path+`" download`, "Take it away")
}

// What strangers have made costs more of their limit than a page.
func TestDownload_in_many_formats_is_limited(t *testing.T) {
	t.Parallel()
	p := open(t, "--rate-limits=on")
	ada := p.account("Ada")
	id := p.space(ada, "Mill", "", model.Public)
	p.put(ada, id, "mill", p.capture(ada, "mill.sog", model.FileFacts{Format: model.FormatPLY, Splats: 5}, nil), map[string]any{})
	p.licensed(ada, id, "CC-BY-4.0")
	stranger := p.stranger()
	for i := range 20 {
		got := stranger.post("/download/"+id+"/mill", url.Values{"format": {"spz"}})
		if got.status == http.StatusTooManyRequests && i >= 5 {
			return
		}
		stranger.wantStatus(got, http.StatusOK)
	}
	t.Error("20 requests: got no refusal")
}

// Only what the page lists is offered: no hidden entity, no plugin, no file of somebody else.
func TestDownload_offers_only_captures_and_models_that_are_shown(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada, eve := p.account("Ada"), p.account("Eve")
	id := p.space(ada, "Mill", "", model.Public)
	p.licensed(ada, id, "CC-BY-4.0")
	key := p.capture(ada, "mill.glb", model.FileFacts{Format: model.FormatGLB}, nil)
	p.put(ada, id, "shown", key, map[string]any{})
	p.put(ada, id, "hidden", key, map[string]any{"hidden": true})
	p.put(ada, id, "picture", p.capture(ada, "mill.png", model.FileFacts{Format: model.FormatPNG}, nil), map[string]any{})
	p.entity(ada, id, "Simple", map[string]any{"title": "No file"})
	foreign := p.capture(eve, "secret.sog", model.FileFacts{Format: model.FormatPLY}, nil)
	p.entity(ada, id, "UserModelEntity", map[string]any{"glbUrl": p.FilesURL() + "/" + eve.ID + "/" + foreign})
	for path, want := range map[string]int{
		"/shown": http.StatusFound, "/shown?form=view": http.StatusNotFound, "/shown?form=other": http.StatusFound,
		"/hidden": http.StatusNotFound, "/picture": http.StatusNotFound, "/missing": http.StatusNotFound,
		"/..%2f..%2fetc%2fpasswd": http.StatusNotFound, "/": http.StatusForbidden, "": http.StatusForbidden, // the whole space is its owner's
	} {
		if got := p.stranger().get("/download/" + id + path); got.status != want {
			t.Errorf("%q: got %d, want %d", path, got.status, want)
		}
	}
	if got := strings.Count(p.stranger().get("/"+id).body, `href="/download/`); got != 1 {
		t.Errorf("page: got %d downloads, want 1", got)
	}
	p.stranger().wantStatus(p.stranger().post("/download/"+id+"/shown", url.Values{"format": {"spz"}}), http.StatusBadRequest) // it is no capture
}

func TestDownload_of_a_folder_is_a_zip(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id := p.space(ada, "Mill", "", model.Public)
	p.licensed(ada, id, "CC0-1.0")
	key := p.capture(ada, "Mühle 1.sog", model.FileFacts{Format: model.FormatPLY, Splats: 5}, picture(t, color.White, color.Black))
	p.put(ada, id, "mill", key, map[string]any{})
	p.viewed(ada, key, map[string]string{"lod-meta.json": "{}", "0_0/meta.json": "{1}", "0_0/means.webp": "pixels"})
	got := p.stranger().wantStatus(p.stranger().get("/download/"+id+"/mill?form=view"), http.StatusOK)
	if name := got.header.Get("Content-Disposition"); name != "attachment; filename*=utf-8''M%C3%BChle%201.zip" {
		t.Errorf("name: got %s", name)
	}
	archive, err := zip.NewReader(bytes.NewReader([]byte(got.body)), int64(len(got.body)))
	check(t, err)
	files := map[string]string{}
	for _, entry := range archive.File {
		r, err := entry.Open()
		check(t, err)
		content, err := io.ReadAll(r)
		check(t, err)
		files[entry.Name] = string(content)
	}
	if len(files) != 3 || files["lod-meta.json"] != "{}" || files["0_0/meta.json"] != "{1}" || files["0_0/means.webp"] != "pixels" {
		t.Errorf("zip: got %q", files)
	}
	wantText(t, p.stranger().get("/"+id), "Streamed SOG, for viewers", `href="/download/`+id+`/mill?form=view"`)
}
