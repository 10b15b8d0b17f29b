package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"portico/client"
	"portico/internal/testkit/api"
)

// A server is killed while the parts of an upload arrive. The next one has what had arrived of
// each part, and "portico upload" sends the rest of them.
func TestUpload_in_parts_survives_a_killed_server(t *testing.T) {
	t.Parallel()
	content := make([]byte, 70<<20)
	_, _ = rand.NewChaCha8([32]byte{9}).Read(content) // never fails
	path := filepath.Join(t.TempDir(), "hall.bin")
	check(t, os.WriteFile(path, content, 0o600))
	dir := dataDir(t)
	server := serve(t, dir)
	c := server.newUser(t, "sender@example.com")
	var created struct {
		Params struct {
			api.Upload
			Parts []struct {
				URL          string
				Offset, Size int
			}
		}
	}
	c.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": "hall.bin", "file_size": len(content), "content_type": "a/b", "resumable": true, "parts": 2,
	}).Want(200, &created)
	first, second := created.Params.Parts[0], created.Params.Parts[1]
	header := http.Header{"Tus-Resumable": {"1.0.0"}}
	header.Set("Authorization", "Bearer "+c.Key)
	header.Set("Content-Type", "application/offset+octet-stream")
	header.Set("Upload-Offset", "0")
	c.Send("PATCH", second.URL, header, bytes.NewReader(content[second.Offset:][:1<<20]), 1<<20).Want(204, nil)
	// More than the other part has, and then nothing.
	startPatch(t, c, first.URL, content[:33<<20], func() bool { return hasStoredPart(t, dir) })
	check(t, server.Cmd.Process.Kill())
	server.Wait()

	moved := serve(t, dir)
	c = moved.reconnect(c)
	_, id, _ := strings.Cut(created.Params.URL, "/uploads/")
	out, errs, code := runCommand(t, dir, []string{"PORTICO_URL=" + moved.URL, "PORTICO_KEY=" + c.Key},
		"upload", path, "--continue", moved.URL+"/uploads/"+id, "--json")
	if code != 0 {
		t.Fatalf("portico upload: got exit code %d and %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var resumed struct{ Percent float64 }
	var result client.StoredFile
	check(t, json.Unmarshal([]byte(lines[0]), &resumed))
	check(t, json.Unmarshal([]byte(lines[len(lines)-1]), &struct{ Result *client.StoredFile }{&result}))
	if resumed.Percent < 1 {
		t.Errorf("progress: got %s first, want what had arrived", lines[0])
	}
	file := c.Send("GET", result.URL, nil, http.NoBody, 0)
	if file.Status != 200 || !bytes.Equal(file.Body, content) {
		t.Errorf("the file: got %d and %d bytes, want 200 and the bytes of the file", file.Status, len(file.Body))
	}
}

// hasStoredPart reports whether the server of the folder has stored over a megabyte of some part.
func hasStoredPart(t *testing.T, dir string) bool {
	t.Helper()
	marks, err := filepath.Glob(filepath.Join(dir, "files", "partial", "*.parts", "*"))
	check(t, err)
	for _, mark := range marks {
		count, err := os.ReadFile(mark)
		if stored, _ := strconv.Atoi(strings.TrimSpace(string(count))); err == nil && stored > 1<<20 { // 0 while it is written
			return true
		}
	}
	return false
}
