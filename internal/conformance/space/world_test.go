package space_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"portico/auth"
	"portico/internal/testkit/api"
	"portico/internal/testkit/browser"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
	"portico/internal/testkit/world"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// The account that owns the spaces.
const ownerEmail, ownerPassword = "owner@example.com", "a horse walks into a battery"

// site is a running server whose spaces a browser visits.
type site struct {
	*api.Client // the owner of the spaces
	scripts     *browser.Scripts
	world       world.World
}

// newSite starts a server with a worker and these flags of portico serve. It skips the test if
// the browser is missing.
func newSite(t *testing.T, flags ...string) site {
	t.Helper()
	scripts := browser.New(t, browser.Options{Name: "space", Scripts: "node"})
	s := newServer(t, flags...)
	s.scripts = scripts
	return s
}

// newServer is newSite without a browser.
func newServer(t *testing.T, flags ...string) site {
	t.Helper()
	s := newServerWithoutWorker(t, flags...)
	s.world.StartWorker(t, s3.Environment()...)
	return s
}

// newServerWithoutWorker is newServer without its worker, so that nothing is made of files.
func newServerWithoutWorker(t *testing.T, flags ...string) site {
	t.Helper()
	w := world.Start(t, flags...)
	s := site{world: w}
	hash, err := auth.NewPasswords().Hash(t.Context(), ownerPassword)
	check(t, err)
	s.Client = w.NewClient(t, model.CreateUser{Email: ownerEmail, PasswordHash: hash, Plan: model.PlanPro, Quota: 8 << 30})
	return s
}

// forTest returns the site for a subtest, so that a failure is the failure of the subtest.
func (s site) forTest(t *testing.T) site {
	client := *s.Client
	client.T = t
	s.Client = &client
	return s
}

// upload uploads a file and returns its resource key. A zip is unpacked and converted first.
func (s site) upload(name string, content []byte) string {
	s.T.Helper()
	return s.confirm(name, api.Content{Size: int64(len(content)), Source: bytes.NewReader(content)})
}

// confirm uploads a file and waits for its job, if it has one.
func (s site) confirm(name string, content api.Content) string {
	s.T.Helper()
	var confirmed struct {
		Data struct {
			JobID       string `json:"job_id"`
			ResourceKey string `json:"resource_key"`
		}
	}
	got := s.Call("POST", "/v1/files/upload-complete", api.Completion(s.Put(name, content)))
	check(s.T, json.Unmarshal(got.Body, &confirmed))
	if confirmed.Data.JobID == "" {
		return confirmed.Data.ResourceKey
	}
	job := s.Await(confirmed.Data.JobID)
	if job.Result == nil {
		s.T.Fatalf("%s: got %+v, want a capture", name, job)
	}
	return job.Result.ResourceKey
}

// newSpace creates a public space, which shows a file unless its key is empty.
func (s site) newSpace(title, kind, resourceKey string) string {
	s.T.Helper()
	var created struct {
		URL string `json:"space_url"`
	}
	s.Call("POST", "/v1/user/create-space", map[string]any{"title": title, "space_type": kind, "resource_key": resourceKey}).Want(200, &created)
	id := created.URL[strings.LastIndex(created.URL, "/")+1:]
	s.Call("POST", "/v1/spaces/update-privacy", map[string]any{"spaceId": id, "roomPrivacy": "Public"}).Want(200, nil)
	return id
}

func (s site) put(space string, entity map[string]any) string {
	s.T.Helper()
	var created struct {
		ID string `json:"entity_id"`
	}
	s.Call("POST", "/v1/spaces/"+space+"/entities", entity).Want(201, &created)
	return created.ID
}

// takedown returns an address at which a POST takes the space down, as an operator does.
func (s site) takedown(t *testing.T, space string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.world.DB.Moderation().TakeDown(r.Context(), model.ReportSpace{SpaceID: space, Reason: model.ReportSpam}); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// file is a file of the owner as GraphQL returns it.
type file struct{ ResourceKey, ViewURL, CollisionURL string }

func (s site) file(resourceKey string) file {
	s.T.Helper()
	var response struct {
		Data struct{ Files struct{ Nodes []file } }
	}
	got := s.Call("POST", "/graphql", map[string]any{"query": `{ files { nodes { resourceKey viewUrl collisionUrl } } }`})
	check(s.T, json.Unmarshal(got.Body, &response))
	for _, file := range response.Data.Files.Nodes {
		if file.ResourceKey == resourceKey {
			return file
		}
	}
	s.T.Fatalf("there is no file %s", resourceKey)
	return file{}
}

// awaitCapture waits until the file has a view and a collision.
func (s site) awaitCapture(resourceKey string) {
	s.T.Helper()
	api.Eventually(s.T, resourceKey+" has a view and a collision", func() bool { return s.isPrepared(resourceKey) })
}

// isPrepared reports whether the file has a view and a collision.
func (s site) isPrepared(resourceKey string) bool {
	s.T.Helper()
	file := s.file(resourceKey)
	return strings.HasSuffix(file.ViewURL, "lod-meta.json") && file.CollisionURL != ""
}

// awaitView waits until the file has a view, which the page draws.
func (s site) awaitView(resourceKey string) {
	s.T.Helper()
	api.Eventually(s.T, resourceKey+" has a view", func() bool {
		return strings.HasSuffix(s.file(resourceKey).ViewURL, "lod-meta.json")
	})
}

// visit runs a script in a browser. It reads its arguments as JSON and must end with code 0.
func (s site) visit(t *testing.T, script string, arguments map[string]any) {
	s.T.Helper()
	t.Helper()
	arguments["server"], arguments["key"] = s.URL, s.Key
	arguments["chromium"], arguments["pictures"] = s.scripts.Chromium, os.Getenv("SPACE_PICTURES")
	arguments["email"], arguments["password"] = ownerEmail, ownerPassword
	input, err := json.Marshal(arguments)
	check(t, err)
	out, err := s.scripts.Run(t.Context(), browser.Command{Script: script, Input: input})
	t.Log(out.Text())
	if err != nil {
		t.Errorf("%s: got %v, want it to end with code 0", script, err)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
