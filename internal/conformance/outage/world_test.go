package outage

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

const (
	email    = "ada@example.com"
	password = "a long enough password"
)

// installation is a server with an account that has one object of each kind.
type installation struct {
	world.World
	t      *testing.T
	client *api.Client // of the account, with its key
	// session is the Cookie header of a browser that is signed in.
	session string
	// app is the id of an OAuth client.
	app string
	// space is Public and contains entity. file is the resource key of a file.
	space, entity, file string
	// upload is announced, and resumable is the address of a resumable upload.
	upload    api.Upload
	resumable string
	// export is the address of the account's export.
	export string
}

// newWorld starts the server and creates the objects.
func newWorld(t *testing.T) *installation {
	t.Helper()
	if testing.Short() {
		t.Skip("an outage takes too long for a short run")
	}
	w := &installation{World: world.Start(t), t: t, entity: "chair"}
	w.client = w.NewClient(t, model.CreateUser{Email: "bob@example.com", Plan: model.PlanPro, Quota: 1_000_000})
	var space struct{ SpaceID string }
	w.client.Call("POST", "/v1/spaces", map[string]any{"title": "Hall", "privacy": "Open"}).Want(201, &space)
	w.space = space.SpaceID
	w.client.Call("POST", "/v1/spaces/"+w.space+"/entities", map[string]any{"entity_id": w.entity}).Want(201, nil)
	w.client.Call("GET", "/v1/spaces/"+w.space+"/versions", nil).Want(200, nil) // records version 1
	var file struct {
		ResourceKey string `json:"resource_key"`
	}
	address := w.client.Put("cat.json", api.Text("{}"))
	w.client.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(200, &file)
	w.file = file.ResourceKey
	w.upload = w.client.Promise("dog.json", 2)
	var resumable struct{ Params api.Upload }
	w.client.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": "cow.json", "file_size": 2, "content_type": "application/json", "resumable": true,
	}).Want(200, &resumable)
	w.resumable = resumable.Params.URL
	var export struct{ URL string }
	check(t, w.client.GraphQL(`mutation { exportAccount { url } }`, nil, &export))
	w.export = export.URL
	w.signUp()
	var app struct {
		ClientID string `json:"client_id"`
	}
	check(t, json.Unmarshal(w.request("POST", "/register", jsonType, registration).Body, &app))
	w.app = app.ClientID
	return w
}

// signUp creates an account with a password, and signs in.
func (w *installation) signUp() {
	w.t.Helper()
	got := w.form("/signup", "", url.Values{"email": {email}, "name": {"Ada"}, "password": {password}})
	for _, cookie := range (&http.Response{Header: got.Header}).Cookies() {
		if strings.HasSuffix(cookie.Name, "portico_session") {
			w.session = cookie.Name + "=" + cookie.Value
		}
	}
	if got.Status != http.StatusSeeOther || w.session == "" {
		w.t.Fatalf("sign up: got %d %s, want 303 and a session", got.Status, got.Body)
	}
}

// The headers of requests.
var (
	jsonType = http.Header{"Content-Type": {"application/json"}}
	formType = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
)

// with returns the headers with one more.
func with(header http.Header, name, value string) http.Header {
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if value != "" {
		header.Set(name, value)
	}
	return header
}

// get sends a GET without a key.
func (w *installation) get(path string) api.Response { return w.request("GET", path, nil, "") }

// form sends a form from a page of the server, with the Cookie header or "".
func (w *installation) form(path, cookie string, fields url.Values) api.Response {
	header := with(with(formType, "Origin", w.BaseURL()), "Cookie", cookie)
	return w.request("POST", path, header, fields.Encode())
}

// addKey adds the key of the account to the headers.
func (w *installation) addKey(header http.Header) http.Header {
	return with(header, "Authorization", "Bearer "+w.client.Key)
}

// request sends a request to a path, or to an absolute address, and follows no redirect. It reads
// nothing of a stream of events, which may never end.
func (w *installation) request(method, path string, header http.Header, body string) api.Response {
	w.t.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = w.BaseURL() + path
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	check(w.t, err)
	request.Header = with(header, "", "")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	check(w.t, err)
	defer func() { _ = response.Body.Close() }() // it was read
	var content []byte
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		content, err = io.ReadAll(response.Body)
		check(w.t, err)
	}
	return api.Response{T: w.t, Status: response.StatusCode, Header: response.Header, Body: content}
}

func (w *installation) calls() []call {
	return slices.Concat(w.restCalls(), w.graphCalls(), w.mcpCalls(), w.fileCalls(), w.signInCalls(), w.oauthCalls(), w.pageCalls())
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
