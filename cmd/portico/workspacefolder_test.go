package main

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/cmd/portico/workspace"
	"portico/model"
)

// hostileServer responds to a pull with an archive of these files.
func hostileServer(t *testing.T, files map[string]string) string {
	t.Helper()
	var archive bytes.Buffer
	out := zip.NewWriter(&archive)
	for name, content := range files {
		file, err := out.Create(name)
		check(t, err)
		_, err = file.Write([]byte(content))
		check(t, err)
	}
	check(t, out.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive.Bytes()) }))
	t.Cleanup(server.Close)
	return server.URL
}

const strangeSpace = "10000000_abc"

func manifestOf(path string) string {
	return `{"spaceId":"` + strangeSpace + `","entities":[{"id":"x","type":"T","file":"` + path + `","sha":"00"}]}`
}

// No server and no foreign folder makes a command touch a file outside its folder.
func TestWorkspace_stays_in_its_folder(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"up": "../evil.json", "up from within": "space/../../evil.json", "absolute": "/evil.json", "up in an id": "space/entities/../../evil.json",
		"backslashes": `space/entities/..\\evil.json`, "another file of the folder": ".git/config", "its own state": workspace.StateFile,
	} {
		t.Run("a server names a path: "+name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			url := hostileServer(t, map[string]string{model.ManifestFile: manifestOf(path), strings.ReplaceAll(path, `\\`, `\`): "evil"})
			f := spaceFolder{t, filepath.Join(parent, "folder"), parent, []string{"PORTICO_URL=" + url, "PORTICO_KEY=k"}}
			out, code := f.pull(strangeSpace)
			found, err := filepath.Glob(filepath.Join(parent, "*", "*"))
			check(t, err)
			if evil, _ := filepath.Glob(filepath.Join(parent, "evil*")); code == 0 || len(found)+len(evil) > 0 {
				t.Errorf("got exit code %d, %s and the files %v, want a refusal and no file", code, out, append(found, evil...))
			}
		})
	}
	good := hostileServer(t, map[string]string{model.ManifestFile: manifestOf(chairFile), chairFile: "{}"})
	for name, link := range map[string]string{"a file is a link": chairFile, "a folder is a link": "space", "the state is a link": workspace.StateFile} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			f := spaceFolder{t, filepath.Join(parent, "folder"), parent, []string{"PORTICO_URL=" + good, "PORTICO_KEY=k"}}
			f.write("target/secret", "as it was")
			path := filepath.Join(f.dir, link)
			check(t, os.MkdirAll(filepath.Dir(path), 0o755))
			// The link leads to another file of the folder, where os.Root would follow it.
			target := strings.Repeat("../", strings.Count(link, "/")) + "target"
			if link != "space" {
				target += "/secret"
			}
			check(t, os.Symlink(target, path))
			out, code := f.pull(strangeSpace)
			files, err := os.ReadDir(filepath.Join(f.dir, "target"))
			check(t, err)
			if code == 0 || f.read("target/secret") != "as it was" || len(files) != 1 || !strings.Contains(out, "is a link") {
				t.Errorf("got exit code %d, %s and %v, want a refusal", code, out, files)
			}
		})
	}
	t.Run("the state names another server", func(t *testing.T) {
		t.Parallel()
		f := spaceFolder{t, t.TempDir(), t.TempDir(), []string{"PORTICO_URL=http://127.0.0.1:1", "PORTICO_KEY=k"}}
		f.write(workspace.StateFile, `{"server":"`+good+`","space":"`+strangeSpace+`","files":{}}`)
		if out, code := f.run("status"); code == 0 || !strings.Contains(out, "add --server") {
			t.Errorf("got exit code %d and %s, want a refusal to send the key there", code, out)
		}
	})
}
