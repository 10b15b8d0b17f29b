package page_test

import (
	"errors"
	"html"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/model"
	"portico/storage/disk"
)

var (
	modulePreloads = regexp.MustCompile(`<link rel="modulepreload" href="([^"]+)">`)
	filePreloads   = regexp.MustCompile(`<link rel="(?:preload|prefetch)" as="fetch" href="([^"]+)" crossorigin>`)
)

// The page of a space requests all scripts of the view at once, and what the coarsest level of
// the first capture is drawn from, at addresses that work for the visitor.
func TestSpace_preloads_the_first_picture(t *testing.T) {
	t.Parallel()
	p := open(t, "--files-access=protected")
	ada := p.account("Ada")
	key := p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 3}, nil)
	p.streamedView(ada.ID, key)
	public, private := p.space(ada, "Public", "", model.Public), p.space(ada, "Private", "", model.Private)
	p.show(ada, public, key)
	p.show(ada, private, key)
	want := []string{"lod-meta.json", "env/meta.json", "1_0/meta.json", "env/sky.webp", "1_0/a.webp", "1_0/b.webp", "1_0/c.webp", "1_0/d.webp", "1_0/e.webp"}
	for path, visitor := range map[string]visitor{"/" + public: p.stranger(), "/embed/" + public: p.stranger(), "/" + private: p.signedIn("Ada")} {
		page := visitor.wantStatus(visitor.get(path), http.StatusOK)
		var got []string
		for _, link := range filePreloads.FindAllStringSubmatch(page.body, -1) {
			address := html.UnescapeString(link[1])
			_, name, _ := strings.Cut(address, "/view/")
			got = append(got, name)
			if status := p.statusAt(address); status != http.StatusOK {
				t.Errorf("%s: %s responds with %d, want 200", path, name, status)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got the files %q, want %q", path, got, want)
		}
		for _, script := range []string{"engine", "visit", "controls"} {
			if !strings.Contains(page.body, `<link rel="modulepreload" href="/dist/space/assets/`+script) {
				t.Errorf("%s: got no preload of %s in\n%s", path, script, page.body)
			}
		}
		for _, link := range modulePreloads.FindAllStringSubmatch(page.body, -1) {
			visitor.wantStatus(visitor.get(link[1]), http.StatusOK)
		}
	}
	if page := p.stranger().get("/"); strings.Contains(page.body, "modulepreload") || strings.Count(page.body, "preload") != 1 {
		t.Errorf("gallery: got\n%s\nwant the font alone preloaded", page.body)
	}
}

// A capture whose manifest cannot be read has a page all the same.
func TestSpace_of_a_damaged_capture_preloads_its_manifest(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	key := p.capture(ada, "scan.sog", model.FileFacts{Format: model.FormatSOG, Splats: 3}, nil)
	id := p.space(ada, "Public", "", model.Public)
	p.show(ada, id, key)
	p.store(ada.ID, key, "lod-meta.json", "{")
	page := p.stranger().wantStatus(p.stranger().get("/"+id), http.StatusOK)
	if got := filePreloads.FindAllString(page.body, -1); len(got) != 1 || !strings.Contains(got[0], "/view/lod-meta.json") {
		t.Errorf("preloads: got %q, want the manifest alone", got)
	}
}

// streamedView stores a view of two levels and an environment for a file.
func (p pageServer) streamedView(userID, resourceKey string) {
	p.t.Helper()
	const images = `{"means":{"files":["a.webp","b.webp"]},"scales":{"files":["c.webp"]},"quats":{"files":["d.webp"]},"sh0":{"files":["e.webp"]}}`
	const leaf = `{"lods":{"0":{"file":0,"offset":0,"count":2},"1":{"file":1,"offset":0,"count":1}}}`
	for name, content := range map[string]string{
		"0_0/meta.json": images, "1_0/meta.json": images, "env/meta.json": `{"means":{"files":["sky.webp"]}}`, "env/sky.webp": "",
		"lod-meta.json": `{"lodLevels":2,"environment":"env/meta.json","filenames":["0_0/meta.json","1_0/meta.json"],"tree":{"children":[` + leaf + `]}}`,
	} {
		p.store(userID, resourceKey, name, content)
	}
	for _, image := range []string{"a", "b", "c", "d", "e"} {
		p.store(userID, resourceKey, "1_0/"+image+".webp", "")
	}
}

// store stores an object of the view of a file, whose manifest becomes the view.
func (p pageServer) store(userID, resourceKey, name, content string) {
	p.t.Helper()
	file, err := p.DB.Files().FileOf(p.t.Context(), userID, resourceKey)
	check(p.t, err)
	store, err := disk.Open(disk.Options{
		Folder: filepath.Join(p.Config.DataDir, "files"), BaseURL: p.BaseURL(), FilesURL: p.FilesURL(),
		Secret: []byte("any secret will do here"), UploadLifetime: time.Minute,
	})
	check(p.t, err)
	_, err = store.Put(p.t.Context(), file.DerivedStorageRoot()+"view/"+name, strings.NewReader(content))
	check(p.t, errors.Join(err, store.Close()))
	if name == "lod-meta.json" {
		_, err = p.DB.Files().AddView(p.t.Context(), file, file.DerivedRoot()+"view/"+name, int64(len(content)))
		check(p.t, err)
	}
}

// statusAt returns the status of an address for a visitor without cookies.
func (p pageServer) statusAt(address string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, http.NoBody)
	check(p.t, err)
	response, err := http.DefaultClient.Do(r)
	check(p.t, err)
	check(p.t, response.Body.Close())
	return response.StatusCode
}
