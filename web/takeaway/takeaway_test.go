package takeaway

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/client"
	"portico/web/preview"
)

// The index of a capture is a file of its owner, who may not be the one who exports it.
func TestWrite_stays_in_its_folder(t *testing.T) {
	t.Parallel()
	const key = "the-key-of-the-account"
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("%s: got the key in a request for a file", r.URL)
		}
		asked = append(asked, r.URL.Path)
		switch r.URL.Path {
		case "/files/12345678/view/lod-meta.json":
			_, _ = w.Write([]byte(`{"filenames":["0_0/meta.json","../../../../etc/passwd","/etc/passwd","..\\up.webp","lod-meta.json","https://elsewhere.example/x"],
				"environment":"env/meta.json","tree":{"children":[{"files":{"uri":"%2e%2e/%2e%2e/up"}}]}}`))
		case "/files/12345678/view/0_0/meta.json", "/files/12345678/view/env/meta.json":
			_, _ = w.Write([]byte(`{"means":{"files":["means_l.webp","means_u.webp"]},"sh0":{"files":["../../outside.webp"]}}`))
		default:
			_, _ = w.Write([]byte("pixels"))
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	check(t, err)
	defer root.Close()
	w := newWriter(client.New(server.URL, key), server.URL, preview.Dir{Root: root}, &remoteSpace{})
	local, err := w.takeAll(t.Context(), server.URL+"/files/12345678/view/lod-meta.json")
	check(t, err)
	if local != "files/1/lod-meta.json" {
		t.Errorf("got %s", local)
	}
	again, err := w.takeAll(t.Context(), server.URL+"/files/12345678/view/lod-meta.json?signature=other")
	check(t, err)
	if again != local {
		t.Errorf("the same file: got %s, want the first copy", again)
	}
	for _, name := range []string{"0_0/means_l.webp", "env/means_u.webp", "0_0/meta.json"} {
		if _, err := os.Stat(filepath.Join(dir, "files/1", name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range asked {
		if !strings.HasPrefix(path, "/files/12345678/view/") {
			t.Errorf("got a request for %s, outside the folder of the file", path)
		}
	}
	if outside, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(outside) != 1 {
		t.Errorf("got %v, want the folder of files only", outside)
	}
}

func TestWriter_recognises_files_of_the_server(t *testing.T) {
	t.Parallel()
	w := newWriter(client.New("https://portico.example", ""), "https://portico.example", nil, &remoteSpace{})
	for address, want := range map[string]bool{
		"https://portico.example/files/12345678/api_uploads/x_a.png":      true,
		"https://portico.example/12345678_abcdefghijklmnopqrstuvwxyz":     false, // a space
		"https://elsewhere.example/files/12345678/api_uploads/x_a.png":    false,
		"https://portico.example.evil/files/12345678/api_uploads/x_a.png": false,
		"http://portico.example/files/12345678/api_uploads/x_a.png":       false,
		"javascript:alert(1)": false, "A text": false, "": false,
	} {
		if got := w.isFile(address); got != want {
			t.Errorf("%q: got %v, want %v", address, got, want)
		}
	}
}

func TestSafeName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.png": "a.png", "Mühle 1.ply": "M_hle_1.ply", "..": "file", ".env": "env", "a/b": "a_b", "": "file", "%2e%2e": "_2e_2e",
	} {
		if got := safeName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestNamesIn_finds_what_an_index_needs(t *testing.T) {
	t.Parallel()
	got := namesIn(map[string]any{
		"buffers": []any{map[string]any{"uri": "a%20b.bin"}, map[string]any{"uri": "data:application/octet-stream;base64,AAAA"}},
		"means":   map[string]any{"files": []any{"m.webp", 7.0}},
	})
	slices.Sort(got)
	if want := []string{"a b.bin", "m.webp"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	base, err := url.Parse("https://portico.example/files/signed/12345678/lamp.gltf?x=1")
	check(t, err)
	if got, want := resolve(base, "a b.bin"), "https://portico.example/files/signed/12345678/a%20b.bin?x=1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
