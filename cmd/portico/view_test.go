package main

import (
	"bufio"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// opened is a running "portico view".
type opened struct {
	t       *testing.T
	address string
	// shown is what the page says of its capture.
	shown struct {
		Name, ViewURL string
		CollisionURL  *string
		Start         *struct{ Scene string }
	}
	isTurned bool // as entities with Gaussians are
}

// runView runs "portico view" on a capture, calls look while it serves, and stops it. It must
// leave no temporary file behind.
func runView(t *testing.T, path string, look func(opened), flags ...string) {
	t.Helper()
	temporary := t.TempDir()
	cmd := installation(t.TempDir()).Command(nil, append([]string{"view", "--json", "--no-open", path}, flags...)...)
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	o := opened{t: t}
	for text := bufio.NewScanner(out); o.address == "" && text.Scan(); {
		var line struct{ Result struct{ URL string } }
		check(t, json.Unmarshal(text.Bytes(), &line))
		o.address = line.Result.URL
	}
	if o.address != "" {
		page, _ := o.get("", "")
		described := regexp.MustCompile(`data-local="([^"]*)"`).FindStringSubmatch(page)
		if described == nil {
			t.Fatalf("the page describes no capture: %s", page)
		}
		var space struct {
			Entities []struct {
				Data struct{ Rotation *struct{ Z float64 } }
				File json.RawMessage
			}
		}
		check(t, json.Unmarshal([]byte(html.UnescapeString(described[1])), &space))
		check(t, json.Unmarshal(space.Entities[0].File, &o.shown))
		o.isTurned = space.Entities[0].Data.Rotation != nil && space.Entities[0].Data.Rotation.Z == 180
		look(o)
		check(t, cmd.Process.Signal(syscall.SIGTERM))
	}
	_, err = io.Copy(io.Discard, out)
	check(t, err)
	check(t, cmd.Wait())
	if left := entries(t, temporary); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// get returns the body and the status of an address of the page. A host replaces the page's.
func (o opened) get(path, host string) (body string, status int) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, strings.TrimSuffix(o.address, "/")+"/"+strings.TrimPrefix(path, "/"), http.NoBody)
	check(o.t, err)
	r.Host = host
	response, err := http.DefaultClient.Do(r)
	check(o.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(o.t, err)
	return string(text), response.StatusCode
}

func TestView_shows_a_capture_with_a_floor(t *testing.T) {
	t.Parallel()
	in := scan(t, 400)
	runView(t, in, func(o opened) {
		if !o.isTurned || o.shown.CollisionURL == nil || o.shown.Start == nil {
			t.Fatalf("got %+v, want Gaussians with a floor and a start", o.shown)
		}
		for _, address := range []string{o.shown.ViewURL, *o.shown.CollisionURL, strings.Replace(*o.shown.CollisionURL, ".json", ".bin", 1)} {
			if body, status := o.get(address, ""); status != http.StatusOK || body == "" {
				t.Errorf("%s: got status %d with %d bytes", address, status, len(body))
			}
		}
		for _, address := range []string{"/capture/", "/capture/" + filepath.Base(in), "/capture/%2e%2e/floor.voxel.json", "/collision/", "/graphql"} {
			if _, status := o.get(address, ""); status != http.StatusNotFound {
				t.Errorf("%s: got status %d, want 404", address, status)
			}
		}
		if _, status := o.get("/", "portico.example"); status != http.StatusMisdirectedRequest {
			t.Errorf("another host: got status %d, want 421", status)
		}
	})
	runView(t, in, func(o opened) {
		if o.shown.CollisionURL != nil {
			t.Errorf("got %+v, want no floor", o.shown)
		}
	}, "--no-collision")
}

func TestView_shows_files_as_they_are(t *testing.T) {
	t.Parallel()
	in, folder := scan(t, 400), t.TempDir()
	mesh := filepath.Join(folder, "floor.collision.glb")
	if _, stderr, code := spatial(t, "convert", "--voxel-size=0.5", "--collision-mesh=faces", in, mesh); code != 0 {
		t.Fatal(stderr)
	}
	check(t, os.WriteFile(filepath.Join(folder, "secret.txt"), []byte("not shown"), 0o600))
	runView(t, folder, func(o opened) { // the only capture in the folder
		if o.isTurned || o.shown.ViewURL != "/capture/floor.collision.glb" {
			t.Fatalf("got %+v, want the mesh", o.shown)
		}
		want, err := os.ReadFile(mesh)
		check(t, err)
		if body, status := o.get(o.shown.ViewURL, ""); status != http.StatusOK || body != string(want) {
			t.Errorf("mesh: got status %d, %d bytes, want %d", status, len(body), len(want))
		}
		if _, status := o.get("/capture/secret.txt", ""); status != http.StatusNotFound {
			t.Errorf("another file of the folder: got status %d, want 404", status)
		}
	})
	streamed := filepath.Join(t.TempDir(), "room")
	if _, stderr, code := spatial(t, "convert", in, streamed); code != 0 {
		t.Fatal(stderr)
	}
	runView(t, streamed, func(o opened) {
		want, err := os.ReadFile(filepath.Join(streamed, "lod-meta.json"))
		check(t, err)
		if body, _ := o.get(o.shown.ViewURL, ""); body != string(want) {
			t.Errorf("streamed SOG: got %.100s, want its own manifest", body)
		}
	}, "--no-collision")
}

func TestView_prints_the_address_without_an_empty_line(t *testing.T) {
	t.Parallel()
	cmd := installation(t.TempDir()).Command(nil, "view", "--no-open", "--no-collision", scan(t, 400))
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	check(t, err)
	if !strings.Contains(line, " is open at http://127.0.0.1:") {
		t.Errorf("first line: got %q, want the address", line)
	}
	check(t, cmd.Process.Signal(syscall.SIGTERM))
	check(t, cmd.Wait())
}

func TestView_refuses(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "notes.txt")
	check(t, os.WriteFile(text, []byte("notes"), 0o600))
	for _, test := range []struct{ path, want string }{
		{text, "cannot be shown"},
		{t.TempDir(), "no capture in this folder"},
		{filepath.Join(t.TempDir(), "none.ply"), "no such file"},
	} {
		if _, stderr, code := spatial(t, "view", "--no-open", test.path); code == 0 || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: got code %d, %q, want %q", test.path, code, stderr, test.want)
		}
	}
}
