package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/s3"
	"portico/model"
	"portico/server"
)

// TestProtectedFiles protects the files of a folder and of a private bucket: only their
// owner reads them, by addresses that every door gives, until a space shows them.
func TestProtectedFiles(t *testing.T) { //nolint:paralleltest // it sets variables that the bucket's keys come by
	for _, variable := range s3.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	gateway := s3.Start(t)
	bucket := "s3://" + gateway.PrivateBucket(t) + "?endpoint=" + gateway.Endpoint
	for name, flags := range map[string][]string{"in a folder": nil, "in a bucket": {"--storage-url=" + bucket}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testProtected(t, runProgram(t, append(flags, "--files-access=protected")...))
		})
	}
}

func testProtected(t *testing.T, p *server.Program) {
	alice, bob := newCaller(t, p, "alice@example.com"), newCaller(t, p, "bob@example.com")
	var file struct {
		ResourceKey string `json:"resource_key"`
		URL         string `json:"url"`
	}
	alice.call("POST", "/v1/files/upload-complete", completion(alice.put("cat.json", text(`{"cat":1}`)))).want(200, &file)
	if !strings.HasPrefix(file.URL, p.FilesURL()+"/"+alice.id+"/") {
		t.Errorf("address: got %s, want one below %s", file.URL, p.FilesURL())
	}
	var space struct {
		SpaceURL string `json:"space_url"`
	}
	alice.call("POST", "/v1/user/create-space", map[string]string{"resource_key": file.ResourceKey}).want(200, &space)
	id := space.SpaceURL[strings.LastIndex(space.SpaceURL, "/")+1:]
	for door, address := range readAddresses(t, alice, id, file.ResourceKey) {
		if got := bob.send("GET", address, nil, http.NoBody, 0); got.status != 200 || string(got.body) != `{"cat":1}` {
			t.Errorf("address of %s: got %d %s, want the file", door, got.status, got.body)
		}
		if strings.Contains(address, "?") || !strings.HasSuffix(address, "/"+file.ResourceKey) {
			t.Errorf("address of %s: got %s, want one without a query that ends in the key", door, address)
		}
	}
	// The address that is stored is nobody's key.
	alice.send("GET", file.URL, nil, http.NoBody, 0).want(404, nil)
	for _, step := range []struct {
		privacy model.Privacy
		status  int
	}{{model.LinkOnly, 200}, {model.Private, 404}, {model.Public, 200}, {model.Private, 404}} {
		check(t, restDoor{alice}.updatePrivacy(id, step.privacy))
		eventually(t, fmt.Sprintf("a file in a %s space answers %d", step.privacy, step.status), func() bool {
			return bob.send("GET", file.URL, nil, http.NoBody, 0).status == step.status
		})
	}
}

// readAddresses returns the address that each door gives the owner of a file.
func readAddresses(t *testing.T, c *client, space, resourceKey string) map[string]string {
	t.Helper()
	var listed struct {
		Files []struct {
			ReadURL string `json:"read_url"`
			ViewURL string `json:"view_url"`
		}
	}
	c.call("GET", "/v1/files", nil).want(200, &listed)
	var file struct{ ReadURL, ViewURL string }
	check(t, graphDoor{c}.ask("query($key: String!) { file(resourceKey: $key) { readUrl viewUrl } }", map[string]any{"key": resourceKey}, &file))
	var shown struct {
		Entities struct{ Nodes []struct{ ReadURL string } }
	}
	check(t, graphDoor{c}.ask("query($id: ID!) { space(id: $id) { entities { nodes { readUrl } } } }", map[string]any{"id": space}, &shown))
	var known struct {
		ReadURL string `json:"read_url"`
	}
	check(t, mcpDoor{c}.use("get_file", map[string]any{"resource_key": resourceKey}, &known))
	if len(listed.Files) != 1 || len(shown.Entities.Nodes) != 1 {
		t.Fatalf("got %v and %v, want a file and an entity", listed, shown)
	}
	return map[string]string{
		"REST": listed.Files[0].ReadURL, "REST, for viewers": listed.Files[0].ViewURL,
		"GraphQL": file.ReadURL, "GraphQL, for viewers": file.ViewURL,
		"GraphQL, of the entity": shown.Entities.Nodes[0].ReadURL, "MCP": known.ReadURL,
	}
}
