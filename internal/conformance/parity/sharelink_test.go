package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// visitor is a browser that may have entered by a share link.
type visitor struct {
	t      *testing.T
	base   string
	client *http.Client
}

func newVisitor(t *testing.T, base string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	return &visitor{t: t, base: base, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// send sends a request as the scripts of our pages do. address may be a path.
func (v *visitor) send(method, address, contentType, body string, header http.Header) api.Response {
	v.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = v.base + address
	}
	request, err := http.NewRequestWithContext(v.t.Context(), method, address, strings.NewReader(body))
	check(v.t, err)
	request.Header = http.Header{"Content-Type": {contentType}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {v.base}, "Accept": {"text/html, application/json"}}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := v.client.Do(request)
	check(v.t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	check(v.t, err)
	return api.Response{T: v.t, Status: response.StatusCode, Header: response.Header, Body: read}
}

func (v *visitor) get(address string) api.Response {
	v.t.Helper()
	return v.send(http.MethodGet, address, "", "", nil)
}

// enter opens the address of a share link.
func (v *visitor) enter(address, password string) api.Response {
	v.t.Helper()
	_, secret, _ := strings.Cut(address, "#")
	form := url.Values{"secret": {secret}}
	if password != "" {
		form.Set("password", password)
	}
	return v.send(http.MethodPost, "/share", "application/x-www-form-urlencoded", form.Encode(), nil)
}

// query is a GraphQL request of our page. It returns the code of its first error, or "".
func (v *visitor) query(text string, variables map[string]any, into any, header http.Header) string {
	v.t.Helper()
	body, err := json.Marshal(map[string]any{"query": text, "variables": variables})
	check(v.t, err)
	var result struct {
		Data   json.RawMessage
		Errors []struct{ Extensions struct{ Code string } }
	}
	response := v.send(http.MethodPost, "/graphql", "application/json", string(body), header)
	check(v.t, json.NewDecoder(bytes.NewReader(response.Body)).Decode(&result))
	if len(result.Errors) > 0 {
		return result.Errors[0].Extensions.Code
	}
	if into != nil {
		check(v.t, json.Unmarshal(result.Data, into))
	}
	return ""
}

// subscribe opens a socket as a page does, and returns the next event of the subscription.
func (v *visitor) subscribe(text string, variables map[string]any) (next func() string) {
	v.t.Helper()
	address, err := url.Parse(v.base + "/graphql")
	check(v.t, err)
	header := http.Header{"Origin": {v.base}}
	for _, cookie := range v.client.Jar.Cookies(address) {
		header.Add("Cookie", cookie.String())
	}
	ctx, cancel := context.WithTimeout(v.t.Context(), time.Minute)
	v.t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, strings.Replace(address.String(), "http", "ws", 1), &websocket.DialOptions{ // the library closes the body
		Subprotocols: []string{"graphql-transport-ws"}, HTTPHeader: header,
	})
	check(v.t, err)
	v.t.Cleanup(func() { _ = conn.CloseNow() })
	read := func() string {
		var message struct {
			Type    string
			Payload json.RawMessage
		}
		if err := wsjson.Read(ctx, conn, &message); err != nil {
			return err.Error()
		}
		return message.Type + " " + string(message.Payload)
	}
	check(v.t, wsjson.Write(ctx, conn, map[string]any{"type": "connection_init"}))
	read()
	check(v.t, wsjson.Write(ctx, conn, map[string]any{
		"id": "1", "type": "subscribe", "payload": map[string]any{"query": text, "variables": variables},
	}))
	return read
}

const (
	readBySpace = `query($id: ID!) { space(id: $id) { title viewerShareLink { allowsDownload allowsMeasuring } shareLinks { name }
		entities { nodes { data readUrl file { readUrl viewUrl } } } } }`
	readByNode    = `query($id: ID!) { node(id: $id) { ... on Space { title } } }`
	watchSpace    = `subscription($id: ID!) { space(id: $id) { __typename } }`
	watchPresence = `subscription($id: ID!) { spacePresence(spaceId: $id, name: "Bo") { __typename ... on PresenceEnded { reason } } }`
)

// sharedSpace is a Private space of alice with a file and a link.
type sharedSpace struct {
	owner    *api.Client
	id, node string
	fileURL  string // the public address
	linkID   string
	address  string // of the link
}

func share(t *testing.T, owner *api.Client, input map[string]any) sharedSpace {
	t.Helper()
	shared := sharedSpace{owner: owner}
	var file struct {
		ResourceKey string `json:"resource_key"`
		URL         string `json:"url"`
	}
	owner.Call("POST", "/v1/files/upload-complete", api.Completion(owner.Put("cat.json", api.Text(`{"cat":1}`)))).Want(200, &file)
	var space struct {
		SpaceURL string `json:"space_url"`
	}
	owner.Call("POST", "/v1/user/create-space", map[string]string{"resource_key": file.ResourceKey}).Want(200, &space)
	shared.id, shared.fileURL = space.SpaceURL[strings.LastIndex(space.SpaceURL, "/")+1:], file.URL
	var found struct{ ID string }
	check(t, owner.GraphQL("query($id: ID!) { space(id: $id) { id } }", map[string]any{"id": shared.id}, &found))
	shared.node = found.ID
	shared.linkID, shared.address = shared.link(t, input)
	return shared
}

// link creates another link.
func (s sharedSpace) link(t *testing.T, input map[string]any) (id, address string) {
	t.Helper()
	in := map[string]any{"spaceId": s.id, "name": "Client"}
	for name, value := range input {
		in[name] = value
	}
	var created struct {
		URL       string
		ShareLink struct{ ShareLinkID string }
	}
	check(t, s.owner.GraphQL(`mutation($in: CreateShareLinkInput!) { createShareLink(input: $in) { url shareLink { shareLinkId } } }`,
		map[string]any{"in": in}, &created))
	return created.ShareLink.ShareLinkID, created.URL
}

func (s sharedSpace) revoke(t *testing.T) {
	t.Helper()
	check(t, s.owner.GraphQL(`mutation($id: ID!) { revokeShareLink(input: {shareLinkId: $id}) { shareLink { state } } }`,
		map[string]any{"id": s.linkID}, nil))
}

// addresses returns the addresses at which the visitor reads the file.
func (v *visitor) addresses(id string) []string {
	v.t.Helper()
	var got struct {
		Space struct {
			Entities struct {
				Nodes []struct {
					ReadURL string
					File    *struct{ ReadURL, ViewURL string }
				}
			}
		}
	}
	if code := v.query(readBySpace, map[string]any{"id": id}, &got, nil); code != "" || len(got.Space.Entities.Nodes) != 1 {
		v.t.Fatalf("entities: got %s %v, want one", code, got)
	}
	node := got.Space.Entities.Nodes[0]
	addresses := []string{node.ReadURL}
	if node.File != nil {
		addresses = append(addresses, node.File.ReadURL, node.File.ViewURL)
	}
	return addresses
}

// Every interface honours a link of a Private space, and its end.
func TestShareLink_over_all_interfaces(t *testing.T) {
	t.Parallel()
	for _, access := range []string{"public", "protected"} {
		t.Run("with "+access+" files", func(t *testing.T) {
			t.Parallel()
			testShareLink(t, world.Start(t, "--files-access="+access))
		})
	}
}

func testShareLink(t *testing.T, p world.World) {
	alice, bob := p.NewClient(t, pro("alice")), p.NewClient(t, pro("bob"))
	shared := share(t, alice, map[string]any{"password": "open", "allowsMeasuring": true})
	other := share(t, alice, nil) // of the same owner: its visitors see nothing of the first
	foreign := share(t, bob, nil)
	guest, stranger := newVisitor(t, p.BaseURL()), newVisitor(t, p.BaseURL())
	if got := stranger.enter(other.address, ""); got.Status != 303 {
		t.Fatalf("enter the other space: got %d %s", got.Status, got.Body)
	}
	stranger.enter(foreign.address, "")
	if got := guest.enter(shared.address, "guess"); got.Status != 422 {
		t.Errorf("wrong password: got %d, want 422", got.Status)
	}
	shared.wantClosed(t, guest, bob, "before the password")
	if got := guest.enter(shared.address, "open"); got.Status != 303 || got.Header.Get("Location") != "/"+shared.id {
		t.Fatalf("enter: got %d to %q, want the space", got.Status, got.Header.Get("Location"))
	}
	addresses := shared.wantOpen(t, guest)
	shared.wantClosed(t, stranger, bob, "with links of other spaces")
	for _, address := range other.wantOpen(t, stranger) { // a signature is for the file that it was made for
		swapped := strings.Replace(address, "/"+alice.ID+"/", "/"+alice.ID+"/x", 1)
		if got := stranger.get(swapped); got.Status != 404 {
			t.Errorf("another file at a signed address: got %d, want 404", got.Status)
		}
		// The links are part of what is signed.
		if got := stranger.get(strings.Replace(address, other.linkID, shared.linkID, 1)); got.Status != 404 {
			t.Errorf("another link in a signed address: got %d, want 404", got.Status)
		}
	}
	foreignEntity := map[string]any{"entity_data": map[string]string{"glbUrl": shared.fileURL}}
	bob.Call("POST", "/v1/spaces/"+foreign.id+"/entities", foreignEntity).Want(201, nil)
	stranger.wantNoFileThrough(foreign.id, shared.fileURL)

	events, presence := guest.subscribe(watchSpace, map[string]any{"id": shared.id}), guest.subscribe(watchPresence, map[string]any{"id": shared.id})
	if got := events(); !strings.Contains(got, "SpaceSnapshot") {
		t.Errorf("subscription: got %s, want the space", got)
	}
	if got := presence(); !strings.Contains(got, "PresenceJoined") {
		t.Errorf("presence: got %s, want to join", got)
	}
	shared.revoke(t)
	awaitEvent(t, "AccessLost", events)
	awaitEvent(t, "PresenceEnded", presence)
	shared.wantClosed(t, guest, bob, "after the end")
	for _, address := range addresses {
		if got := guest.get(address); got.Status != 404 {
			t.Errorf("file after the end: got %d, want 404", got.Status)
		}
	}
	if got := guest.get("/" + shared.id); !strings.Contains(string(got.Body), "link") {
		t.Errorf("page after the end: got %s, want one that says that the link has ended", got.Body)
	}
	if got := guest.enter(shared.address, "open"); got.Status != 410 {
		t.Errorf("enter after the end: got %d, want 410", got.Status)
	}
	// The owner still reads the file.
	var own struct {
		Entities struct{ Nodes []struct{ ReadURL string } }
	}
	check(t, alice.GraphQL("query($id: ID!) { space(id: $id) { entities { nodes { readUrl } } } }", map[string]any{"id": shared.id}, &own))
	if got := guest.get(own.Entities.Nodes[0].ReadURL); got.Status != 200 {
		t.Errorf("the owner's address of the file: got %d, want 200", got.Status)
	}
}

func awaitEvent(t *testing.T, want string, next func() string) {
	t.Helper()
	for range 20 {
		if got := next(); strings.Contains(got, want) || !strings.HasPrefix(got, "next") {
			if !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
			return
		}
	}
	t.Errorf("got 20 events, none of them %s", want)
}

// wantOpen checks what a link opens, and returns the addresses of the file.
func (s sharedSpace) wantOpen(t *testing.T, v *visitor) []string {
	t.Helper()
	page := v.get("/" + s.id)
	if page.Status != 200 || !strings.Contains(page.Header.Get("Cache-Control"), "no-store") {
		t.Errorf("page: got %d %s, want 200 and no-store", page.Status, page.Header.Get("Cache-Control"))
	}
	for _, text := range []string{readBySpace, readByNode} {
		id := s.id
		if text == readByNode {
			id = s.node
		}
		var got map[string]*struct {
			Title           string
			ShareLinks      []any
			ViewerShareLink *struct{ AllowsDownload bool }
		}
		if code := v.query(text, map[string]any{"id": id}, &got, nil); code != "" {
			t.Errorf("%s: got %s, want the space", text, code)
		}
		if space := got["space"]; space != nil && (space.ShareLinks != nil || space.ViewerShareLink == nil) {
			t.Errorf("space: got %v, want what the link allows and no list of links", space)
		}
	}
	if code := v.query(`mutation($id: ID!) { updateSpace(input: {spaceId: $id, title: "Mine"}) { space { title } } }`, map[string]any{"id": s.id}, nil, nil); code != "UNAUTHENTICATED" {
		t.Errorf("update by a visitor: got %q, want UNAUTHENTICATED", code)
	}
	addresses := v.addresses(s.id)
	for _, address := range addresses {
		if got := v.get(address); got.Status != 200 || string(got.Body) != `{"cat":1}` || !strings.HasPrefix(got.Header.Get("Cache-Control"), "private") {
			t.Errorf("file: got %d %s, %s, want it, for this visitor", got.Status, got.Body, got.Header.Get("Cache-Control"))
		}
	}
	return addresses
}

// wantClosed checks that nothing of the space can be read: neither with the cookies of the visitor, nor
// by who has an account, nor at the public address of its file.
func (s sharedSpace) wantClosed(t *testing.T, v *visitor, bob *api.Client, when string) {
	t.Helper()
	bearer := http.Header{"Authorization": {"Bearer " + bob.Key}}
	embedded := url.Values{"url": {v.base + "/" + s.id}}
	for what, c := range map[string]struct {
		got  api.Response
		want int
	}{
		"page": {v.get("/" + s.id), 403}, "HEAD": {v.send(http.MethodHead, "/"+s.id, "", "", nil), 403},
		"OPTIONS": {v.send(http.MethodOptions, "/"+s.id, "", "", nil), 405},
		"embed":   {v.get("/embed/" + s.id), 403}, "oEmbed": {v.get("/oembed?" + embedded.Encode()), 401},
		"REST": {v.get("/v1/spaces/" + s.id), 401}, "REST of another account": {v.send("GET", "/v1/spaces/"+s.id, "", "", bearer), 403},
		"entities":   {v.send("GET", "/v1/spaces/"+s.id+"/entities", "", "", bearer), 403},
		"MCP":        {v.send("POST", "/v1/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil), 401},
		"gallery":    {v.get("/v1/splatjs/spaces/" + s.id), 401},
		"SuperSplat": {v.get("/api/supersplat/splats/" + s.id), 401},
	} {
		if c.got.Status != c.want && (c.want != 401 || c.got.Status != 404) {
			t.Errorf("%s, %s: got %d %s, want %d", when, what, c.got.Status, c.got.Body, c.want)
		}
	}
	api.EventuallyWithin(t, time.Minute, "the public address of the file is closed", func() bool {
		return v.get(s.fileURL).Status == http.StatusNotFound
	})
	for _, header := range []http.Header{nil, bearer} {
		code := v.query(readBySpace, map[string]any{"id": s.id}, nil, header)
		if code != "UNAUTHENTICATED" && code != "FORBIDDEN" {
			t.Errorf("%s, GraphQL: got %q, want a refusal", when, code)
		}
		var node struct{ Node *struct{ Title string } }
		if code := v.query(readByNode, map[string]any{"id": s.node}, &node, header); code == "" && node.Node != nil {
			t.Errorf("%s, node: got %v, want none", when, node.Node)
		}
	}
	for _, text := range []string{watchSpace, watchPresence} {
		if got := v.subscribe(text, map[string]any{"id": s.id})(); !strings.HasPrefix(got, "error") {
			t.Errorf("%s, %s: got %s, want an error", when, text, got)
		}
	}
}

// wantNoFileThrough checks that a space of another account, which names the file, makes it readable to
// nobody.
func (v *visitor) wantNoFileThrough(spaceID, fileURL string) {
	v.t.Helper()
	var got struct {
		Space struct {
			Entities struct{ Nodes []struct{ ReadURL string } }
		}
	}
	if code := v.query(readBySpace, map[string]any{"id": spaceID}, &got, nil); code != "" {
		v.t.Errorf("space: got %s", code)
	}
	key := fileURL[strings.LastIndex(fileURL, "/"):]
	for _, node := range got.Space.Entities.Nodes {
		if strings.HasSuffix(node.ReadURL, key) && v.get(node.ReadURL).Status != 404 {
			v.t.Errorf("file through the space of another account: got %d, want 404", v.get(node.ReadURL).Status)
		}
	}
}

// A link is for its owner to make, with the plan that Link Only needs.
func TestShareLink_is_made_by_the_owner(t *testing.T) {
	t.Parallel()
	p := world.Start(t)
	alice, bob := p.NewClient(t, pro("alice")), p.NewClient(t, model.CreateUser{Email: "bob@example.com", Plan: model.PlanFree, Quota: 1 << 20})
	shared := share(t, alice, nil)
	var own struct{ SpaceID string }
	check(t, bob.GraphQL(`mutation { createSpace(input: {}) { space { spaceId } } }`, nil, &own))
	create := `mutation($in: CreateShareLinkInput!) { createShareLink(input: $in) { url } }`
	revoke := `mutation($id: ID!) { revokeShareLink(input: {shareLinkId: $id}) { shareLink { state } } }`
	update := `mutation($id: ID!) { updateShareLink(input: {shareLinkId: $id, name: "Mine"}) { shareLink { state } } }`
	input := func(id string, further map[string]any) map[string]any {
		in := map[string]any{"spaceId": id, "name": "Client"}
		for name, value := range further {
			in[name] = value
		}
		return map[string]any{"in": in}
	}
	nobody := &api.Client{T: t, URL: p.BaseURL()}
	for what, c := range map[string]struct {
		who       *api.Client
		text      string
		variables map[string]any
		want      model.Code
	}{
		"create by a stranger":      {bob, create, input(shared.id, nil), model.CodeForbidden},
		"create by nobody":          {nobody, create, input(shared.id, nil), model.CodeUnauthenticated},
		"create without the plan":   {bob, create, input(own.SpaceID, nil), model.CodeInvalid},
		"create without a name":     {alice, create, input(shared.id, map[string]any{"name": " "}), model.CodeInvalid},
		"create that has ended":     {alice, create, input(shared.id, map[string]any{"endsAt": "2020-01-01T00:00:00Z"}), model.CodeInvalid},
		"create for no visit":       {alice, create, input(shared.id, map[string]any{"maxVisits": 0}), model.CodeInvalid},
		"create with a long secret": {alice, create, input(shared.id, map[string]any{"password": strings.Repeat("x", 201)}), model.CodeInvalid},
		"update by a stranger":      {bob, update, map[string]any{"id": shared.linkID}, model.CodeNotFound},
		"revoke by a stranger":      {bob, revoke, map[string]any{"id": shared.linkID}, model.CodeNotFound},
		"revoke by nobody":          {nobody, revoke, map[string]any{"id": shared.linkID}, model.CodeUnauthenticated},
		"revoke an unknown one":     {alice, revoke, map[string]any{"id": "x\u0000"}, model.CodeNotFound},
	} {
		err := c.who.GraphQL(c.text, c.variables, nil)
		if refused, ok := errors.AsType[*api.Refusal](err); !ok || refused.Code != c.want {
			t.Errorf("%s: got %v, want %s", what, err, c.want)
		}
	}
}
