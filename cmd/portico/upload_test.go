package main

import (
	"bytes"
	"encoding/json"
	"io"
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

// A server is killed in the middle of an upload. The next one has what had arrived, and
// "portico upload" continues behind it and places the file in a space.
func TestUpload_survives_a_killed_server(t *testing.T) {
	t.Parallel()
	content := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(content) // never fails
	path := filepath.Join(t.TempDir(), "hall.bin")
	check(t, os.WriteFile(path, content, 0o600))
	dir := dataDir(t)
	server := serve(t, dir)
	c := server.newUser(t, "sender@example.com")
	var created struct{ Params api.Upload }
	c.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": "hall.bin", "file_size": len(content), "content_type": "a/b", "resumable": true,
	}).Want(200, &created)
	address, half := created.Params.URL, len(content)/2
	hangPatch(t, c, address, content[:half], dir)
	check(t, server.Cmd.Process.Kill())
	server.Wait()

	moved := serve(t, dir)
	c = moved.reconnect(c)
	_, id, _ := strings.Cut(address, "/uploads/")
	address = moved.URL + "/uploads/" + id
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]string{"title": "Hall"}).Want(201, &space)
	out, errs, code := runCommand(t, dir, []string{"PORTICO_URL=" + moved.URL, "PORTICO_KEY=" + c.Key},
		"upload", path, "--continue", address, "--space", space.SpaceID, "--json")
	if code != 0 {
		t.Fatalf("portico upload: got exit code %d and %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var result client.StoredFile
	check(t, json.Unmarshal([]byte(lines[len(lines)-1]), &struct{ Result *client.StoredFile }{&result}))
	file := c.Send("GET", result.URL, nil, http.NoBody, 0)
	if file.Status != 200 || !bytes.Equal(file.Body, content) {
		t.Errorf("the file: got %d and %d bytes, want 200 and the bytes of the file", file.Status, len(file.Body))
	}
	if result.EntityID == "" {
		t.Errorf("result: got %+v, want the entity in the space", result)
	}
}

// hangPatch sends a piece in a request that does not end, and returns when it is stored.
func hangPatch(t *testing.T, c *user, address string, piece []byte, dir string) {
	t.Helper()
	startPatch(t, c, address, piece, func() bool {
		files, err := filepath.Glob(filepath.Join(dir, "files", "partial", "*"))
		check(t, err)
		if len(files) != 1 {
			return false
		}
		info, err := os.Stat(files[0])
		return err == nil && info.Size() == int64(len(piece))
	})
}

// startPatch sends a piece in a request that does not end, and returns when stored returns true.
func startPatch(t *testing.T, c *user, address string, piece []byte, stored func() bool) {
	t.Helper()
	body, w := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, address, body)
	check(t, err)
	r.Header.Set("Tus-Resumable", "1.0.0")
	r.Header.Set("Authorization", "Bearer "+c.Key)
	r.Header.Set("Content-Type", "application/offset+octet-stream")
	r.Header.Set("Upload-Offset", strconv.Itoa(0))
	go func() {
		if response, err := http.DefaultClient.Do(r); err == nil { // the server is killed
			_ = response.Body.Close()
		}
	}()
	_, err = w.Write(piece)
	check(t, err)
	api.Eventually(t, "the piece is stored", stored)
}

func TestUpload_says_what_the_server_refuses(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := serve(t, dir)
	c := server.newUser(t, "sender@example.com")
	path := filepath.Join(t.TempDir(), "virus.exe")
	check(t, os.WriteFile(path, []byte("x"), 0o600))
	for key, want := range map[string]string{c.Key: "file_name must end in one of", "x": "Invalid or expired API key"} {
		_, errs, code := runCommand(t, dir, nil, "upload", path, "--server", server.URL, "--key", key)
		if code == 0 || !strings.Contains(errs, want) {
			t.Errorf("got exit code %d and %q, want %q", code, errs, want)
		}
	}
}

// A wrong space is refused before the file is sent, so that nothing is stored.
func TestUpload_checks_the_space_first(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := serve(t, dir)
	c, other := server.newUser(t, "sender@example.com"), server.newUser(t, "other@example.com")
	var public struct{ SpaceID string }
	other.Call("POST", "/v1/spaces", map[string]string{"title": "Hall", "privacy": "Public"}).Want(201, &public)
	path := filepath.Join(t.TempDir(), "hall.bin")
	check(t, os.WriteFile(path, []byte("hall"), 0o600))
	for space, want := range map[string]string{
		"nowhere":      "--space=nowhere: Space not found",
		"../user/me":   "--space=../user/me: Space not found",
		public.SpaceID: "You are not authorized to access this space",
	} {
		_, errs, code := runCommand(t, dir, nil, "upload", path, "--space", space, "--server", server.URL, "--key", c.Key)
		if code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: got exit code %d and %q, want %q", space, code, errs, want)
		}
	}
	if files := c.files(); len(files) != 0 {
		t.Errorf("files: got %v, want none", files)
	}
}
