package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"portico/client"
	"portico/cmd/portico/command"
	"portico/cmd/portico/workspace"
	"portico/internal/testkit/api"
	"portico/model"
	"portico/splat/splattest"
)

// losingProxy forwards requests to a server, and loses the responses to those whose path has
// this suffix: the client gets 502.
func losingProxy(t *testing.T, server, suffix string) string {
	t.Helper()
	return proxyThatLoses(t, server, func(path string) bool { return strings.HasSuffix(path, suffix) })
}

// proxyThatLoses forwards requests to a server, and loses the responses from the chosen paths.
func proxyThatLoses(t *testing.T, server string, loses func(path string) bool) string {
	t.Helper()
	return proxyThatReplaces(t, server, func(path string) int {
		if loses(path) {
			return http.StatusBadGateway
		}
		return 0
	})
}

// proxyThatReplaces forwards requests to a server, and replaces the responses from the paths for
// which the function returns a status.
func proxyThatReplaces(t *testing.T, server string, replaces func(path string) (status int)) string {
	t.Helper()
	target, err := url.Parse(server)
	check(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(response *http.Response) error {
			if status := replaces(response.Request.URL.Path); status != 0 {
				return replacedError(status)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if status, ok := errors.AsType[replacedError](err); ok {
				w.WriteHeader(int(status))
				return
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Without it, the first byte of a response closes the body that the proxy may still read.
		_ = http.NewResponseController(w).EnableFullDuplex() // never fails over HTTP/1.1
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// The change set was applied, so its large asset must not be deleted with the failed push.
func TestPush_without_an_answer_keeps_what_it_uploaded(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	server := serve(t, data)
	c := server.newUser(t, "unlucky@example.com")
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]string{"title": "Mill"}).Want(201, &space)
	env := []string{"PORTICO_URL=" + losingProxy(t, server.URL, "/changeset"), "PORTICO_KEY=" + c.Key}
	f := spaceFolder{t, t.TempDir(), data, env}
	if out, code := f.pull(space.SpaceID); code != 0 {
		t.Fatalf("pull: got %s", out)
	}
	hall := strings.Repeat("hall", workspace.MaxInlineBytes/4+1)
	f.write("space/assets/hall.bin", hall)
	if out, code := f.run("push"); code == 0 {
		t.Errorf("push without a response: got exit code 0 and %s, want an error", out)
	}
	other := spaceFolder{t, filepath.Join(t.TempDir(), "other"), data, []string{"PORTICO_URL=" + server.URL, "PORTICO_KEY=" + c.Key}}
	if out, code := other.pull(space.SpaceID); code != 0 {
		t.Fatalf("pull: got %s", out)
	}
	if got := other.read("space/assets/hall.bin"); got != hall {
		t.Errorf("asset: got %d bytes, want the %d that were pushed", len(got), len(hall))
	}
}

// The space is changed and the folder is not: the user and a script learn both.
func TestPush_says_what_it_has_changed_when_the_folder_cannot_be_updated(t *testing.T) {
	t.Parallel()
	f := newSpaceOfOwner(t)
	var isPushed atomic.Bool
	f.env[0] = "PORTICO_URL=" + proxyThatLoses(t, f.server.URL, func(path string) bool {
		if strings.HasSuffix(path, "/changeset") {
			isPushed.Store(true)
		}
		return isPushed.Load() && strings.HasSuffix(path, "/pull")
	})
	if out, code := f.pull(f.spaceID); code != 0 {
		t.Fatalf("pull: got %s", out)
	}
	const text = "the space was changed, but the folder was not updated: run portico pull: 502 Bad Gateway"
	f.write(chairFile, `{"type":"Simple","data":{"label":"Chair"}}`)
	out, code := f.run("push")
	if code != command.ExitFailed {
		t.Errorf("push: got exit code %d, want %d", code, command.ExitFailed)
	}
	wantContains(t, "push", out, "update_entity chair\n1 change was made\n", text)
	isPushed.Store(false)
	if out, code := f.pull(f.spaceID); code != 0 {
		t.Errorf("pull after the push: got %s", out)
	}
	f.write(chairFile, `{"type":"Simple","data":{"label":"Stool"}}`)
	out, _ = f.run("push", "--json")
	wantContains(t, "push --json", out, `"applied":[{"op":"update_entity","target":"chair"}]`, `"error":"`+text)
}

// replacedError is the status with which proxyThatReplaces replaces a response.
type replacedError int

// Error implements error.
func (replacedError) Error() string { return "the response is replaced" }

// capture returns the zip of a small capture.
func capture(t *testing.T) *os.File {
	t.Helper()
	packed, err := os.Create(filepath.Join(t.TempDir(), "hall.zip"))
	check(t, err)
	t.Cleanup(func() { check(t, packed.Close()) })
	check(t, splattest.LCCCapture{Splats: 200, Levels: 1, Columns: 1, Rows: 1, Seed: 1}.Zip(packed))
	return packed
}

// The server has stored the file, whose key only the responses name.
func TestUpload_asks_again_after_a_lost_answer(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t))
	c := server.newUser(t, "unlucky@example.com")
	var lost sync.Map // the first response of the confirmation, and of the job
	proxy := proxyThatLoses(t, server.URL, func(path string) bool {
		_, wasLost := lost.LoadOrStore(path, true)
		return !wasLost && (strings.HasSuffix(path, "/upload-complete") || strings.Contains(path, "/jobs/"))
	})
	r := &client.Client{Server: proxy, Key: c.Key}
	stored, err := r.Upload(t.Context(), capture(t), "hall.zip", func(int64, string) {})
	if err != nil || stored.ResourceKey == "" {
		t.Fatalf("upload: got %+v and %v, want the stored file", stored, err)
	}
	if got := c.Call("GET", "/v1/files", nil); !strings.Contains(string(got.Body), `"total":1`) {
		t.Errorf("files: got %s, want one", got.Body)
	}
}

// The reservation of a request whose response was lost leaves no room for the next request.
func TestUpload_says_what_may_use_the_storage(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t))
	c := server.newUser(t, "unlucky@example.com", "--quota", "2KB")
	content, err := os.Create(filepath.Join(t.TempDir(), "hall.bin"))
	check(t, err)
	defer content.Close()
	check(t, content.Truncate(1500))
	r := &client.Client{Server: proxyThatLoses(t, server.URL, firstResponses("/files/upload")), Key: c.Key}
	_, err = r.Upload(t.Context(), content, "hall.bin", func(int64, string) {})
	if err == nil {
		t.Fatal("upload: got no error, want that the storage is full")
	}
	wantContains(t, "upload", err.Error(), model.QuotaExceeded, "may have reserved the storage: try again after a day")
}

// The response to the creation of the entity is lost, and the user runs the command again.
func TestUpload_places_a_file_once(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := serve(t, dir)
	c := server.newUser(t, "unlucky@example.com")
	var space struct{ SpaceID string }
	c.Call("POST", "/v1/spaces", map[string]string{"title": "Hall"}).Want(201, &space)
	var created struct{ Params api.Upload }
	c.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": "hall.bin", "file_size": 4, "content_type": "a/b", "resumable": true,
	}).Want(200, &created)
	path := filepath.Join(t.TempDir(), "hall.bin")
	check(t, os.WriteFile(path, []byte("hall"), 0o600))
	var requests atomic.Int64 // of entities: the first one checks the space, the second one creates
	proxy := proxyThatLoses(t, server.URL, func(path string) bool {
		return strings.HasSuffix(path, "/entities") && requests.Add(1) == 2
	})
	ids := map[string]bool{}
	for range 2 {
		out, errs, code := runCommand(t, dir, []string{"PORTICO_URL=" + proxy, "PORTICO_KEY=" + c.Key},
			"upload", path, "--continue", created.Params.URL, "--space", space.SpaceID, "--json")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var last struct{ Result client.StoredFile }
		if code != 0 || json.Unmarshal([]byte(lines[len(lines)-1]), &last) != nil {
			t.Errorf("upload: got exit code %d, %s and %s, want the result", code, out, errs)
		}
		ids[last.Result.EntityID] = true
	}
	if got := c.entities(space.SpaceID); len(got) != 1 || len(ids) != 1 || !ids[got[0].EntityID] {
		t.Errorf("entities: got %+v and the results %v, want one entity in both", got, ids)
	}
}

// An interrupt ends the command between the confirmation and its result.
func TestUpload_that_is_interrupted_leaves_nothing(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	server := serve(t, dir)
	waiting := serve(t, dataDir(t), "PORTICO_WORKERS=0") // its jobs do not start
	for _, test := range []struct {
		name, file string
		server     *process
		// interrupts reports whether the command is interrupted at a response from this path.
		interrupts func(c *user, path string) bool
	}{
		{"before it knows its file", "hall.bin", server, func(_ *user, path string) bool { return strings.HasSuffix(path, "/upload-complete") }},
		{"before it knows its job", "hall.zip", waiting, func(_ *user, path string) bool { return strings.HasSuffix(path, "/upload-complete") }},
		{"while its job waits", "hall.zip", waiting, func(_ *user, path string) bool { return strings.Contains(path, "/jobs/") }},
		{"when its job has ended", "hall.zip", server, func(c *user, path string) bool {
			if !strings.Contains(path, "/jobs/") {
				return false
			}
			api.Eventually(c.T, "the file is there", func() bool { return len(c.files()) > 0 })
			return true
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := test.server.newUser(t, strings.ReplaceAll(test.name, " ", "-")+"@example.com")
			ctx, interrupt := context.WithCancel(t.Context())
			var once sync.Once
			proxy := proxyThatLoses(t, test.server.URL, func(path string) (lost bool) {
				if test.interrupts(c, path) {
					once.Do(func() {
						interrupt()
						lost = true
					})
				}
				return lost
			})
			stored, err := (&client.Client{Server: proxy, Key: c.Key}).Upload(ctx, capture(t), test.file, func(int64, string) {})
			if !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "delete") {
				t.Errorf("upload: got %+v and %v, want only the interrupt", stored, err)
			}
			if files := c.files(); len(files) > 0 {
				t.Errorf("files: got %v, want none", files)
			}
			var me struct{ Storage struct{ Used int64 } }
			if c.Call("GET", "/v1/user/me", nil).Want(200, &me); me.Storage.Used > 0 {
				t.Errorf("storage: got %d bytes, want none", me.Storage.Used)
			}
		})
	}
}
