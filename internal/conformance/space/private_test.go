package space_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/auth"
	"portico/internal/testkit/api"
	"portico/model"
)

// nameOfPrivate is in the title and the description of the space whose privacy changes, and
// nowhere else.
const nameOfPrivate = "Heliotrope"

// The test asks for everything that shows a space, as each kind of caller, while the space
// is Public, Link Only and Private. Files are protected.
func TestSpace_is_shown_only_to_callers_who_may_see_it(t *testing.T) {
	t.Parallel()
	s := newServer(t, "--files-access=protected")
	space, hub := s.newSpace(nameOfPrivate, "infinite", ""), s.newSpace("The hub", "hub", "")
	files := s.furnish(space, hub)
	visitors := s.everybody(t)
	for _, privacy := range []model.Privacy{model.Public, model.Private, model.LinkOnly, model.Private} {
		s.Call("POST", "/v1/spaces/update-privacy", map[string]any{"spaceId": space, "roomPrivacy": privacy}).Want(200, nil)
		s.wantFiles(files, privacy != model.Private)
		for _, asked := range requestsFor(s, space, hub) {
			for _, who := range visitors {
				got := who.send(t, s.URL, asked)
				sees := slices.Contains(strings.Fields(asked.seenBy[privacy]), who.name)
				if shown := strings.Contains(got, nameOfPrivate); shown != sees {
					t.Errorf("%s%s of a %s space for %s: got it shown %t, want %t\n%.1000s", asked.path, asked.query, privacy, who.name, shown, sees, got)
				}
			}
		}
	}
}

// furnish puts a file of each kind into the space and a gate to the space into the hub. It
// returns the addresses of the files and of what was made of them, as a stranger gets them.
func (s site) furnish(space, hub string) map[string]string {
	s.T.Helper()
	picture := newJPEG(s.T, nameOfPrivate)
	room, chosen := s.upload("room.ply", newRoom()), s.upload("view.jpg", picture)
	for id, key := range map[string]string{"room": room, "plugin": s.upload("friendly.mjs", []byte(friendlyPlugin)), "picture": s.upload("picture.jpg", picture)} {
		entity := at(id, key, 0, 0, 0)
		entity["entity_data"].(map[string]any)["name"] = nameOfPrivate + " " + id
		s.put(space, entity)
	}
	axes := map[string]any{"x": 0, "y": 0, "z": 0}
	s.put(hub, map[string]any{"entity_type": "DynamicGate", "entity_data": map[string]any{
		"link": space, "dynamicGate": map[string]any{"position": axes, "rotation": axes},
	}})
	s.awaitCapture(room)
	s.Call("PUT", "/v1/spaces/"+space, map[string]any{"picture": chosen}).Want(200, nil)
	api.Eventually(s.T, "the space has its picture", func() bool {
		return s.Call("GET", "/v1/spaces/"+space+"/screenshot", nil).Status == http.StatusOK
	})
	files := s.addresses(space)
	files["the voxels of the collision"] = strings.TrimSuffix(files["room's collision"], ".json") + ".bin"
	files["a level of the view"] = strings.TrimSuffix(files["room's view"], "lod-meta.json") + "0_0/meta.json"
	files["the chosen picture"] = s.world.FilesURL() + "/" + s.ID + "/" + chosen
	return files
}

// addresses returns the addresses of the files in the space and of what was made of them, by the
// id of the entity and what it is, when nothing more is made of them.
func (s site) addresses(space string) map[string]string {
	s.T.Helper()
	stranger := &api.Client{T: s.T, URL: s.URL}
	var shown struct {
		Entities struct {
			Nodes []struct {
				EntityID string
				File     struct {
					ReadURL, ViewURL, PosterURL, CollisionURL string
					Preparation                               []struct{ State string }
				}
			}
		}
	}
	api.Eventually(s.T, "all files are prepared", func() bool {
		check(s.T, stranger.GraphQL(`query($id: ID!) { space(id: $id) { entities { nodes {
			entityId file { readUrl viewUrl posterUrl collisionUrl preparation { state } } } } } }`, map[string]any{"id": space}, &shown))
		for _, entity := range shown.Entities.Nodes {
			for _, step := range entity.File.Preparation {
				if step.State != "READY" {
					return false
				}
			}
		}
		return true
	})
	files := map[string]string{}
	for _, entity := range shown.Entities.Nodes {
		file := entity.File
		for kind, address := range map[string]string{"file": file.ReadURL, "view": file.ViewURL, "poster": file.PosterURL, "collision": file.CollisionURL} {
			if address != "" {
				files[entity.EntityID+"'s "+kind] = address
			}
		}
	}
	for _, name := range []string{"room's view", "room's poster", "room's collision", "plugin's file", "picture's file"} {
		if files[name] == "" {
			s.T.Fatalf("addresses: got %v, want %s too", files, name)
		}
	}
	return files
}

// wantFiles checks whether everybody may read files at their addresses. A closed file is
// refused immediately; an opened one is served soon.
func (s site) wantFiles(files map[string]string, open bool) {
	s.T.Helper()
	for name, address := range files {
		for who, key := range map[string]string{"a stranger": "", "the owner's key": s.Key} {
			header := http.Header{}
			if key != "" {
				header.Set("Authorization", "Bearer "+key)
			}
			status := func() int { return s.Send("GET", address, header, http.NoBody, 0).Status }
			if open {
				api.Eventually(s.T, name+" can be read by "+who, func() bool { return status() == http.StatusOK })
			} else if got := status(); got != http.StatusNotFound {
				s.T.Errorf("%s for %s: got %d, want 404", name, who, got)
			}
		}
	}
}

// asked is a request for an address, or for an operation of GraphQL, and who sees the space in
// its response.
type asked struct {
	path, query string
	variables   map[string]any
	seenBy      map[model.Privacy]string
}

// The names of those who ask.
const (
	all    = "stranger other-key other-cookie owner-key owner-cookie"
	owners = "owner-key owner-cookie"
	keys   = "other-key owner-key"
)

// requestsFor returns a request for every address that shows or lists a space.
func requestsFor(s site, space, hub string) []asked {
	const (
		public  = model.Public
		link    = model.LinkOnly
		private = model.Private
	)
	linked := map[model.Privacy]string{public: all, link: all, private: owners}
	listed := map[model.Privacy]string{public: all}
	ofOwner := map[model.Privacy]string{public: owners, link: owners, private: owners}
	// Pages know sessions, and REST knows keys.
	page := map[model.Privacy]string{public: all, link: all, private: "owner-cookie"}
	keyed := map[model.Privacy]string{public: keys, link: keys, private: "owner-key"}
	id := map[string]any{"id": space}
	operation := func(query string, seenBy map[model.Privacy]string) asked {
		return asked{path: "/graphql", query: query, variables: id, seenBy: seenBy}
	}
	return []asked{
		{path: "/" + space, seenBy: page},
		{path: "/" + hub},
		{path: "/embed/" + space, seenBy: map[model.Privacy]string{public: all, link: all}},
		{path: "/oembed?url=" + url.QueryEscape(s.URL+"/"+space), seenBy: map[model.Privacy]string{public: all, link: all}},
		{path: "/?order=visits", seenBy: listed},
		{path: "/u/" + s.ID, seenBy: listed},
		{path: "/v1/spaces/" + space, seenBy: keyed},
		{path: "/v1/spaces/" + space + "/entities", seenBy: map[model.Privacy]string{public: "owner-key", link: "owner-key", private: "owner-key"}},
		{path: "/v1/spaces/" + space + "/screenshot", seenBy: keyed},
		operation(`query($id: ID!) { space(id: $id) { title } }`, linked),
		operation(`query($id: ID!) { space(id: $id) { id entities { nodes { data } } } }`, linked),
		operation(`query($id: ID!) { entity(spaceId: $id, entityId: "room") { data } }`, linked),
		operation(`{ publicSpaces { nodes { title } } }`, listed),
		operation(`{ spaces { nodes { title } } }`, ofOwner),
		operation(`{ user(id: "`+s.ID+`") { spaces { nodes { title } } } }`, listed),
		operation(`subscription($id: ID!) { space(id: $id) { ... on SpaceSnapshot { space { title } } } }`, linked),
		operation(`subscription { viewerSpaces { ... on SpacesSnapshot { spaces { nodes { title } } } } }`, ofOwner),
	}
}

// somebody is a person or a program that asks for a space.
type somebody struct {
	name   string
	key    string
	client *http.Client
}

// everybody returns the owner and another account, each by its key and by its session, and
// somebody without an account.
func (s site) everybody(t *testing.T) []somebody {
	t.Helper()
	hash, err := auth.NewPasswords().Hash(t.Context(), ownerPassword)
	check(t, err)
	const otherEmail = "other@example.com"
	other := s.world.NewClient(t, model.CreateUser{Email: otherEmail, PasswordHash: hash, Plan: model.PlanPro, Quota: 1 << 20})
	return []somebody{
		{"stranger", "", http.DefaultClient}, {"other-key", other.Key, http.DefaultClient}, {"other-cookie", "", s.signedIn(t, otherEmail)},
		{"owner-key", s.Key, http.DefaultClient}, {"owner-cookie", "", s.signedIn(t, ownerEmail)},
	}
}

// signedIn returns a browser's client with the session of an account.
func (s site) signedIn(t *testing.T, email string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	client := &http.Client{Jar: jar}
	form := url.Values{"email": {email}, "password": {ownerPassword}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/login", strings.NewReader(form.Encode()))
	check(t, err)
	request.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {s.URL}, "Sec-Fetch-Site": {"same-origin"}}
	response, err := client.Do(request)
	check(t, err)
	check(t, response.Body.Close())
	base, err := url.Parse(s.URL)
	check(t, err)
	if len(jar.Cookies(base)) == 0 {
		t.Fatalf("sign in as %s: got status %d without a cookie", email, response.StatusCode)
	}
	return client
}

// send returns the response to a request; of a subscription, the first event or the refusal.
func (p somebody) send(t *testing.T, server string, asked asked) string {
	t.Helper()
	method, body := http.MethodGet, io.Reader(http.NoBody)
	header := http.Header{"Accept": {"text/html,*/*;q=0.8"}, "Origin": {server}, "Sec-Fetch-Site": {"same-origin"}}
	if asked.query != "" {
		content, err := json.Marshal(map[string]any{"query": asked.query, "variables": asked.variables})
		check(t, err)
		method, body = http.MethodPost, bytes.NewReader(content)
		header.Set("Content-Type", "application/json")
		header.Set("Accept", "application/json")
		if strings.HasPrefix(asked.query, "subscription") {
			header.Set("Accept", "text/event-stream")
		}
	}
	if p.key != "" {
		header.Set("Authorization", "Bearer "+p.key)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, server+asked.path, body)
	check(t, err)
	request.Header = header
	response, err := p.client.Do(request)
	check(t, err)
	defer response.Body.Close()
	var read bytes.Buffer
	for part := make([]byte, 64<<10); ; {
		n, err := response.Body.Read(part)
		read.Write(part[:n])
		isEvent := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") && bytes.Contains(read.Bytes(), []byte("event: next"))
		if err != nil || isEvent && bytes.HasSuffix(read.Bytes(), []byte("\n\n")) {
			return read.String()
		}
	}
}

func newJPEG(t testing.TB, comment string) []byte {
	t.Helper()
	var picture bytes.Buffer
	check(t, jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 40)), nil))
	// After the two bytes of the start comes a segment (ITU T.81, B.2.4.5): its marker, its
	// length with these two bytes, and the text.
	segment := append([]byte{0xff, 0xfe, 0, byte(2 + len(comment))}, comment...)
	return slices.Concat(picture.Bytes()[:2], segment, picture.Bytes()[2:])
}
