package proxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"portico/internal/testkit/api"
	"portico/model"
)

// cached is a server behind nginx with a cache.
type cached struct {
	proxied
	folder string // of the cache
}

// startCached starts both.
func startCached(t *testing.T, flags ...string) cached {
	t.Helper()
	nginx := find(t, "nginx")
	address, _ := freePort(t)
	p, server := newProxied(t, "http://portico.example", dialer(map[string]string{"80": address}), append(flags, "--files-url=http://portico-files.example")...)
	folder := t.TempDir()
	c := cached{p, filepath.Join(folder, "cache")}
	configure(t, "cache.conf", filepath.Join(folder, "portico.conf"),
		"/var/cache/nginx/portico", c.folder, "listen 80;", "listen "+address+";", "http://127.0.0.1:8081", "http://"+server)
	conf := filepath.Join(folder, "nginx.conf")
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n" // the workers write to a folder of the test
	}
	check(t, os.WriteFile(conf, fmt.Appendf(nil, user+nginxConf, folder), 0o600))
	p.start(t, syscall.SIGTERM, nginx, "-e", "stderr", "-p", folder, "-c", conf)
	return c
}

// get sends a request without a key, and returns the response, its body, and whether it came from the cache.
func (c cached) get(t *testing.T, address string, header http.Header) (response *http.Response, body []byte, hit bool) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	check(t, err)
	r.Header = header
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if r.Header.Get("Accept-Encoding") == "" {
		r.Header.Set("Accept-Encoding", "identity")
	}
	response, err = c.client.Do(r)
	check(t, err)
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	check(t, err)
	return response, body, response.Header.Get("X-Cache-Status") == "HIT"
}

// call sends JSON with the key, and reads the data of the response into v.
func (c cached) call(t *testing.T, method, path string, body, v any) {
	t.Helper()
	content, err := json.Marshal(body)
	check(t, err)
	response, answer := c.send(t, method, c.world.BaseURL()+path, jsonHeader(), bytes.NewReader(content), int64(len(content)))
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: got %d %s", method, path, response.StatusCode, answer)
	}
	check(t, json.Unmarshal([]byte(answer), &struct{ Data any }{v}))
}

// file is an uploaded file.
type file struct {
	Key     string `json:"resource_key"`
	URL     string
	ReadURL string `json:"read_url"`
}

// upload uploads a file and returns its addresses.
func (c cached) upload(t *testing.T, content []byte) file {
	t.Helper()
	u := c.create(t, false, len(content))
	header := http.Header{}
	for name, value := range u.Headers {
		header.Set(name, value)
	}
	if response, answer := c.send(t, u.Method, u.URL, header, bytes.NewReader(content), int64(len(content))); response.StatusCode != http.StatusOK {
		t.Fatalf("upload: got %d %s", response.StatusCode, answer)
	}
	address, _, _ := strings.Cut(u.URL, "?")
	var confirmed file
	c.call(t, http.MethodPost, "/v1/files/upload-complete", api.Completion(address), &confirmed)
	var listed struct{ Files []file }
	c.call(t, http.MethodGet, "/v1/files", nil, &listed)
	for _, f := range listed.Files {
		if f.Key == confirmed.Key {
			return f
		}
	}
	t.Fatalf("file %s is not listed", confirmed.Key)
	return file{}
}

// content returns bytes of more than two slices.
func content() []byte {
	random := rand.NewChaCha8([32]byte{1})
	made := make([]byte, 9<<20)
	_, _ = random.Read(made) // never fails
	return made
}

func TestCache_keeps_what_everyone_may_read(t *testing.T) {
	t.Parallel()
	c := startCached(t)
	want := content()
	f := c.upload(t, want)
	c.wantCached(t, f.URL, "public, max-age=31536000, immutable", want)
	t.Run("ranges across slices", func(t *testing.T) {
		const first, last = 4<<20 - 5, 8<<20 + 5
		response, body, hit := c.get(t, f.URL, http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", first, last)}})
		if response.StatusCode != http.StatusPartialContent || !bytes.Equal(body, want[first:last+1]) || !hit {
			t.Errorf("got %d, %d bytes, from the cache %v, want the bytes from the cache", response.StatusCode, len(body), hit)
		}
	})
	var space struct{ SpaceID string }
	c.call(t, http.MethodPost, "/v1/spaces", map[string]string{"title": "Hall", "privacy": "Public"}, &space)
	compressed := 0
	for _, path := range []string{"/signup", "/" + space.SpaceID} {
		_, page, _ := c.get(t, c.world.BaseURL()+path, nil)
		for _, asset := range regexp.MustCompile(`(?:src|href)="(/[^"]+\.(?:css|m?js)[^"]*)"`).FindAllStringSubmatch(string(page), -1) {
			address := c.world.BaseURL() + asset[1]
			response, plain, _ := c.get(t, address, nil)
			c.wantCached(t, address, "public, max-age=31536000, immutable", plain)
			if !strings.Contains(response.Header.Get("Vary"), "Accept-Encoding") {
				continue // nobody gets it compressed
			}
			for range 2 {
				response, zipped, _ := c.get(t, address, http.Header{"Accept-Encoding": {"gzip"}})
				if response.Header.Get("Content-Encoding") != "gzip" || bytes.Equal(zipped, plain) {
					t.Errorf("%s with gzip: got %v", asset[1], response.Header)
				}
			}
			compressed++
		}
	}
	if compressed == 0 {
		t.Error("no file of the pages is compressed")
	}
}

// wantCached loads an address twice; the second response comes from the cache.
func (c cached) wantCached(t *testing.T, address, control string, want []byte) {
	t.Helper()
	for i := range 2 {
		response, body, hit := c.get(t, address, nil)
		if got := response.Header.Get("Cache-Control"); response.StatusCode != http.StatusOK || got != control || !bytes.Equal(body, want) || hit != (i == 1) && i == 1 {
			t.Errorf("%s, request %d: got %d, %q, %d bytes, from the cache %v, want 200, %q, %d bytes, %v",
				address, i+1, response.StatusCode, got, len(body), hit, control, len(want), i == 1)
		}
	}
}

func TestCache_keeps_nothing_of_accounts(t *testing.T) {
	t.Parallel()
	c := startCached(t)
	other := c.world.NewClient(t, model.CreateUser{Email: "eve@example.com", Name: "Eve", Plan: model.PlanPro, Quota: 1 << 30})
	var space struct{ SpaceID string }
	c.call(t, http.MethodPost, "/v1/spaces", map[string]string{"title": "Hall", "privacy": "Public"}, &space)
	base := c.world.BaseURL()
	for _, path := range []string{
		"/", "/login", "/signup", "/account", "/console", "/gallery", "/v1/user/me", "/v1/spaces", "/v1/files",
		"/v1/spaces/" + space.SpaceID, "/v1/spaces/" + space.SpaceID + "/screenshot", "/" + space.SpaceID,
		"/graphql?query=" + "%7Bviewer%7Bemail%7D%7D",
	} {
		var first string
		for _, key := range []string{c.key, c.key, other.Key, ""} {
			header := http.Header{}
			if key != "" {
				header.Set("Authorization", "Bearer "+key)
			}
			response, body, hit := c.get(t, base+path, header)
			if hit {
				t.Errorf("%s: it came from the cache (%s)", path, response.Header.Get("Cache-Control"))
			}
			if first == "" {
				first = string(body)
			}
			if key != c.key && strings.Contains(string(body), "ada@example.com") {
				t.Errorf("%s: the answer to Ada reached somebody else: %.200s", path, body)
			}
		}
	}
}

func TestCache_gives_a_protected_file_back(t *testing.T) {
	t.Parallel()
	c := startCached(t, "--files-access=protected")
	want := content()
	f := c.upload(t, want)
	for i := range 2 {
		response, body, hit := c.get(t, f.ReadURL, nil)
		if response.StatusCode != http.StatusOK || !bytes.Equal(body, want) || hit || !strings.HasPrefix(response.Header.Get("Cache-Control"), "private,") {
			t.Errorf("signed address, request %d: got %d, %d bytes, from the cache %v, %q", i+1, response.StatusCode, len(body), hit, response.Header.Get("Cache-Control"))
		}
	}
	if response, _, _ := c.get(t, f.URL, nil); response.StatusCode != http.StatusNotFound {
		t.Errorf("a file that no space shows: got %d, want 404", response.StatusCode)
	}
	var space struct{ SpaceID string }
	c.call(t, http.MethodPost, "/v1/spaces", map[string]string{"title": "Hall", "privacy": "Public", "resource_key": f.Key}, &space)
	api.Eventually(t, "the space shows the file", func() bool {
		response, _, _ := c.get(t, f.URL, nil)
		return response.StatusCode == http.StatusOK
	})
	c.wantCached(t, f.URL, "public, max-age=60", want)
	c.call(t, http.MethodPut, "/v1/spaces/"+space.SpaceID, map[string]string{"privacy": "Private"}, nil)
	c.expire(t)
	if response, body, _ := c.get(t, f.URL, nil); response.StatusCode != http.StatusNotFound {
		t.Errorf("a file of a space that is private, after its lifetime: got %d and %d bytes, want 404", response.StatusCode, len(body))
	}
}

// expire lets the lifetime of everything in the cache end. nginx reads it from the head of each file: a
// version and the time, of eight bytes each (ngx_http_file_cache_header_t).
func (c cached) expire(t *testing.T) {
	t.Helper()
	expired := 0
	check(t, filepath.WalkDir(c.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		expired++
		_, err = file.WriteAt(make([]byte, strconv.IntSize/8), strconv.IntSize/8)
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
		return err
	}))
	if expired == 0 {
		t.Fatal("nothing is in the cache")
	}
}
