package parity

import (
	"net/url"
	"path"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/splat/splattest"
)

// TestNames_of_any_script follows a result whose name is not ASCII through every
// door: it is used, listed, served, looked into and deleted like others.
func TestNames_of_any_script(t *testing.T) {
	t.Parallel()
	p := newWorld(t)
	for i, manifest := range []string{"客厅.lcc2", "Küche.lcc2", "Ku\u0308che und Bad.lcc2"} {
		t.Run(manifest, func(t *testing.T) {
			t.Parallel()
			alice := newPair(t, p, i, doors[0].open).files
			zip := api.Capture(t, splattest.Capture{Manifest: manifest, Folder: "réseau", Tiles: 1, TileBytes: 100})
			result := alice.Await(alice.StartJob("客厅.zip", zip)).Result
			if result == nil || path.Base(result.ResourceKey) != manifest {
				t.Fatalf("result: got %+v, want %s", result, manifest)
			}
			if escaped := url.PathEscape(manifest); !strings.HasSuffix(result.URL, "/"+escaped) {
				t.Errorf("address: got %s, want %s at its end", result.URL, escaped)
			}
			checkUsable(t, alice, result.ResourceKey, result.URL)
			checkDeletable(t, alice, result.ResourceKey, result.URL)
		})
	}
}

// checkUsable reads the file through each door and at its address.
func checkUsable(t *testing.T, c *api.Client, key, address string) {
	t.Helper()
	if got := c.Send("GET", address, nil, nil, 0); got.Status != 200 {
		t.Errorf("GET of the address: got %d, want 200", got.Status)
	}
	files, err := restDoor{c}.files()
	check(t, err)
	if len(files) != 1 || files[0].ResourceKey != key || files[0].URL != address {
		t.Errorf("files: got %+v, want %s at %s", files, key, address)
	}
	var file struct{ URL string }
	check(t, c.GraphQL(`query($key: ID!) { file(id: $key) { url } }`, map[string]any{"key": key}, &file))
	if file.URL != address {
		t.Errorf("file of GraphQL: got %q, want %q", file.URL, address)
	}
	check(t, c.Tool("get_file", map[string]any{"resource_key": key}, &file))
	if file.URL != address {
		t.Errorf("file of MCP: got %q, want %q", file.URL, address)
	}
}

// checkDeletable deletes the file by its resource key in a query.
func checkDeletable(t *testing.T, c *api.Client, key, address string) {
	t.Helper()
	c.Call("DELETE", "/v1/files?resource_key="+url.QueryEscape(key), nil).Want(200, nil)
	if got := c.Send("GET", address, nil, nil, 0); got.Status != 404 {
		t.Errorf("GET of the address once it is deleted: got %d, want 404", got.Status)
	}
}
