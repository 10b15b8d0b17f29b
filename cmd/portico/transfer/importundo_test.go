package transfer

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"portico/client"
	"portico/internal/testkit/pipe"
	"portico/model"
)

// A file whose address cannot be read is not deleted: its key is unknown. Its space is kept, because
// only the space has the address.
func TestUndo_deletes_only_files_whose_key_is_known(t *testing.T) {
	t.Parallel()
	pulled := zipOf(t, map[string]string{model.ManifestFile: `{"spaceId": "12345678_a", "assets": [
		{"file": "space/assets/a.bin", "url": "http://server/files/12345678/a%20b.bin"},
		{"file": "space/assets/b.bin", "url": "http://server/files/12345678/%zz.bin"}
	]}`})
	var deletions []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/pull"):
			_, _ = io.WriteString(w, pulled) // the client reads all of it
		default:
			deletions = append(deletions, path.Base(r.URL.Path)+" "+r.URL.Query().Get("resource_key"))
			_, _ = io.WriteString(w, "{}")
		}
	}))
	t.Cleanup(server.Close)
	i := &importer{remote: &client.Client{Server: server.URL}, userID: "12345678", spaces: []string{"12345678_a"}}
	err := i.undo(t.Context())
	if err == nil {
		t.Fatal("got no error, want one that names the space and the address")
	}
	wantContains(t, "undo", err.Error(), "12345678_a", "it is kept", "%zz")
	if want := []string{"files a b.bin"}; !slices.Equal(deletions, want) {
		t.Errorf("deletions: got %q, want %q", deletions, want)
	}
}

// Only the space has the keys of its files.
func TestUndo_keeps_a_space_whose_files_are_unknown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status   int
		response string
		isKept   bool
	}{
		"the response is unreadable": {http.StatusOK, "<html>Sign in</html>", true},
		"the server refuses":         {http.StatusForbidden, "{}", true},
		"the space is gone":          {http.StatusNotFound, "{}", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isDeleted := false
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/pull") {
					w.WriteHeader(test.status)
					_, _ = io.WriteString(w, test.response) // the client reads all of it
					return
				}
				isDeleted = true
				w.WriteHeader(http.StatusNotFound)
			}))
			t.Cleanup(server.Close)
			i := &importer{remote: &client.Client{Server: server.URL}, userID: "12345678", spaces: []string{"12345678_a"}}
			err := i.undo(t.Context())
			if isDeleted == test.isKept {
				t.Errorf("deleted: got %t, want %t", isDeleted, !test.isKept)
			}
			if isNamed := err != nil && strings.Contains(err.Error(), "delete the space 12345678_a: it is kept"); isNamed != test.isKept {
				t.Errorf("got %v, want an error that names the space: %t", err, test.isKept)
			}
		})
	}
}

// A fault of the server may concern only one space or file.
func TestUndo_deletes_all_that_the_server_can_delete(t *testing.T) {
	t.Parallel()
	pulled := zipOf(t, map[string]string{model.ManifestFile: `{"spaceId": "12345678_b", "assets": [
		{"file": "space/assets/b.bin", "url": "http://server/files/12345678/b.bin"}
	]}`})
	synctest.Test(t, func(t *testing.T) {
		var deletions []string
		r := &client.Client{Server: "http://server", Key: "k", Transport: pipe.Transport(t, func(w http.ResponseWriter, r *http.Request) {
			key := r.URL.Query().Get("resource_key")
			switch {
			case r.URL.Path == "/v1/spaces/12345678_a/pull" || key == "broken.bin":
				w.WriteHeader(http.StatusInternalServerError)
			case r.URL.Path == "/v1/spaces/12345678_b/pull":
				_, _ = io.WriteString(w, pulled) // the client reads all of it
			default:
				deletions = append(deletions, path.Base(r.URL.Path)+" "+key)
				_, _ = io.WriteString(w, "{}")
			}
		})}
		i := &importer{remote: r, userID: "12345678", spaces: []string{"12345678_a", "12345678_b"}, files: []string{"broken.bin", "whole.bin"}}
		err := i.undo(t.Context())
		if want := []string{"12345678_b ", "files whole.bin", "files b.bin"}; !slices.Equal(deletions, want) {
			t.Errorf("deletions: got %q, want %q", deletions, want)
		}
		if err == nil {
			t.Fatal("got no error, want one that names what remains")
		}
		wantContains(t, "undo", err.Error(), "12345678_a", "broken.bin")
		if text := err.Error(); strings.Contains(text, "12345678_b") || strings.Contains(text, "whole.bin") {
			t.Errorf("undo: got %s, want only what remains", text)
		}
	})
}

// The id of a space whose creation has no response is unknown.
func TestImport_names_the_space_that_it_may_leave(t *testing.T) {
	t.Parallel()
	for status, mayExist := range map[int]bool{
		http.StatusBadGateway: true, http.StatusInternalServerError: true,
		http.StatusBadRequest: false, http.StatusInsufficientStorage: false,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
			t.Cleanup(server.Close)
			i := &importer{remote: &client.Client{Server: server.URL}, archive: &exportArchive{spaces: []model.ExportedSpace{{SpaceTexts: model.SpaceTexts{Title: "Mill"}}}}}
			err := i.createSpaces(t.Context())
			if err == nil || strings.Contains(err.Error(), `may have a new, empty space "Mill"`) != mayExist {
				t.Errorf("got %v, want an error that says so: %t", err, mayExist)
			}
		})
	}
}

func zipOf(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	writer := zip.NewWriter(&b)
	for name, content := range files {
		entry, err := writer.Create(name)
		check(t, err)
		_, err = io.WriteString(entry, content)
		check(t, err)
	}
	check(t, writer.Close())
	return b.String()
}
