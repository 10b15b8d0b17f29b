package parity

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/s3"
	"portico/internal/testkit/world"
	"portico/model"
)

// Until then only their owner reads them, by addresses that every interface returns.
func TestProtectedFiles_are_hidden_until_a_space_shows_them(t *testing.T) { //nolint:paralleltest // it sets variables that the bucket's keys come by
	for _, variable := range s3.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	gateway := s3.Start(t)
	bucket := "s3://" + gateway.PrivateBucket(t) + "?endpoint=" + gateway.Endpoint
	for name, flags := range map[string][]string{"in a folder": nil, "in a bucket": {"--storage-url=" + bucket}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testProtected(t, world.Start(t, append(flags, "--files-access=protected")...))
		})
	}
}

func testProtected(t *testing.T, p world.World) {
	alice, bob := p.NewClient(t, pro("alice")), p.NewClient(t, pro("bob"))
	var file struct {
		ResourceKey string `json:"resource_key"`
		URL         string `json:"url"`
	}
	alice.Call("POST", "/v1/files/upload-complete", api.Completion(alice.Put("cat.json", api.Text(`{"cat":1}`)))).Want(200, &file)
	if !strings.HasPrefix(file.URL, p.FilesURL()+"/"+alice.ID+"/") {
		t.Errorf("address: got %s, want one below %s", file.URL, p.FilesURL())
	}
	var space struct {
		SpaceURL string `json:"space_url"`
	}
	alice.Call("POST", "/v1/user/create-space", map[string]string{"resource_key": file.ResourceKey}).Want(200, &space)
	id := space.SpaceURL[strings.LastIndex(space.SpaceURL, "/")+1:]
	for door, address := range readAddresses(t, alice, id, file.ResourceKey) {
		if got := bob.Send("GET", address, nil, http.NoBody, 0); got.Status != 200 || string(got.Body) != `{"cat":1}` {
			t.Errorf("address of %s: got %d %s, want the file", door, got.Status, got.Body)
		}
		if strings.Contains(address, "?") || !strings.HasSuffix(address, "/"+file.ResourceKey) {
			t.Errorf("address of %s: got %s, want one without a query that ends in the key", door, address)
		}
	}
	// The stored address gives nobody access.
	alice.Send("GET", file.URL, nil, http.NoBody, 0).Want(404, nil)
	for _, step := range []struct {
		privacy model.Privacy
		status  int
	}{{model.LinkOnly, 200}, {model.Private, 404}, {model.Public, 200}, {model.Private, 404}} {
		check(t, restDoor{alice}.updatePrivacy(id, step.privacy))
		api.Eventually(t, fmt.Sprintf("a file in a %s space returns %d", step.privacy, step.status), func() bool {
			return bob.Send("GET", file.URL, nil, http.NoBody, 0).Status == step.status
		})
	}
}

// readAddresses returns the address that each door gives the owner of a file.
func readAddresses(t *testing.T, c *api.Client, space, resourceKey string) map[string]string {
	t.Helper()
	var listed struct {
		Files []struct {
			ReadURL string `json:"read_url"`
			ViewURL string `json:"view_url"`
		}
	}
	c.Call("GET", "/v1/files", nil).Want(200, &listed)
	var file struct{ ReadURL, ViewURL string }
	check(t, c.GraphQL("query($key: ID!) { file(id: $key) { readUrl viewUrl } }", map[string]any{"key": resourceKey}, &file))
	var shown struct {
		Entities struct{ Nodes []struct{ ReadURL string } }
	}
	check(t, c.GraphQL("query($id: ID!) { space(id: $id) { entities { nodes { readUrl } } } }", map[string]any{"id": space}, &shown))
	var known struct {
		ReadURL string `json:"read_url"`
	}
	check(t, c.Tool("get_file", map[string]any{"resource_key": resourceKey}, &known))
	if len(listed.Files) != 1 || len(shown.Entities.Nodes) != 1 {
		t.Fatalf("got %v and %v, want a file and an entity", listed, shown)
	}
	return map[string]string{
		"REST": listed.Files[0].ReadURL, "REST, for viewers": listed.Files[0].ViewURL,
		"GraphQL": file.ReadURL, "GraphQL, for viewers": file.ViewURL,
		"GraphQL, of the entity": shown.Entities.Nodes[0].ReadURL, "MCP": known.ReadURL,
	}
}

// pro returns an account with a plan that allows every privacy.
func pro(name string) model.CreateUser {
	return model.CreateUser{Email: name + "@example.com", Plan: model.PlanPro, Quota: 1 << 20}
}
